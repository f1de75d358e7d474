"""Where the object storage is and who asks: from `set_auth`, else from the environment of the job."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field, replace
from typing import Mapping
from urllib.parse import urlsplit

__all__ = ["Settings", "current", "set_auth"]

# Endpoint, access key, secret key and temporary token of a job, and of whoever has the settings of the toolkit.
# They are taken from one row only, so that no key is used at an endpoint that it was not given for.
SOURCES = (
    ("S3_ENDPOINT", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SECURITY_TOKEN"),
    ("MODELARTS_OBS_ENDPOINT", "MODELARTS_ACCESS_KEY", "MODELARTS_SECRET_KEY", "MODELARTS_SECURITY_TOKEN"),
)
FALSE = ("0", "false", "no")


@dataclass(frozen=True)
class Settings:
    """How to reach the object storage.

    `endpoint` is `http(s)://host[:port]`. `is_path_style`: whether a bucket is a segment of the path or a part of the
    host name; None: as the endpoint's host allows. `attempts` of a request are made at most, with pauses that begin at
    `retry_wait_s`. `timeout_s` is for connecting and for each pause of the network.
    """

    endpoint: str = ""
    access_key: str = field(default="", repr=False)
    secret_key: str = field(default="", repr=False)
    security_token: str = field(default="", repr=False)
    is_verified: bool = True
    is_path_style: bool | None = None
    attempts: int = 5
    retry_wait_s: float = 0.2
    timeout_s: float = 60.0
    list_max_keys: int = 1000


_given = Settings()
_lock = threading.Lock()


def current(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings in force; raises ValueError that says what is missing."""
    settings = _given
    source = next((row for row in SOURCES if all(environ.get(name) for name in row[:3])), None)
    if not settings.access_key and source is not None:
        _, access_key, secret_key, token = (environ.get(name, "") for name in source)
        settings = replace(settings, access_key=access_key, secret_key=secret_key, security_token=token)
    if not settings.endpoint:
        name = "S3_ENDPOINT" if _given.access_key or source is None else source[0]
        settings = replace(settings, endpoint=_url(environ.get(name, ""), environ.get("S3_USE_HTTPS", "1"), name))
    if not (settings.endpoint and settings.access_key):
        raise ValueError(
            "object storage is not configured: set S3_ENDPOINT, ACCESS_KEY_ID and SECRET_ACCESS_KEY,"
            " or call mox.file.set_auth(ak=..., sk=..., server=...)"
        )
    if environ.get("S3_VERIFY_SSL", "1").lower() in FALSE and _given.is_verified:
        settings = replace(settings, is_verified=False)
    return settings


def set_auth(
    ak: str | None = None,
    sk: str | None = None,
    server: str | None = None,
    port: int | None = None,
    is_secure: bool | None = None,
    ssl_verify: bool | None = None,
    long_conn_mode: bool | None = None,  # noqa: ARG001 - connections are always kept open
    path_style: bool | None = None,
    retry: int | None = None,
    retry_wait: float | None = None,
    client_timeout: float | None = None,
    list_max_keys: int | None = None,
) -> None:
    """Replace what the environment says; what is None stays as it is.

    `server` is a host or an URL, `retry` the number of attempts, `retry_wait` and `client_timeout` are seconds.
    Raises ValueError for an access key without secret key, and for an address that is none.
    """
    global _given
    if (ak is None) != (sk is None):
        raise ValueError("set_auth needs both ak and sk, or neither")
    with _lock:
        changed = _given
        if ak is not None and sk is not None:
            changed = replace(changed, access_key=ak, secret_key=sk, security_token="")
        if server is not None or port is not None or is_secure is not None:
            changed = replace(changed, endpoint=_address(server, port, is_secure, changed))
        options = {
            "is_verified": ssl_verify,
            "is_path_style": path_style,
            "attempts": None if retry is None else max(1, retry),
            "retry_wait_s": retry_wait,
            "timeout_s": client_timeout,
            "list_max_keys": list_max_keys,
        }
        _given = replace(changed, **{name: value for name, value in options.items() if value is not None})  # type: ignore[arg-type]


def _address(server: str | None, port: int | None, is_secure: bool | None, settings: Settings) -> str:
    """The endpoint in force with another host, port or scheme."""
    if server is None:
        server = settings.endpoint or next(filter(None, (os.environ.get(row[0]) for row in SOURCES)), "")
    url = _url(server, os.environ.get("S3_USE_HTTPS", "1"), "server")
    scheme, _, host = url.partition("://")
    if port is not None:
        host = f"{host.rpartition(':')[0] if urlsplit(url).port is not None else host}:{port}"
    return f"{scheme if is_secure is None else 'https' if is_secure else 'http'}://{host}" if host else ""


def _url(address: str, use_https: str, name: str) -> str:
    """`http(s)://host[:port]` of a host or URL; the scheme of a URL counts more than `use_https`."""
    if not address:
        return ""
    if "://" not in address:
        address = f"{'http' if use_https.lower() in FALSE else 'https'}://{address}"
    try:
        parts = urlsplit(address)
        is_address = bool(parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        is_address = False
    if not is_address or parts.path not in ("", "/") or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(f"{name} is not the address of an object storage: use http(s)://host[:port]")
    return f"{parts.scheme}://{parts.netloc}"
