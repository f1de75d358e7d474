"""What the HTTP libraries log holds no secret, at any level."""

import contextlib
from collections.abc import Iterator

import httpx
import pytest
from tests.local_servers import LocalHandler, serving

from modelarts_toolkit import ModelArts, ObsError
from modelarts_toolkit.http.redaction import redact
from modelarts_toolkit.http.transport import BufferedTransport, ErrorMappingTransport, ServiceTime

CANARY = "CANARY-7f3a"


class Endpoint(LocalHandler):
    """Logs everybody in with a secret token, and repeats secrets in the headers of any other response."""

    def do_POST(self) -> None:
        self.content()
        secrets = dict.fromkeys(("X-Subject-Token", "X-Auth-Token", "X-Security-Token", "Set-Cookie"), CANARY)
        self.respond(201 if self.path.endswith("tokens") else 200, b"{}", secrets)

    do_GET = do_PUT = do_POST


@pytest.fixture
def server() -> Iterator[str]:
    with serving(Endpoint) as url:
        yield url


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
