"""The two clients: what they need, what they share, and what they do not show."""

import threading
from typing import Any

import httpx
import pytest
from tests.local_servers import LocalHandler, serving
from tests.overlays.conftest import ENDPOINT, JOB, PASSWORD, PROJECT, Call, Service, Twin

from modelarts_toolkit import AsyncModelArts, ModelArts
from modelarts_toolkit.errors import ConfigError, ServiceFailure
from modelarts_toolkit.settings.config import Settings


def document(phase: str) -> dict[str, Any]:
    return {"metadata": {"id": JOB, "name": "digits"}, "status": {"phase": phase, "tasks": ["worker-0"]}}


def training(request: httpx.Request) -> httpx.Response:
    """A service whose jobs are done as soon as they are created."""
    if request.url.path == "/v3/projects":
        projects = [{"id": PROJECT, "name": "region"}, {"id": "x", "name": "region_2"}, {"id": "y", "name": "twin"}]
        return httpx.Response(200, json={"projects": [*projects, {"id": "z", "name": "twin"}]})
    return httpx.Response(200, json=document("Completed"))


@pytest.fixture
def service() -> Service:
    service = Service()
    service.responses = training
    return service


def test_the_project_id_is_found_by_its_name(do: Call, service: Service) -> None:
    do(lambda ma: ma.v2.training_jobs.show_training_job_details(JOB), project_id=None)

    paths = [request.url.path for request in service.requests]
    assert paths == ["/v3/auth/tokens", "/v3/projects", f"/v2/{PROJECT}/training-jobs/{JOB}"]
    assert service.requests[1].url.params["name"] == "region"


@pytest.mark.parametrize(("name", "found"), [("nowhere", "no project"), ("twin", "2 projects")])
def test_a_project_name_that_is_not_one_project_is_a_config_error(do: Call, name: str, found: str) -> None:
    with pytest.raises(ConfigError, match=f'{found} named "{name}"'):
        do(lambda ma: ma.jobs.get(JOB), project_id=None, project_name=name)


@pytest.mark.parametrize("kind", [ModelArts, AsyncModelArts])
def test_attributes_send_nothing(kind: Any, service: Service, settings: Settings) -> None:
    """Completion and debuggers look at them, also where the password is wrong and the project's id is not known."""
    settings |= {"project_id": None, "password": "wrong pony", "obs_endpoint": "http://127.0.0.1:1"}
    settings |= {"access_key": "a", "secret_key": "s"}
    ma = kind(**settings, transport=httpx.MockTransport(service))

    for name in dir(ma):
        hasattr(ma, name)
    for name in dir(ma.v2):
        hasattr(ma.v2, name)

    assert service.requests == []


def test_many_first_calls_look_the_project_up_once(twin: Twin, service: Service, settings: Settings) -> None:
    settings["project_id"] = None
    results = twin.at_once(
        lambda ma: ma.v2.training_jobs.show_training_job_details(JOB),
        8,
        **settings,
        transport=twin.transport(service),
    )

    assert not [result for result in results if isinstance(result, Exception)]
    assert (service.logins, service.calls("/v3/projects"), service.calls(JOB)) == (1, 1, 8)


def test_a_lookup_that_failed_is_tried_again_by_the_next_call(service: Service, settings: Settings) -> None:
    settings["project_id"] = None
    fails = [True]

    def flaky(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v3/projects" and fails.pop() if fails else False:
            return httpx.Response(500)
        return service(request)

    with ModelArts(**settings, transport=httpx.MockTransport(flaky)) as ma:
        with pytest.raises(ServiceFailure):
            ma.v2.training_jobs.show_training_job_details(JOB)
        assert ma.v2.training_jobs.show_training_job_details(JOB).to_dict() == document("Completed")


@pytest.mark.parametrize("kind", [ModelArts, AsyncModelArts])
def test_without_settings_nothing_is_sent_and_the_error_names_both_ways_to_go_on(kind: Any) -> None:
    with pytest.raises(ConfigError, match=r"modelarts emulator start(.|\n)*modelarts config init"):
        kind()


def test_with_a_login_of_ones_own_only_the_endpoint_and_the_project_are_needed(service: Service) -> None:
    class Ready(httpx.Auth):
        def auth_flow(self, request: httpx.Request) -> Any:
            request.headers["X-Auth-Token"] = "mine"
            yield request

    service.valid.add("mine")

    with ModelArts(endpoint=ENDPOINT, project_id=PROJECT, auth=Ready(), transport=httpx.MockTransport(service)) as ma:
        assert ma.jobs.get(JOB).details.to_dict() == document("Completed")
        with pytest.raises(ConfigError, match="iam_endpoint"):
            _ = ma.iam

    assert service.logins == 0


def test_endpoint_and_project_show_and_secrets_do_not(service: Service, settings: Settings) -> None:
    settings |= {"obs_endpoint": "http://127.0.0.1:1", "access_key": "AKIA1", "secret_key": "SECRET1"}

    with ModelArts(**settings, transport=httpx.MockTransport(service)) as ma:
        ma.jobs.get(JOB)
        shown = repr(ma) + repr(ma.config) + repr(vars(ma)) + repr(ma.v2.client) + repr(ma.obs)

    assert f"ModelArts(endpoint='{ENDPOINT}', project='{PROJECT}')" in shown
    assert [secret for secret in (PASSWORD, "AKIA1", "SECRET1", "token-1") if secret in shown] == []


@pytest.mark.parametrize(("timeout", "limit_s"), [(None, 7.5), (20.0, 20.0)])
def test_timeouts_and_retries_are_settings(
    service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch, timeout: float | None, limit_s: float
) -> None:
    """`retries=0` sends a request once; `timeout` of the client goes before the setting."""
    monkeypatch.setenv("MODELARTS_TIMEOUT_S", "7.5")
    attempts: list[httpx.Request] = []

    def unavailable(request: httpx.Request) -> httpx.Response:
        attempts.append(request)
        return httpx.Response(503)

    service.responses = unavailable
    settings |= {"retries": 0}
    transport = httpx.MockTransport(service)
    with ModelArts(**settings, timeout=timeout, transport=transport) as ma, pytest.raises(ServiceFailure):
        ma.v2.training_jobs.show_training_job_details(JOB)

    (attempt,) = attempts
    limits = attempt.extensions["timeout"]
    assert (limits["read"], limits["connect"]) == (limit_s, limit_s)


def test_closing_closes_every_connection(twin: Twin, settings: Settings) -> None:
    """Counted at the server, which sees its connections end."""
    ended = threading.Semaphore(0)

    class Server(LocalHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.content()
            self.respond(201, b'{"token": {}}' if "tokens" in self.path else b"{}", {"X-Subject-Token": "t"})

        do_GET = do_POST

        def finish(self) -> None:
            super().finish()
            ended.release()

    with serving(Server) as url:
        settings |= {"endpoint": url, "iam_endpoint": url.replace("127.0.0.1", "localhost")}
        twin.do(lambda ma: ma.v2.flavors.show_training_job_flavors(), **settings)
        assert [ended.acquire(timeout=300) for _ in range(2)] == [True, True]
        with ModelArts(**settings) as ma:
            ma.v2.flavors.show_training_job_flavors()
        with pytest.raises(RuntimeError, match="closed"):
            ma.v2.flavors.show_training_job_flavors()
