"""URLs of services: which are on this machine, how two are compared, and what is wrong with others."""

from __future__ import annotations

import pytest

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.http.urls import checked_url, is_loopback, plain_url


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "localhost", "bucket.localhost"])
def test_a_loopback_address_is_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["localhost.example.com", "notlocalhost", "10.0.0.1", "0.0.0.0", "127.0.0.1.nip", ""])
def test_any_other_name_is_not_this_machine(host: str) -> None:
    """Keys of the emulator's variables must not be sent there."""
    assert not is_loopback(host)


@pytest.mark.parametrize("url", ["https://iam.example.com", "https://iam.example.com/", "https://iam.example.com/v3/"])
def test_an_address_of_iam_is_compared_without_its_version(url: str) -> None:
    assert plain_url(url) == "https://iam.example.com"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("example.com", r"endpoint is not a URL: 'example.com' \(write it as https://HOST or https://HOST:PORT\)"),
        *((url, "endpoint is not a URL") for url in ("http://[::1", "http://h:99999", "http://h:80x", "http://a b")),
        *((url, "endpoint is not a URL") for url in ("http://h\r\nX: y", "http://a\\b")),
        ("ftp://example.com", "endpoint is not a URL"),
        ("https://", "endpoint is not a URL"),
        ("https://user@example.com", "leave out user, password and query"),
        ("https://example.com?a=1", "leave out user, password and query"),
        ("https://example.com#a", "leave out user, password and query"),
    ],
)
def test_an_invalid_address_of_a_service_is_rejected(url: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        checked_url("endpoint", url)
