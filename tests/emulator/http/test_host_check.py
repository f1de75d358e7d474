"""What web pages, also those whose host name resolves to 127.0.0.1, and requests for other hosts get."""

from __future__ import annotations

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


def test_no_page_and_no_foreign_host_is_served(api: Any, operations: list[tuple[str, str]]) -> None:
    """Although the token is right: every form of Host and Origin that is not a local client's, by every operation."""
    port = urlsplit(api.emulator.endpoint).port
    for status, headers in pages(port):
        response = api.call("GET", "/training-job-flavors", headers=headers)
        assert (response.status_code, list(response.json())) == (status, ["error_msg", "error_solution"]), headers
    for method, path in [*operations, ("OPTIONS", "/v3/auth/tokens"), ("GET", "/nowhere")]:
        for status, headers in itertools.islice(pages(port), 2):
            response = api.http.request(method, path.replace("{project_id}", api.identity.project_id), headers=headers)
            assert response.status_code == status, (method, headers)
            assert not [name for name in response.headers if name.startswith("access-control-")], (method, headers)

    assert len(operations) > 35


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_the_names_of_the_loopback_address_are_served(api: Any, name: str) -> None:
    """Both ports are reached under each name, in either case of letters."""
    for endpoint, status in ((f"{api.emulator.endpoint}/v3", 200), (api.emulator.obs_endpoint, 403)):
        response = httpx.get(endpoint, headers={"Host": f"{name}:{urlsplit(endpoint).port}"})
        assert response.status_code == status, endpoint
        assert "is not the emulator" not in response.text, endpoint


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_other_names_can_be_allowed_with_any_port_or_with_one(host: str) -> None:
    """Allowed names are compared as a whole, in either case of letters."""
    names = ["ModelArts", "build-1.example:8080"]
    with Emulator(executor="simulated", host=host, allowed_hosts=names) as emulator:
        port = urlsplit(emulator.endpoint).port

        def is_served(name: str) -> bool:
            return httpx.get(f"{emulator.endpoint}/v3", headers={"Host": name}).status_code == 200

        right = {"modelarts", "ModelArts:8080", "Build-1.example:8080", f"127.0.0.1:{port}", f"localhost:{port}"}
        wrong = {"build-1.example:8081", "build-1.example", "sub.modelarts:8080", "modelarts.evil.example:8080"}
        wrong |= {"modelarts:8080@evil.example", "modelarts:", "modelarts:8080:8080", "127.0.0.1", f"0.0.0.0:{port}"}
        assert {name for name in right | wrong if is_served(name)} == right


def test_what_cannot_be_in_a_host_header_cannot_be_allowed() -> None:
    """A mistake in the option is found when the emulator starts."""
    for name in ("", "*", "http://modelarts", "modelarts:", "modelarts:port", "a b", "modelarts/"):
        with pytest.raises(EmulatorError, match="is not the name of a host: allow NAME, with any port, or NAME:PORT"):
            Emulator(allowed_hosts=[name])


def code(response: httpx.Response) -> str | None:
    return ElementTree.fromstring(response.content).findtext("Code")


def signed(api: Any, method: str, path: str, endpoint: str = "") -> str:
    """A URL that lets whoever has it make this request of the object store."""
    request = AWSRequest(method, f"{endpoint or api.emulator.obs_endpoint}/{api.bucket}{path}")
    keys = Credentials(api.identity.access_key, api.identity.secret_key)
    S3SigV4QueryAuth(keys, "s3", "local", 60).add_auth(request)
    return str(request.url)


def test_a_page_cannot_use_links_into_the_object_store(api: Any) -> None:
    """Signed URLs of every kind of request serve a client, and no page: nothing is read, written or deleted.

    Neither does one that was signed for a foreign host; an object that no writer declared as a page is not one.
    """
    api.store.put(api.bucket, "kept", b"content")
    kinds = [(method, "/kept") for method in ("GET", "HEAD", "PUT", "DELETE")]
    kinds += [("POST", "?delete"), ("POST", "/kept?uploads"), ("GET", ""), ("DELETE", "")]
    port = urlsplit(api.emulator.obs_endpoint).port
    foreign = f"{EVIL}:{port}"
    link = signed(api, "GET", "/kept", f"http://{foreign}").replace(f"http://{foreign}", api.emulator.obs_endpoint)
    response = httpx.get(link, headers={"Host": foreign})
    assert (response.status_code, code(response)) == (421, "AccessDenied")
    with httpx.Client() as client:
        for method, path in kinds:
            for status, headers in itertools.islice(pages(port), 4):
                page = {**headers, "Content-Type": "text/plain"}
                content = DELETION if method == "POST" else None
                response = client.request(method, signed(api, method, path), headers=page, content=content)
                assert response.status_code == status, (method, headers)
                assert method == "HEAD" or code(response) == "AccessDenied", (method, headers)
            assert api.store.read(api.bucket, "kept") == b"content", (method, path)
        served = client.post(signed(api, "POST", "?delete"), content=DELETION)

    assert served.status_code == 200
    assert "<Deleted>" in served.text
    api.store.put(api.bucket, "page.html", b"<script>alert(1)</script>")
    response = httpx.get(signed(api, "GET", "/page.html"))
    assert (response.status_code, response.headers["x-content-type-options"]) == (200, "nosniff")
