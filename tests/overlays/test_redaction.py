"""What the HTTP libraries log holds no secret, at any level."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from modelarts_toolkit import ModelArts, ObsError
from modelarts_toolkit.http.redaction import redact
from modelarts_toolkit.http.transport import BufferedTransport, ErrorMappingTransport, ServiceTime

CANARY = "CANARY-7f3a"


class Endpoint(BaseHTTPRequestHandler):
    """Logs everybody in with a secret token, and repeats secrets in the headers of any other response."""

    def respond(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(201 if self.path.endswith("tokens") else 200)
        for name in ("X-Subject-Token", "X-Auth-Token", "X-Security-Token", "Set-Cookie"):
            self.send_header(name, CANARY)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_PUT = respond  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_no_secret_is_logged_at_any_level(server: str, caplog: pytest.LogCaptureFixture) -> None:
    """A login, a call, a bucket and a presigned URL, with every logger at its lowest level."""
    loggers = ("httpx", "httpcore.http11", "httpx_retries.transport", "modelarts_toolkit")
    for logger in ("", *loggers):
        caplog.set_level(1, logger)
    names = ("username", "password", "domain_name", "project_id")
    with ModelArts(
        endpoint=server,
        iam_endpoint=server,
        obs_endpoint=server,
        access_key=f"AK{CANARY}",
        secret_key=CANARY,
        security_token=CANARY,
        **dict.fromkeys(names, CANARY[:6]) | {"password": CANARY},  # type: ignore[arg-type]
    ) as ma:
        ma.v2.flavors.show_training_job_flavors()
        with contextlib.suppress(ObsError):
            ma.obs.create_bucket("bucket")
    for scheme in ("Signature", "X-Amz-Signature", "AWSAccessKeyId", "x-obs-security-token", "X-Amz-Credential"):
        transport = ErrorMappingTransport(BufferedTransport(httpx.HTTPTransport(), ServiceTime()))
        with httpx.Client(transport=transport) as client:
            client.get(f"{server}/b/k?partNumber=1&{scheme}={CANARY}%2F1&Expires=5")

    logged = [f"{record.name} {record.getMessage()}" for record in caplog.records]
    assert [line for line in logged if CANARY in line] == []
    for logger in loggers:
        assert [line for line in logged if line.startswith(f"{logger} ")]
    assert [line for line in logged if "partNumber=1" in line and "Expires=5" in line]


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("GET https://h/b?Signature=a%2Bb&x=1 done", "GET https://h/b?Signature=***&x=1 done"),
        ("<Request('GET', 'https://h/b?X-Amz-Signature=abc')>", "<Request('GET', 'https://h/b?X-Amz-Signature=***')>"),
        ("https://h/b?AWSAccessKeyId=AK1&Expires=5", "https://h/b?AWSAccessKeyId=***&Expires=5"),
        ("http://user:pass@proxy.example.com:3128/", "http://***@proxy.example.com:3128/"),
        ("nothing to hide: a@b.example.com?", "nothing to hide: a@b.example.com?"),
        ("[(b'X-Subject-Token', b'abc'), (b'Date', b'now')]", "[(b'X-Subject-Token', b'***'), (b'Date', b'now')]"),
    ],
)
def test_secrets_are_replaced_and_the_rest_stays(text: str, redacted: str) -> None:
    assert redact(text) == redacted
