"""What is sent again, what is not, and what a caller hears when no response comes."""

import asyncio
import gzip
import logging
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import nullcontext
from email.utils import formatdate
from pathlib import Path

import certifi
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelarts_toolkit.errors import ConfigError, ConnectionFailed, ToolkitError
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.http.retries import IDEMPOTENT, retry_for
from modelarts_toolkit.http.transport import DATE_ERROR_S, Network, named_proxy, tls_context

Step = int | type[httpx.TransportError]

CREATE = "/v2/p/training-jobs"


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that ends before it is complete."""

    def __iter__(self) -> Iterator[bytes]:
        yield b'{"half": '
        raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self:
            yield part


def network(steps: list[Step | httpx.Response]) -> Callable[[httpx.Request], httpx.Response]:
    def response(request: httpx.Request) -> httpx.Response:
        step = steps.pop(0)
        if isinstance(step, httpx.Response):
            return step
        if isinstance(step, int):
            return httpx.Response(step, headers={"Retry-After": "0"} if step == 429 else {})
        raise step("faulty", request=request)

    return response


@pytest.fixture(params=["sync", "async"])
def send(request: pytest.FixtureRequest) -> Callable[..., httpx.Response]:
    def over(
        steps: list[Step | httpx.Response], method: str = "GET", path: str = CREATE, host: str = "x.example.com"
    ) -> httpx.Response:
        inner = httpx.MockTransport(network(steps))
        arguments = Network(inner).arguments(f"https://{host}")
        question = httpx.Request(method, f"https://{host}{path}")
        question.extensions["retry"] = retry_for(question).copy_with(backoff_factor=0)  # the policy, without pauses
        if request.param == "sync":
            with httpx.Client(**arguments) as client:
                return client.send(question)

        async def run() -> httpx.Response:
            async with httpx.AsyncClient(**arguments) as client:
                return await client.send(question)

        return asyncio.run(run())

    return over


Send = Callable[..., httpx.Response]


@pytest.mark.parametrize("fault", [429, 502, 503, 504, httpx.ConnectError, httpx.ReadError, httpx.ReadTimeout])
@pytest.mark.parametrize(
    "call", [("GET", CREATE), ("POST", "/v2/p/training-job-searches"), ("POST", "/v3/auth/tokens")], ids=" ".join
)
def test_a_question_is_asked_again_after_a_passing_fault(send: Send, fault: Step, call: tuple[str, str]) -> None:
    """Also a POST that changes nothing, such as a search for jobs."""
    steps: list[Step | httpx.Response] = [fault, 200]

    assert send(steps, *call).status_code == 200
    assert not steps


def test_a_server_of_this_machine_is_tried_once_more_as_it_may_restart(send: Send) -> None:
    """But not after a second rejected connection."""
    failing: list[Step | httpx.Response] = [httpx.ConnectError, httpx.ConnectError, 200]

    assert send([httpx.ConnectError, 200], host="127.0.0.1").status_code == 200
    with pytest.raises(ConnectionFailed):
        send(failing, host="127.0.0.1")
    assert failing == [200]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_response_that_breaks_off_is_a_lost_response(send: Send, method: str) -> None:
    whole = httpx.Response(200, json={"whole": True})

    assert send([httpx.Response(200, stream=Broken()), whole], method).json() == {"whole": True}


@pytest.mark.parametrize(
    "fault", [502, 503, 504, httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.WriteError]
)
def test_a_creation_that_may_have_happened_is_not_sent_again(send: Send, fault: Step) -> None:
    """The caller hears of the status or of the lost response."""
    steps: list[Step | httpx.Response] = [fault, 200]

    with nullcontext() if isinstance(fault, int) else pytest.raises(ConnectionFailed):
        assert send(steps, "POST").status_code == fault
    assert steps == [200]


@pytest.mark.parametrize("fault", [429, httpx.ConnectError, httpx.ConnectTimeout])
def test_a_creation_that_never_began_is_sent_again(send: Send, fault: Step) -> None:
    assert send([fault, 200], "POST").status_code == 200


@pytest.mark.parametrize("fault", [502, 504, httpx.ReadError, httpx.ReadTimeout])
@pytest.mark.parametrize("status", [404, 400])
def test_what_is_gone_after_a_lost_response_to_a_deletion_was_deleted(send: Send, fault: Step, status: int) -> None:
    gone = httpx.Response(status, json={"error_code": "ModelArts.2775"}, headers={"X-Request-Id": "r"})

    done = send([fault, gone], "DELETE")

    assert (done.status_code, done.json(), done.headers["X-Request-Id"]) == (200, {"is_success": True}, "r")


@pytest.mark.parametrize(
    ("method", "steps", "status"),
    [
        ("DELETE", [404], 404),
        ("DELETE", [httpx.ConnectError, 404], 404),
        ("DELETE", [429, 404], 404),
        ("DELETE", [502, 403], 403),
        ("GET", [502, 404], 404),
    ],
)
def test_what_may_never_have_been_there_is_not_found(send: Send, method: str, steps: list[Step], status: int) -> None:
    assert send(list(steps), method).status_code == status


def encoded(encoding: str, content: bytes) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Encoding": encoding}, stream=httpx.ByteStream(content))


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_that_is_not_in_its_encoding_is_a_lost_response(send: Send, encoding: str) -> None:
    broken = [encoded(encoding, b'{"whole": true}') for _ in range(5)]

    assert send([broken[0], encoded("gzip", gzip.compress(b'{"whole": true}'))]).json() == {"whole": True}
    with pytest.raises(ConnectionFailed, match=rf"no response from .* \(the body is not {encoding}: .*try again"):
        send(list(broken))


def test_a_fault_that_does_not_pass_ends_the_tries(send: Send) -> None:
    steps: list[Step | httpx.Response] = [503] * 9

    assert send(steps).status_code == 503
    assert len(steps) == 9 - (IDEMPOTENT.total + 1)


def test_no_response_is_one_error_whatever_went_wrong_below(send: Send) -> None:
    """The fact and the remedy come first, the call last; the library's own error is not chained."""
    with pytest.raises(
        ConnectionFailed,
        match=r"^no response from https://x.example.com \(faulty\): is the service .* \(GET /v2/p/training-jobs\)$",
    ) as caught:
        send([httpx.ConnectError] * 5)

    assert isinstance(caught.value, ToolkitError)
    assert isinstance(caught.value, httpx.TransportError)
    assert caught.value.__cause__ is None
    assert isinstance(caught.value.__context__, httpx.ConnectError)
    assert caught.value.request.url.path == CREATE


def test_an_emulator_that_is_not_running_is_reported_at_once_with_the_command_that_starts_it(tmp_path: Path) -> None:
    """After one more try, and in a traceback of twelve lines at most."""
    settings = {"endpoint": "http://127.0.0.1:9", "project_id": "p", "username": "u", "password": "p"}
    script = tmp_path / "script.py"
    script.write_text(f"""
import time
from modelarts_toolkit import ModelArts
ma = ModelArts(iam_endpoint={settings["endpoint"]!r}, domain_name="d", **{settings!r})
time.sleep = lambda pause_s: print("pause", pause_s)
ma.v2.flavors.show_training_job_flavors()
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)

    lines = done.stderr.splitlines()
    assert len(done.stdout.splitlines()) <= 1, done.stdout
    assert len(lines) <= 12, done.stderr
    assert lines[-1].startswith(f"modelarts_toolkit.errors.ConnectionFailed: no response from {settings['endpoint']} (")
    assert "start the emulator with: modelarts emulator" in lines[-1]


@pytest.mark.parametrize(
    ("step", "reason"), [(503, "503 Service Unavailable"), (httpx.ReadError, "faulty")], ids=["status", "lost"]
)
def test_a_retry_is_logged_with_its_reason(
    send: Send, caplog: pytest.LogCaptureFixture, step: Step, reason: str
) -> None:
    caplog.set_level(logging.INFO, "modelarts_toolkit")
    send([step, step, step, 200], path=f"{CREATE}?secret=1")

    assert [
        (record.levelname, record.getMessage()) for record in caplog.records if record.name == "modelarts_toolkit"
    ] == [
        (level, f"GET https://x.example.com{CREATE}: {reason}; retry {number} of 4")
        for number, level in enumerate(["INFO", "INFO", "WARNING"], 1)
    ]


def test_a_proxy_is_used_as_the_environment_says_but_never_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")
    monkeypatch.setenv("http_proxy", "proxy.example.com:3128")
    monkeypatch.setenv("no_proxy", "inside.example.com")

    assert named_proxy("https://modelarts.example.com") == ("http://proxy.example.com:3128", "https_proxy")
    assert named_proxy("http://modelarts.example.com") == ("http://proxy.example.com:3128", "http_proxy")
    assert named_proxy("https://inside.example.com") is None
    assert named_proxy("http://127.0.0.1:9180") is None
    assert named_proxy("http://localhost:9180") is None
    assert named_proxy("http://[::1]:9180") is None
    # One that is configured goes before.
    assert named_proxy("https://modelarts.example.com", "other.example.com:3128") == (
        "http://other.example.com:3128",
        "proxy",
    )
    assert named_proxy("https://localhost:1", "other.example.com:3128") is None


def test_endpoints_behind_different_proxies_get_their_own_transports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example.com:3128")
    monkeypatch.setenv("no_proxy", "inside.example.com")
    network = Network()

    arguments = network.arguments("https://inside.example.com", "https://outside.example.com")

    assert set(arguments["mounts"]) == {"all://inside.example.com", "all://outside.example.com"}
    assert arguments["mounts"]["all://inside.example.com"] is arguments["transport"]
    assert arguments["mounts"]["all://outside.example.com"] is not arguments["transport"]


def test_a_ca_bundle_replaces_the_certificates_that_are_trusted(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    with pytest.raises(ConfigError, match=f"ca_bundle {bundle} cannot be used"):
        tls_context(is_https=True, ca_bundle=str(bundle))
    text = Path(certifi.where()).read_text()
    end = "-----END CERTIFICATE-----"
    bundle.write_text(text[text.index("-----BEGIN") : text.index(end)] + end)

    assert tls_context(is_https=True, ca_bundle=str(bundle)).cert_store_stats()["x509_ca"] == 1


@pytest.mark.parametrize(
    "date", [None, "", "yesterday", "Mon, 01 Jan 99999 00:00:00 GMT", "1 Dec 70 99999999999999:0:0 GMT"]
)
def test_a_date_that_is_none_does_not_change_the_time_of_the_service(date: str | None) -> None:
    dates = iter(["Fri, 01 Jan 2100 00:00:00 GMT", date])

    def response(_: httpx.Request) -> httpx.Response:
        given = next(dates)
        return httpx.Response(200, headers={} if given is None else {"Date": given})

    network = Network(httpx.MockTransport(response))
    with httpx.Client(**network.arguments("https://x.example.com")) as client:
        assert network.seconds_ahead == 0
        client.get("https://x.example.com/")
        client.get("https://x.example.com/")

    assert network.seconds_ahead > 10**9


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1))
def test_the_time_of_the_service_is_that_of_its_newest_response(ahead_s: list[int]) -> None:
    """Within what whole seconds and the way of a response leave open; our own clock, if the dates agree with it."""
    network = Network()
    for ahead in [0, *ahead_s]:
        network.listen(httpx.Response(200, headers={"Date": formatdate(time.time() + ahead, usegmt=True)}))
        assert -DATE_ERROR_S <= network.seconds_ahead - ahead <= DATE_ERROR_S, ahead
        assert network.seconds_ahead == 0 or ahead_s, ahead


def test_the_time_of_object_storage_is_not_that_of_the_service() -> None:
    """An emulator's clock can be moved, while signed addresses are checked by the real one."""
    network = Network(httpx.MockTransport(lambda _: httpx.Response(200, headers={"Date": formatdate(1, usegmt=True)})))
    network.arguments("https://x.example.com")
    with httpx.Client(transport=network.transport("https://storage.example.com")) as client:
        client.get("https://storage.example.com/")
        assert (network.date, network.seconds_ahead) == (None, 0)
        client.get("https://x.example.com/")

    assert network.date is not None


@pytest.mark.parametrize(("timeout_s", "is_shortened"), [(None, True), (100.0, True), (0.05, False)])
def test_no_wait_for_the_network_is_longer_than_the_rest_of_the_call(
    timeout_s: float | None, is_shortened: bool
) -> None:
    """A thread whose call has expired ends soon after it, and does not keep a connection for minutes."""
    seen: list[dict[str, float]] = []

    def response(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"])
        return httpx.Response(200)

    arguments = Network(httpx.MockTransport(response)).arguments("https://x.example.com")
    with httpx.Client(**arguments, timeout=timeout_s) as client:
        call_within(20, lambda: client.get("https://x.example.com/"))

    assert seen[0].keys() == {"connect", "read", "write", "pool"}
    limits_s = {*seen[0].values()}
    assert 0 < min(limits_s) <= max(limits_s) <= 20 if is_shortened else limits_s == {timeout_s}
