"""The pytest plugin holds the exchanges of users' tests against the documents."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def project(kept_imports: object, pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.plugins = [kept_imports]
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
            from modelarts_contract import emulator, login

            variables = service.environment()
            token = login.token(service.endpoint, emulator.login_of(variables))
            root = f"{service.endpoint}/v2/{variables['MODELARTS_PROJECT_ID']}"
            return lambda path: httpx.get(root + path, headers={"X-Auth-Token": token})
        """
    )
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run the tests in this process, without plugins that take longer to load than the tests take."""
    plugins = ("cacheprovider", "schemathesis", "hypothesispytest", "xdist")
    disabled = [part for name in plugins for part in ("-p", f"no:{name}")]
    warnings = () if "-W" in arguments else ("-W", "ignore")
    return project.runpytest_inprocess(*disabled, *warnings, *arguments, plugins=project.plugins)


def test_a_marked_test_fails_if_a_call_breaks_the_contract(project: pytest.Pytester) -> None:
    """Although the test itself passes; an unmarked test is not checked, and a good call is not a failure."""
    project.makepyfile(
        """
        import pytest

        @pytest.mark.modelarts_contract
        def test_good(ask):
            assert ask("/training-job-engines").status_code == 200

        @pytest.mark.modelarts_contract(rejections="allowed")
        def test_rejected(ask):
            assert ask("/training-job-engines?colour=red").status_code == 400

        @pytest.mark.modelarts_contract
        def test_unknown_parameter(ask):
            assert ask("/training-job-engines?colour=red").status_code == 400

        def test_unmarked(ask, modelarts_exchanges):
            ask("/training-job-engines")
            assert [exchange.status for exchange in modelarts_exchanges][-1] == 200

        @pytest.mark.modelarts_contract
        def test_unknown_operation(ask, service):
            service.faults.list()  # no call of the API
            assert ask("/training-job-engine").status_code == 404

        @pytest.mark.modelarts_contract
        def test_broken(ask, service):
            service.faults.add(kind="html", status=500, count=1)
            ask("/training-job-engines")
        """
    )

    result = run(project)

    result.assert_outcomes(passed=3, failed=3)
    result.stdout.fnmatch_lines(
        [
            "calls break the contract:",
            "GET * -> 400: unknown parameter: query parameter colour is not documented (source: page *)",
            "calls break the contract:",
            "GET * -> 404: unknown operation: no document has GET */training-job-engine",
            "calls break the contract:",
            "GET * -> 500: invalid response: the response is not JSON: *",
        ]
    )


def test_the_configuration_can_check_every_test(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nmodelarts_contract = true\n")
    project.makepyfile(
        """
        def test_broken(ask, service):
            service.faults.add(kind="html", status=500, count=1)
            ask("/training-job-engines")
        """
    )

    run(project).assert_outcomes(failed=1)


def test_unmarked_tests_have_no_warning_where_warnings_are_errors(project: pytest.Pytester) -> None:
    """The configuration checks every test, and the test says nothing itself."""
    project.makeini("[pytest]\nmodelarts_contract = true\n")
    project.makepyfile("def test_quiet():\n    assert True\n")

    result = run(project, "-W", "error")

    result.assert_outcomes(passed=1, warnings=0)


FOREIGN = """
import http.client
import json
from urllib.parse import urlsplit

import pytest


def ask(endpoint, path, variables):
    \"\"\"The status, for a client that knows neither httpx nor the toolkit.\"\"\"
    user = {"name": variables["OS_USERNAME"], "password": variables["OS_PASSWORD"]}
    user["domain"] = {"name": variables["OS_USER_DOMAIN_NAME"]}
    scope = {"project": {"id": variables["MODELARTS_PROJECT_ID"]}}
    auth = {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": scope}
    connection = http.client.HTTPConnection(urlsplit(endpoint).netloc)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/v3/auth/tokens", json.dumps({"auth": auth}), headers)
    login = connection.getresponse()
    login.read()
    token = {"X-Auth-Token": login.headers["X-Subject-Token"]}
    connection.request("GET", f"/v2/{variables['MODELARTS_PROJECT_ID']}/{path}", headers=token)
    status = connection.getresponse().status
    connection.close()
    return status
"""


def test_calls_of_any_client_to_the_emulator_are_checked(project: pytest.Pytester) -> None:
    """The emulator of the test has recorded them; a call that httpx has recorded, too, counts once."""
    project.makepyfile(
        FOREIGN
        + """
@pytest.mark.modelarts_contract
def test_good(emulator, emulator_environment):
    assert ask(emulator.endpoint, "training-job-engines", emulator_environment) == 200

@pytest.mark.modelarts_contract
def test_broken(emulator, emulator_environment):
    emulator.faults.add(kind="html", status=500, count=1, after=1)
    assert ask(emulator.endpoint, "training-job-engines", emulator_environment) == 500

@pytest.mark.modelarts_contract
def test_once(emulator, modelarts):
    modelarts.v2.engines.show_training_job_engines()
    emulator.faults.add(kind="status", status=418, code="ModelArts.9999", count=1)
    with pytest.raises(Exception, match="9999"):
        modelarts.v2.flavors.show_training_job_flavors()
"""
    )

    result = run(project, "-rN")

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["GET *-engines -> 500: invalid response: the response is not JSON: *"])
    assert sum("-flavors -> 418" in line for line in result.outlines) == 1


def test_calls_of_any_client_through_a_proxy_are_checked(project: pytest.Pytester) -> None:
    project.makepyfile(
        FOREIGN
        + """
@pytest.mark.modelarts_contract
def test_broken(service, modelarts_proxy):
    service.faults.add(kind="html", status=500, count=1, after=1)
    assert ask(modelarts_proxy(service.endpoint), "training-job-engines", service.environment()) == 500
"""
    )

    result = run(project)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["GET *-engines -> 500: invalid response: the response is not JSON: *"])


def test_tests_of_unittest_are_checked(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nmodelarts_contract = true\n")
    project.makepyfile(
        """
        import unittest

        import httpx
        from modelarts_emulator.server import Emulator

        class TestCalls(unittest.TestCase):
            def test_broken(self):
                with Emulator(executor="simulated") as emulator:
                    emulator.faults.add(kind="html", status=500, count=1)
                    assert httpx.get(f"{emulator.endpoint}/v3").status_code == 500
        """
    )

    run(project).assert_outcomes(failed=1)
