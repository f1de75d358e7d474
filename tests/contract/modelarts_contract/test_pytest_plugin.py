"""The pytest plugin holds the exchanges of users' tests against the documents."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(
        """
        import pytest

        from modelarts_emulator.server import Emulator


        @pytest.fixture(scope="session")
        def service():
            with Emulator(executor="simulated") as emulator:
                yield emulator


        @pytest.fixture
        def ask(service):
            import httpx

            variables = service.environment()
            user = {"name": variables["OS_USERNAME"], "password": variables["OS_PASSWORD"]}
            user["domain"] = {"name": variables["OS_USER_DOMAIN_NAME"]}
            scope = {"project": {"id": variables["MODELARTS_PROJECT_ID"]}}
            auth = {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": scope}
            token = httpx.post(f"{service.endpoint}/v3/auth/tokens", json={"auth": auth}).headers["X-Subject-Token"]
            root = f"{service.endpoint}/v2/{variables['MODELARTS_PROJECT_ID']}"
            return lambda path: httpx.get(root + path, headers={"X-Auth-Token": token})
        """
    )
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "no:cacheprovider", "-W", "ignore", *arguments)


def test_a_marked_test_fails_if_a_call_breaks_the_contract(project: pytest.Pytester) -> None:
    """Although the test itself passes; an unmarked test is not checked, and a good call is not a failure."""
    project.makepyfile(
        """
        import pytest

        @pytest.mark.modelarts_contract
        def test_good(ask):
            assert ask("/training-job-engines").status_code == 200

        @pytest.mark.modelarts_contract
        def test_rejected(ask):
            assert ask("/training-job-engines?colour=red").status_code == 400

        def test_unmarked(ask, modelarts_exchanges):
            ask("/training-job-engines")
            assert [exchange.status for exchange in modelarts_exchanges][-1] == 200

        @pytest.mark.modelarts_contract
        def test_broken(ask, service):
            service.faults.add(kind="html", count=1)
            ask("/training-job-engines")
        """
    )

    result = run(project)

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        ["calls break the contract:", "GET * -> 502: invalid response: the response is not JSON: *"]
    )


def test_the_configuration_can_check_every_test(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nmodelarts_contract = true\n")
    project.makepyfile(
        """
        def test_broken(ask, service):
            service.faults.add(kind="html", count=1)
            ask("/training-job-engines")
        """
    )

    run(project).assert_outcomes(failed=1)
