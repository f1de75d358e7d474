"""Recordings: complete, and without secrets, ids and names before they reach the disk."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_retries import Retry, RetryTransport
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from modelarts_contract import har
from modelarts_contract.exchange import Exchange
from modelarts_contract.proxy import serving
from modelarts_contract.recording import Recording, keeping, recorded
from modelarts_contract.redaction import Redaction
from modelarts_emulator.server import Emulator

ID = "425b7087-83de-49ed-9e40-5bb642be956f"
PROJECT = "6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34"


def exchange(**changes: Any) -> Exchange:
    values: dict[str, Any] = {
        "method": "POST",
        "url": f"https://user:pa55word@iam.example.com/v3/auth/tokens?id={ID}&X-Amz-Signature=S1gnature&AccessKeyId=AKIDEXAMPLE",
        "status": 201,
        "request_headers": {"x-auth-token": "Tok3n-of-ann", "accept": "application/json"},
        "request_body": json.dumps(
            {
                "auth": {
                    "identity": {
                        "password": {
                            "user": {"name": "ann", "password": "pa55word", "domain": {"name": "OTC000000001000"}}
                        }
                    }
                }
            }
        ).encode(),
        "response_headers": {"x-subject-token": "Tok3n-of-ann"},
        "response_body": json.dumps(
            {
                "id": ID,
                "project": {"id": PROJECT, "name": "eu-de_board"},
                "content": "epoch 1 pa55word",
                "link": "https://obs/x?Signature=S1gnature",
            }
        ).encode(),
    }
    return Exchange(**{**values, **changes})


def test_an_id_has_one_replacement_in_a_recording_and_another_in_the_next() -> None:
    """Of the same form, so that responses still fit to requests and to the documents."""
    redact = Redaction()
    first = redact(exchange())
    second = redact(exchange(url=f"https://modelarts.example.com/v2/{PROJECT}/training-jobs/{ID.upper()}"))

    replaced = json.loads(first.response_body)["id"]
    assert replaced != ID
    assert second.url.lower().endswith(f"/training-jobs/{replaced}")
    assert json.loads(first.response_body)["project"]["id"] in second.url
    assert replaced != json.loads(Redaction()(exchange()).response_body)["id"]


def test_paths_of_objects_variables_and_names_in_addresses_do_not_reach_the_file() -> None:
    """By their fields, by URLs, and by the host that a bucket has; extensions of files stay."""
    body = {
        "metadata": {"name": "board-report"},
        "algorithm": {
            "code_dir": "/acme-bucket/board/",
            "boot_file": "/acme-bucket/board/train.py",
            "environments": {"WANDB_KEY": "w4ndb"},
            "engine": {"image_url": "acme/board:v1"},
            "parameters": [{"name": "api_key", "value": "k3y"}, {"name": "lr", "value": "0.1"}],
        },
        "filters": [{"key": "name", "operator": "like", "value": ["board-report"]}],
        "log": "see https://acme-bucket.obs.eu-de.otc.t-systems.com/board/a.log and obs://acme-bucket/board/",
        "credential": {"access": "AKIDEXAMPLE"},
    }
    url = f"https://modelarts.example.com/v1/{PROJECT}/training-job-configs/board-report?search_content=board-report"
    redact = Redaction()

    found = redact(exchange(url=url, method="GET", request_body=json.dumps(body).encode()))

    text = f"{found.url} {found.request_body.decode()}"
    assert [name for name in ("acme", "board", "w4ndb", "k3y", "AKIDEXAMPLE") if name in text] == []
    kept = json.loads(found.request_body)
    algorithm = kept["algorithm"]
    assert algorithm["boot_file"].startswith(algorithm["code_dir"])
    assert algorithm["boot_file"].endswith(".py")
    assert algorithm["parameters"][1]["value"] == "0.1"
    assert found.url.count(kept["metadata"]["name"]) == 2
    assert kept["filters"][0]["value"] == [kept["metadata"]["name"]]


@pytest.mark.parametrize("job", ["zebra-report", "board-report", "train"])
def test_names_that_a_service_quotes_in_errors_and_links_do_not_reach_the_file(job: str) -> None:
    """Names of the request in the texts of errors, and buckets and keys in links to objects of either form.

    A name is replaced also if it consists of words that the documents publish.
    """
    request = json.dumps({"metadata": {"name": job}, "code_dir": "/acme-bucket/"}).encode()
    rejection = {"error_msg": f"The job {job} exists; see bucket acme-bucket.", "error_code": "ModelArts.2751"}
    links = [
        {"obs_url": f"https://{host}/{path}log.txt?AccessKeyId=AKIDEXAMPLE&Signature=S1gnature"}
        for host, path in (("acme-bucket.obs.eu-de.example.com", ""), ("obs.eu-de.example.com", "acme-bucket/zebra/"))
    ]

    redact = Redaction()
    found = redact(exchange(request_body=request, response_body=json.dumps([rejection, *links]).encode()))

    text = found.response_body.decode()
    assert [name for name in ("acme", "zebra", job, "AKIDEXAMPLE", "S1gnature") if name in text] == []
    name = json.loads(found.request_body)["metadata"]["name"]
    assert f"The job {name} exists" in text
    assert text.count("https://name-") == 2


def test_threads_record_at_once(tmp_path: Path) -> None:
    """No exchange is lost, also while the file is begun."""
    recording = Recording(tmp_path / "session.har")
    barrier = threading.Barrier(8)

    def keep(_: int) -> None:
        barrier.wait()
        for _ in range(5):
            recording.keep(exchange())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(keep, range(8)))

    assert len(list(har.read(recording.file))) == recording.count == 40


def test_what_is_written_is_read_as_it_was(tmp_path: Path) -> None:
    """Bodies of bytes and texts, headers, times and durations."""
    kept = [exchange(url="https://h/p?a=1&b="), exchange(request_body=b"\xff\x00", response_body=b"", duration_s=1.25)]
    kept += [exchange(status=0)]
    har.write(tmp_path / "s.har", kept)
    har.append(tmp_path / "s.har", last := exchange())

    assert list(har.read(tmp_path / "s.har")) == [*kept, last]
    assert json.loads((tmp_path / "s.har").read_text())["log"]["version"] == "1.2"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hello", "line 1, column 1"),
        (b"\xff\xfe\x00", "it is neither UTF-8 nor UTF-16"),
        (b"\x1f\x8bhello", "is not a HAR file: "),
        ("[" * 100_000, "is not a HAR file: "),
        ("9" * 5000, "is not a HAR file: "),
        ("[]", "it has no log.entries"),
        ('{"log": {"entries": 5}}', "it has no log.entries"),
    ],
)
def test_another_file_is_rejected_with_the_reason(tmp_path: Path, content: str | bytes, message: str) -> None:
    file = tmp_path / "s.har"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(har.HarError, match=message):
        list(har.read(file))


async def sent_async(transport: httpx.AsyncBaseTransport, url: str) -> None:
    async with httpx.AsyncClient(transport=transport) as client:
        await client.get(url)


def sent_as(way: str, transport: httpx.MockTransport, url: str) -> None:
    """Send a request that the mock responds to: in one go, as a stream, through a transport that retries, and so on."""
    around = RetryTransport(transport, retry=Retry(total=3, backoff_factor=0)) if way == "retry" else transport
    with httpx.Client(transport=around) as client:
        if way == "async":
            asyncio.run(sent_async(transport, url))
        elif "stream" in way:
            with client.stream("GET", url) as response:
                if way == "stream":
                    response.read()
        else:
            client.get(url)


@given(st.lists(st.tuples(st.sampled_from(["plain", "async", "stream", "half a stream", "retry"]), st.booleans())))
@settings(max_examples=40, deadline=None)
def test_every_exchange_is_kept_once(calls: list[tuple[str, bool]]) -> None:
    """However equal they are and however they are sent: as many are kept as the service has served, in their order."""
    served: list[tuple[str, int, bool]] = []

    def respond(request: httpx.Request, *, is_stream: bool) -> httpx.Response:
        status = 503 if request.url.path == "/retry" and len(served) % 2 else 200
        served.append((url := str(request.url).replace("%20", " "), status, "half" not in url))
        return httpx.Response(status, content=iter([b"{", b"}"]) if is_stream else b"{}")

    kept: list[Exchange] = []
    with recorded(kept.append):
        for way, is_stream in calls:
            is_stream = "stream" in way or (is_stream and way == "plain")
            sent_as(way, httpx.MockTransport(partial(respond, is_stream=is_stream)), f"https://h/{way}")
    before = list(served)
    sent_as("plain", httpx.MockTransport(partial(respond, is_stream=False)), "https://h/after")

    assert [(each.url.replace("%20", " "), each.status, each.has_body) for each in kept] == before
    assert {each.response_body for each in kept if each.has_body} <= {b"{}"}


def test_what_an_application_behind_a_transport_calls_is_kept_beside_its_own_exchange() -> None:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await sent_async(httpx.MockTransport(lambda _: httpx.Response(204)), "https://h/inner")
        await Response(b"{}")(scope, receive, send)

    kept: list[Exchange] = []
    with recorded(kept.append):
        asyncio.run(sent_async(httpx.ASGITransport(application), "https://h/outer"))

    assert [(each.url, each.status) for each in kept] == [("https://h/inner", 204), ("https://h/outer", 200)]


def test_a_call_that_cannot_be_recorded_is_an_error_that_says_so(emulator: Emulator) -> None:
    def full(_: Exchange) -> None:
        raise OSError(28, "No space left on device")

    with serving(emulator.endpoint, keeping(emulator.endpoint, full)) as address:
        response = httpx.get(f"{address}/v3")

    assert response.status_code == 502
    assert response.json()["error_msg"] == "not recorded: [Errno 28] No space left on device"


def test_a_proxy_records_clients_that_know_nothing_of_it(emulator: Emulator) -> None:
    """Requests and responses pass unchanged; a service that does not respond is a 502 and not an exchange."""
    kept: list[Exchange] = []

    with serving(emulator.endpoint, keeping(emulator.endpoint, kept.append)) as address:
        response = httpx.get(f"{address}/v3")
    with serving("http://127.0.0.1:9", keeping("http://127.0.0.1:9", kept.append)) as address:
        broken = httpx.get(address)

    assert response.status_code == 200
    assert [(entry.method, entry.url, entry.status) for entry in kept] == [("GET", f"{emulator.endpoint}/v3", 200)]
    assert json.loads(kept[0].response_body) == response.json()
    assert (broken.status_code, broken.json()["error_msg"]) == (
        502,
        "no response from http://127.0.0.1:9: ConnectError",
    )
