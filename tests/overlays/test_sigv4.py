"""Signatures of requests to object storage, compared with those of botocore."""

from datetime import UTC, datetime

import httpx
import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from modelarts_toolkit.auth.access_keys import sign_for_storage
from modelarts_toolkit.settings.config import Config


@pytest.mark.parametrize("token", [None, "temporary"])
@pytest.mark.parametrize(
    ("method", "path", "content"),
    [
        ("PUT", "/", b""),
        ("PUT", "/", b"<CreateBucketConfiguration/>"),
        ("GET", "/?list-type=2&prefix=a%20b%2Fc~%2B&encoding-type=url", b""),
        ("DELETE", "/bucket/odd%09key%5C%20%C3%BC~%2Bb", b""),
    ],
)
def test_a_signature_is_that_of_botocore(
    method: str, path: str, content: bytes, token: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sign the same headers of the same request at the same moment."""
    now = datetime(2026, 11, 21, 10, 0, 1, tzinfo=UTC)
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: now)
    url = f"https://bucket.obs.example.com{path}"
    ours = httpx.Request(method, url, content=content)

    config = Config(access_key="AKIA1", secret_key="secret", security_token=token)
    sign_for_storage(ours, config, "eu-de", now)

    headers = {name: value for name, value in ours.headers.items() if name == "host"}
    theirs = AWSRequest(method, url, headers=headers, data=content)
    S3SigV4Auth(Credentials("AKIA1", "secret", token), "s3", "eu-de").add_auth(theirs)

    assert ours.headers["authorization"] == theirs.headers["Authorization"]
