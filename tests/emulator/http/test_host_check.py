"""What web pages, also those whose host name resolves to 127.0.0.1, and requests for other hosts get."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import httpx
import pytest
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from modelarts_emulator.http.host_check import HostCheck, json_rejection
from modelarts_emulator.s3.sigv4 import presigned_url
from modelarts_emulator.server import Emulator, EmulatorError

EVIL = "evil.example"
DELETION = b"<Delete><Object><Key>kept</Key></Object></Delete>"


def pages(port: int | None) -> Iterator[tuple[int, dict[str, str]]]:
    """Headers of requests that a web page can cause, and the status that each gets."""
    own = f"127.0.0.1:{port}"
    for origin in (f"http://{EVIL}:{port}", f"http://{own}", "https://example.com", "null", ""):
        yield 421, {"Host": f"{EVIL}:{port}", "Origin": origin}
        yield 403, {"Host": own, "Origin": origin}
    for host in (f"{EVIL}:{port}", EVIL, "", "127.0.0.1", f"127.0.0.1:{(port or 0) - 1}", f"127.0.0.1.{EVIL}:{port}"):
        yield 421, {"Host": host}


@pytest.mark.parametrize("variant", range(16))
def test_no_page_and_no_foreign_host_is_served(api: Any, variant: int) -> None:
    """Each form of Host and Origin that is not a local client's is rejected, although the token is right."""
    status, headers = list(pages(urlsplit(api.emulator.endpoint).port))[variant]
    response = api.call("GET", "/training-job-flavors", headers=headers)

    assert (response.status_code, list(response.json())) == (status, ["error_msg", "error_solution"])


def test_no_operation_serves_a_web_page(api: Any, operations: list[tuple[str, str]]) -> None:
    """Every operation rejects a page whose host name was rebound, and a page of the emulator's own address."""
    port = urlsplit(api.emulator.endpoint).port
    for method, path in [*operations, ("OPTIONS", "/v3/auth/tokens"), ("GET", "/nowhere")]:
        for status, headers in itertools.islice(pages(port), 2):
            response = api.http.request(method, path.replace("{project_id}", api.identity.project_id), headers=headers)
            assert response.status_code == status
            assert not [name for name in response.headers if name.startswith("access-control-")]

    assert len(operations) > 35


def test_a_page_whose_host_name_was_rebound_cannot_log_in_and_run_a_job(api: Any) -> None:
    """The steps of DNS rebinding end at the first: no token, no job."""
    port = urlsplit(api.emulator.endpoint).port
    page = {"Host": f"{EVIL}:{port}", "Origin": f"http://{EVIL}:{port}"}
    before = api.call("POST", "/training-job-searches", json={}).json()["total"]
    api.http.headers.update(page)
    login = api.log_in()
    job = api.call("POST", "/training-jobs", json=api.job_body())
    for name in page:
        del api.http.headers[name]

    assert (login.status_code, job.status_code) == (421, 421)
    assert "X-Subject-Token" not in login.headers
    assert api.call("POST", "/training-job-searches", json={}).json()["total"] == before


def test_the_message_says_which_host_was_asked_and_where_the_emulator_is(api: Any) -> None:
    """Whoever reaches the emulator under another name learns what to do."""
    response = api.http.get("/v3", headers={"Host": "workstation:9180"}).json()

    assert response["error_msg"] == "The request is for the host 'workstation:9180', which is not the emulator."
    assert api.emulator.endpoint in response["error_solution"]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_the_names_of_the_loopback_address_are_served(api: Any, name: str) -> None:
    """Both ports are reached under each name, in either case of letters."""
    for endpoint, status in ((f"{api.emulator.endpoint}/v3", 200), (api.emulator.obs_endpoint, 403)):
        response = httpx.get(endpoint, headers={"Host": f"{name}:{urlsplit(endpoint).port}"})
        assert response.status_code == status
        assert "is not the emulator" not in response.text


def is_served(host: bytes, port: int, *options: Any) -> bool:
    """Whether a check with these options lets a request for the host pass."""

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "served"})

    sent = []

    async def send(message: Any) -> None:
        sent.append(message["type"])

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", host)]}
    asyncio.run(HostCheck(app, port, json_rejection, *options)(scope, None, send))  # type: ignore[arg-type]
    return sent == ["served"]


@pytest.mark.parametrize(
    ("port", "host", "expected"),
    [
        (80, b"127.0.0.1", True),
        (80, b"127.0.0.1:80", True),
        (80, b"127.0.0.1:", False),
        (80, b"127.0.0.1:8080", False),
        (8080, b"127.0.0.1", False),
    ],
)
def test_the_port_of_http_need_not_be_named(port: int, host: bytes, expected: bool) -> None:
    """As URLs leave it out, so do clients in the header."""
    assert is_served(host, port) is expected


@pytest.mark.parametrize(
    ("listening_on", "host", "expected"),
    [
        ("192.0.2.1", b"192.0.2.1:9180", True),
        ("192.0.2.1", b"192.0.2.2:9180", False),
        ("192.0.2.1", b"192.0.2.1:9181", False),
        ("2001:db8::1", b"[2001:DB8::1]:9180", True),
        ("0.0.0.0", b"0.0.0.0:9180", False),
        ("0.0.0.0", b"192.0.2.1:9180", False),
        ("::", b"[::1]:9180", True),
        ("192.0.2.1", b"localhost:9180", True),
    ],
)
def test_the_address_that_is_listened_on_is_allowed(listening_on: str, host: bytes, expected: bool) -> None:
    """All addresses of a machine are not allowed by their numbers, but those of the loopback device are."""
    assert is_served(host, 9180, listening_on) is expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (b"modelarts", True),
        (b"ModelArts:8080", True),
        (b"build-1.example:8080", True),
        (b"Build-1.example:8080", True),
        (b"build-1.example:8081", False),
        (b"build-1.example", False),
        (b"sub.modelarts:8080", False),
        (b"modelarts.evil.example:8080", False),
        (b"modelarts:8080@evil.example", False),
        (b"modelarts:", False),
        (b"modelarts:8080:8080", False),
        (b"127.0.0.1:9180", True),
        (b"127.0.0.1:8080", False),
    ],
)
def test_other_names_can_be_allowed_with_any_port_or_with_one(host: bytes, expected: bool) -> None:
    """Allowed names are compared as a whole, in either case of letters."""
    assert is_served(host, 9180, "0.0.0.0", ("ModelArts", "build-1.example:8080")) is expected


@pytest.mark.parametrize("name", ["", "*", "http://modelarts", "modelarts:", "modelarts:port", "a b", "modelarts/"])
def test_what_cannot_be_in_a_host_header_cannot_be_allowed(name: str) -> None:
    """A mistake in the option is found when the emulator starts."""
    with pytest.raises(EmulatorError, match="is not the name of a host: allow NAME, with any port, or NAME:PORT"):
        Emulator(allowed_hosts=[name])


def code(response: httpx.Response) -> str | None:
    return ElementTree.fromstring(response.content).findtext("Code")


def signed(api: Any, method: str, path: str) -> str:
    """A URL that lets whoever has it make this request of the object store."""
    request = AWSRequest(method, f"{api.emulator.obs_endpoint}/{api.bucket}{path}")
    keys = Credentials(api.identity.access_key, api.identity.secret_key)
    S3SigV4QueryAuth(keys, "s3", "local", 60).add_auth(request)
    return str(request.url)


def test_a_page_cannot_use_links_into_the_object_store(api: Any) -> None:
    """Signed URLs of every kind of request serve a client, and no page: nothing is read, written or deleted."""
    api.store.put(api.bucket, "kept", b"content")
    kinds = [(method, "/kept") for method in ("GET", "HEAD", "PUT", "DELETE")]
    kinds += [("POST", "?delete"), ("POST", "/kept?uploads"), ("GET", ""), ("DELETE", "")]
    port = urlsplit(api.emulator.obs_endpoint).port
    with httpx.Client() as client:
        for method, path in kinds:
            for status, headers in itertools.islice(pages(port), 4):
                page = {**headers, "Content-Type": "text/plain"}
                content = DELETION if method == "POST" else None
                response = client.request(method, signed(api, method, path), headers=page, content=content)
                assert response.status_code == status
                assert method == "HEAD" or code(response) == "AccessDenied"
            assert api.store.read(api.bucket, "kept") == b"content"
        served = client.post(signed(api, "POST", "?delete"), content=DELETION)

    assert served.status_code == 200
    assert "<Deleted>" in served.text


def test_a_link_that_was_signed_for_another_host_is_rejected(api: Any) -> None:
    """Even a right signature does not make a foreign host the emulator's own."""
    api.store.put(api.bucket, "kept", b"content")
    address = urlsplit(api.emulator.obs_endpoint)
    evil = f"http://{EVIL}:{address.port}"
    link = presigned_url(evil, api.bucket, "kept", api.identity.access_key, api.identity.secret_key, 60)

    response = httpx.get(link.replace(evil, api.emulator.obs_endpoint), headers={"Host": f"{EVIL}:{address.port}"})

    assert (response.status_code, code(response)) == (421, "AccessDenied")


def test_a_page_does_not_use_up_a_fault(api: Any) -> None:
    """Requests are rejected before anything else happens to them."""
    for document in ("iam", "obs"):
        api.emulator.faults.add(kind="status", status=503, code="Some", document=document)
    try:
        responses = [
            httpx.get(f"{api.emulator.endpoint}/v3", headers={"Origin": "null"}),
            httpx.get(api.emulator.obs_endpoint, headers={"Host": EVIL}),
        ]
        calls = [fault["calls"] for fault in api.emulator.faults.list()]
    finally:
        api.emulator.faults.clear()

    assert [response.status_code for response in responses] == [403, 421]
    assert calls == [0, 0]


def test_objects_are_what_their_type_says(api: Any) -> None:
    """A browser must not take an object for a page that its writer did not declare as one."""
    api.store.put(api.bucket, "page.html", b"<script>alert(1)</script>")

    response = httpx.get(signed(api, "GET", "/page.html"))

    assert (response.status_code, response.headers["x-content-type-options"]) == (200, "nosniff")
