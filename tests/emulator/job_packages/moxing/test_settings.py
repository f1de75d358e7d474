"""Where settings come from, and what is wrong with them."""

from __future__ import annotations

import pytest

import moxing as mox
from moxing import client as settings
from moxing.client import Settings, current

JOB = {"S3_ENDPOINT": "http://127.0.0.1:1", "ACCESS_KEY_ID": "ak", "SECRET_ACCESS_KEY": "sk"}


@pytest.fixture(autouse=True)
def nothing_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of another test, and none of this machine."""
    monkeypatch.setattr(settings, "_given", Settings())
    for name in (*JOB, "SECURITY_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_the_variables_of_a_job_are_read() -> None:
    """A temporary token belongs to them."""
    assert current(JOB | {"SECURITY_TOKEN": "t"}) == Settings("http://127.0.0.1:1", "ak", "sk", "t")


@pytest.mark.parametrize("missing", JOB)
def test_a_variable_that_is_missing_is_reported(missing: str) -> None:
    """The message names all that are needed."""
    with pytest.raises(ValueError, match="is not configured: set S3_ENDPOINT, ACCESS_KEY_ID and SECRET_ACCESS_KEY"):
        current({name: value for name, value in JOB.items() if name != missing})


@pytest.mark.parametrize(
    ("endpoint", "use_https", "expected"),
    [
        ("obs.eu-de.otc.t-systems.com", None, "https://obs.eu-de.otc.t-systems.com"),
        ("localhost:9181", "0", "http://localhost:9181"),
        ("https://obs.eu-de.otc.t-systems.com/", "0", "https://obs.eu-de.otc.t-systems.com"),
        ("http://[::1]:9181", "1", "http://[::1]:9181"),
    ],
)
def test_an_endpoint_is_a_host_or_a_url(endpoint: str, use_https: str | None, expected: str) -> None:
    """The scheme of a URL counts more than S3_USE_HTTPS."""
    environ = JOB | {"S3_ENDPOINT": endpoint} | ({} if use_https is None else {"S3_USE_HTTPS": use_https})

    assert current(environ).endpoint == expected


@pytest.mark.parametrize(
    "endpoint", ["http://user" + ":secret@host", "http://host/path", "ftp://host", "http://", "http://h:x"]
)
def test_an_invalid_address_is_rejected_without_being_repeated(endpoint: str) -> None:
    """It may hold a secret."""
    with pytest.raises(ValueError, match=r"S3_ENDPOINT is not the address") as caught:
        current(JOB | {"S3_ENDPOINT": endpoint})

    assert "secret" not in str(caught.value)


def test_certificates_are_verified_unless_said_otherwise() -> None:
    """Only 0, false and no turn it off."""
    assert current(JOB).is_verified
    assert not current(JOB | {"S3_VERIFY_SSL": "0"}).is_verified


def test_set_auth_replaces_what_it_names() -> None:
    """Keys alone are used at the endpoint of the environment; a port replaces a port."""
    mox.file.set_auth(ak="other", sk="secret")
    assert current(JOB) == Settings("http://127.0.0.1:1", "other", "secret")
    mox.file.set_auth(server="obs.example.com", port=8443, is_secure=True, ssl_verify=False, path_style=True, retry=2)
    assert current(JOB) == Settings(
        "https://obs.example.com:8443", "other", "secret", is_verified=False, is_path_style=True, attempts=2
    )
    mox.file.set_auth(port=9443)
    assert current({}).endpoint == "https://obs.example.com:9443"
    mox.file.set_auth(is_secure=False)
    assert current({}).endpoint == "http://obs.example.com:9443"


def test_half_of_a_login_and_unknown_options_are_rejected() -> None:
    """Nothing is dropped silently."""
    with pytest.raises(ValueError, match="needs both ak and sk"):
        mox.file.set_auth(ak="x")
    with pytest.raises(TypeError, match="nonsense"):
        mox.file.set_auth(nonsense=1)  # type: ignore[call-arg]


def test_secrets_do_not_show() -> None:
    """The representation has no keys."""
    shown = repr(current(JOB | {"SECURITY_TOKEN": "token"}))

    assert "'sk'" not in shown
    assert "token" not in shown.replace("security_token", "")


@pytest.mark.parametrize(
    ("endpoint", "region"),
    [("https://obs.eu-de.otc.t-systems.com", "eu-de"), ("http://127.0.0.1:9181", "us-east-1")],
)
def test_requests_are_signed_for_the_region_of_the_endpoint(endpoint: str, region: str) -> None:
    headers = settings.signed_headers(Settings(endpoint, "ak", "sk"), "GET", "host", "/b/x", [], {})

    assert f"/{region}/s3/aws4_request" in headers["authorization"]
