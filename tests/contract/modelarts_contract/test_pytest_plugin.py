"""The pytest plugin holds the exchanges of users' tests against the documents."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def project(kept_imports: object, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    for variable in ("CI", "BUILD_NUMBER"):  # with them, pytest prints each failure once more at its end
        monkeypatch.delenv(variable, raising=False)
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
            "the contract is broken: unknown parameter: query parameter colour is not documented *",
            "GET * -> 400: unknown parameter: query parameter colour is not documented (source: page *)",
            "the contract is broken: unknown operation: *",
            "GET * -> 404: unknown operation: no document has GET */training-job-engine",
            "the contract is broken: invalid response: * (and 1 more)",
            "GET * -> 500: invalid response: the response is not JSON: *",
        ]
    )


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


def test_calls_of_any_client_through_a_proxy_are_checked_once(project: pytest.Pytester) -> None:
    project.makepyfile(
        FOREIGN
        + """
@pytest.mark.modelarts_contract
def test_broken(service, modelarts_proxy):
    service.faults.add(kind="html", status=500, count=1, after=1)
    assert ask(modelarts_proxy(service.endpoint), "training-job-engines", service.environment()) == 500

@pytest.mark.modelarts_contract
def test_httpx(service, modelarts_proxy):
    service.faults.add(kind="html", status=500, count=1)
    import httpx
    assert httpx.get(modelarts_proxy(service.endpoint) + "/v3").status_code == 500
"""
    )

    result = run(project)

    result.assert_outcomes(failed=2)
    assert sum("-> 500: invalid response: the response is not JSON: " in line for line in result.outlines) == 2


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


MOCKED = """
import asyncio
import json

import httpx
import pytest
import requests

PATH = "/v2/0123456789abcdef0123456789abcdef/training-job-flavors"
URL = "https://modelarts.example.com" + PATH
BROKEN = {"flavors": "no"}


def respond(request):
    return httpx.Response(200, json=BROKEN)


class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    def handle_request(self, request):
        return respond(request)

    async def handle_async_request(self, request):
        return respond(request)


async def asgi(scope, receive, send):
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(BROKEN).encode()})


def wsgi(environ, start_response):
    start_response("200 OK", [("content-type", "application/json")])
    return [json.dumps(BROKEN).encode()]


class Adapter(requests.adapters.BaseAdapter):
    def send(self, request, **options):
        response = requests.Response()
        response.status_code, response.url, response.request = 200, request.url, request
        response.headers["content-type"], response._content = "application/json", json.dumps(BROKEN).encode()
        return response

    def close(self):
        pass


def ask(client, **options):
    with client:
        client.get(URL, **options)


async def ask_async(client):
    async with client:
        await client.get(URL)


def ask_requests(monkeypatch):
    session = requests.Session()
    session.mount("https://", Adapter())
    session.get(URL)


def ask_patched(monkeypatch):  # as pytest-httpx does
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: respond(request))
    httpx.get(URL)


WAYS = {
    "mock": lambda _: ask(httpx.Client(transport=httpx.MockTransport(respond))),
    "mount": lambda _: ask(httpx.Client(mounts={"https://": httpx.MockTransport(respond)})),
    "async mock": lambda _: asyncio.run(ask_async(httpx.AsyncClient(transport=httpx.MockTransport(respond)))),
    "own": lambda _: ask(httpx.Client(transport=Transport())),
    "async own": lambda _: asyncio.run(ask_async(httpx.AsyncClient(transport=Transport()))),
    "WSGI": lambda _: ask(httpx.Client(transport=httpx.WSGITransport(wsgi))),
    "ASGI": lambda _: asyncio.run(ask_async(httpx.AsyncClient(transport=httpx.ASGITransport(asgi)))),
    "requests": ask_requests,
    "patched": ask_patched,
}


@pytest.mark.modelarts_contract
@pytest.mark.parametrize("way", WAYS)
def test_seen(way, monkeypatch):
    WAYS[way](monkeypatch)
"""


def test_calls_that_a_mock_responds_to_are_checked(project: pytest.Pytester) -> None:
    """Whatever mocks httpx or requests: each test fails by its broken response, which its summary names."""
    project.makepyfile(test_m=MOCKED)

    result = run(project)

    result.assert_outcomes(failed=9)
    finding = 'invalid response: flavors: "no" is not of type "array"'
    assert sum(line.startswith("GET ") and line.endswith(finding) for line in result.outlines) == 9
    result.stdout.fnmatch_lines(["FAILED test_m.py::test_seen[[]mock] - Failed: the contract is broken: inv*"])


NOTHING_SEEN = """
import http.client
import httpx
import pytest

@pytest.mark.modelarts_contract
def test_other_client():
    with pytest.raises(OSError):
        http.client.HTTPConnection("127.0.0.1:9").request("GET", "/v2/p/training-jobs")

@pytest.mark.modelarts_contract
def test_wrong_path():
    transport = httpx.MockTransport(lambda request: httpx.Response(404))
    httpx.Client(transport=transport).get("https://modelarts.example.com/v2/p/training-jobz")

@pytest.mark.modelarts_contract(calls="optional")
def test_optional():
    pass

@pytest.mark.modelarts_contract
class TestAll:
    @pytest.mark.modelarts_contract(calls="optional", rejections="allowed")
    def test_inner(self):
        pass

    def test_outer(self):
        pass

def test_unmarked():
    pass
"""


@pytest.mark.parametrize("ini", ["", "modelarts_contract = true"])
def test_a_marked_test_without_calls_fails_and_the_configuration_alone_demands_none(
    project: pytest.Pytester, ini: str
) -> None:
    """The sentence says what the marker sees, and which hosts were called; `calls="optional"` allows it."""
    project.makeini(f"[pytest]\n{ini}\n")
    project.makepyfile(NOTHING_SEEN)

    result = run(project)

    result.assert_outcomes(passed=3, failed=3)
    assert sum(line.startswith("no call was checked: the marker") for line in result.outlines) == 2
    result.stdout.fnmatch_lines(
        ["no call was checked (calls were seen to modelarts.example.com, none of a documented operation): *proxy*"]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("rejections='alowed'", "rejections='alowed' is unknown: use rejections=\"allowed\""),
        ("rejection='allowed'", "rejection='allowed' is unknown: use rejections=\"allowed\""),
        ("call=0", 'call=0 is unknown: use calls="optional"'),
        ("x=0", "x=0 is unknown: use rejections or calls or lag_s or deletion_s"),
        ("'allowed'", "its arguments have names"),
        ("lag_s='soon'", "lag_s='soon' is not a number of seconds: lag_s or CONTRACT_LAG_S has to be one"),
        ("deletion_s=-1", "deletion_s=-1 is not a number of seconds*"),
    ],
)
def test_a_wrong_argument_of_the_marker_is_one_line(project: pytest.Pytester, arguments: str, message: str) -> None:
    """Before the test runs."""
    project.makepyfile(f"import pytest\n@pytest.mark.modelarts_contract({arguments})\ndef test_it():\n    print('ran')")

    result = run(project)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"modelarts_contract: {message}"])
    assert "ran" not in result.outlines


INDEPENDENT = """
import httpx
import pytest

@pytest.fixture
def api(service):
    return lambda path, endpoint=service.endpoint: httpx.get(endpoint + path)

@pytest.mark.modelarts_contract(rejections="allowed")
def test_good(api):
    api("/v3")

@pytest.mark.modelarts_contract(calls="optional")
def test_wrong_path_of_a_known_service(api, monkeypatch, service):
    monkeypatch.setenv("MODELARTS_ENDPOINT", service.endpoint)
    api("/v2/p/training-jobz")

@pytest.mark.modelarts_contract(calls="optional")
def test_wrong_path_before_a_documented_one(api):
    api("/v2/p/training-jobz")
    api("/v3")

@pytest.mark.modelarts_contract(calls="optional")
def test_unknown_service(api):
    api("/v2/p/training-jobz")

@pytest.mark.modelarts_contract(calls="optional")
def test_wrong_path_of_the_emulator(api, emulator):
    api("/v2/p/training-jobz", emulator.endpoint)
"""
NAMES = [line[4:].partition("(")[0] for line in INDEPENDENT.splitlines() if line.startswith("def test_")]


@pytest.mark.parametrize(
    "order", [NAMES, NAMES[::-1], [NAMES[0], NAMES[3]], NAMES[1:2], NAMES[2:3], NAMES[3:4], NAMES[4:]]
)
def test_a_verdict_is_that_of_the_test_alone(project: pytest.Pytester, order: list[str]) -> None:
    """In any order and selection: which hosts are services is decided by the test itself and by the settings."""
    file = project.makepyfile(INDEPENDENT)

    result = run(project, *(f"{file}::{name}" for name in order))

    failed = {NAMES[1], NAMES[2], NAMES[4]} & set(order)
    result.assert_outcomes(passed=len(order) - len(failed), failed=len(failed))
    assert sum("-> 404: unknown operation: " in line for line in result.outlines) == len(failed)


REJECTED_EARLY = """
import json
import urllib.error
import urllib.request
import httpx
import pytest

RIGHT = {"name": "x"}

def by_urllib(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="PUT")
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(request)

def by_httpx(url, body):
    assert httpx.put(url, json=body).status_code == 401

@pytest.mark.modelarts_contract
@pytest.mark.parametrize("send", [by_urllib, by_httpx])
@pytest.mark.parametrize("body", [{"description": "x"}, {"description": 5}, {"description": 5, "x": "x" * 99999}])
def test_body(emulator, send, body):
    project, id_ = emulator.identity.project_id, "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"
    send(f"{emulator.endpoint}/v2/{project}/training-jobs/{id_}", body)
"""


def test_the_verdict_of_a_request_that_is_rejected_early_is_the_same_for_all_clients(project: pytest.Pytester) -> None:
    """The emulator reads its body for the record; of a body that is too long for it, only httpx knows the whole."""
    project.makepyfile(REJECTED_EARLY)

    result = run(project, "-v")

    result.assert_outcomes(passed=3, failed=3)
    assert sum("description: 5 is not of type" in line and " -> 401: " in line for line in result.outlines) == 3
    assert not any("has no body" in line for line in result.outlines)


LATE = """
import json
import os
import httpx
import pytest

ROOT = "https://modelarts.example.com/v1/0123456789abcdef0123456789abcdef/training-job-configs"
import modelarts_openapi
OPERATION = modelarts_openapi.load("v1")["paths"]["/v1/{project_id}/training-job-configs/{config_name}"]["get"]
EXAMPLES = OPERATION["responses"]["200"]["content"]["application/json"]["examples"]
SHOWN = next(iter(EXAMPLES.values()))["value"]

def respond(request):
    return httpx.Response(200, json=SHOWN if request.method == "GET" else {"is_success": True})

def delete_and_show():
    client = httpx.Client(transport=httpx.MockTransport(respond))
    client.delete(ROOT + "/config123")
    client.get(ROOT + "/config123")

@pytest.mark.modelarts_contract
def test_default():
    delete_and_show()

@pytest.mark.modelarts_contract(deletion_s=0)
def test_lists_may_lag():
    delete_and_show()

@pytest.mark.modelarts_contract(lag_s=0, deletion_s=0)
def test_never_late():
    delete_and_show()

@pytest.mark.modelarts_contract
def test_variables(monkeypatch):
    monkeypatch.setenv("CONTRACT_LAG_S", "0")
    monkeypatch.setenv("CONTRACT_DELETION_S", "0")
    delete_and_show()

@pytest.mark.modelarts_contract
def test_emulator(monkeypatch):
    monkeypatch.setenv("EMULATED", "https://modelarts.example.com")
    delete_and_show()
"""


def test_how_late_a_service_may_be_is_set_and_an_emulator_is_never_late(project: pytest.Pytester) -> None:
    """By the marker or the variables: what was deleted may be shown for a minute by default."""
    project.makeconftest(
        "import os\ndef pytest_modelarts_emulators(item):\n    return [os.environ.get('EMULATED', '')]\n"
    )
    project.makepyfile(LATE)

    result = run(project)

    result.assert_outcomes(passed=2, failed=3)
    assert sum("deleted: " in line and "GET " in line for line in result.outlines) == 3
