"""Requests to object storage in the S3 dialect, which OBS speaks: settings, signatures, errors, repetitions.

Made of the standard library. All errors are OSErrors, so that code for local files catches them, too; no message holds
a secret.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import os
import random
import ssl
import time
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, Iterator, Mapping, NamedTuple, Sequence, Union
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree

FALSE = ("0", "false", "no")
RETRIED = (429, 500, 502, 503, 504)
LONGEST_PAUSE_S = 10.0
CHUNK_BYTES = 1 << 18
REMEDIES = {
    301: "the bucket is in another region: set S3_ENDPOINT to that region's",
    307: "the bucket is in another region: set S3_ENDPOINT to that region's",
    403: "check ACCESS_KEY_ID, SECRET_ACCESS_KEY and the access to the bucket",
}


# Settings


@dataclass(frozen=True)
class Settings:
    """How to reach the object storage.

    `endpoint` is `http(s)://host[:port]`. `is_path_style`: whether a bucket is a segment of the path or a part of the
    host name; None: as the endpoint's host allows. A request is tried `attempts` times at most, with pauses that begin
    at `retry_wait_s`. `timeout_s` is for connecting and for each pause of the network.
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


def current(environ: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings in force: of `set_auth`, else of the environment; raises ValueError if some are missing."""
    settings = _given
    if not settings.access_key:
        names = ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SECURITY_TOKEN")
        access_key, secret_key, token = (environ.get(name, "") for name in names)
        settings = replace(settings, access_key=access_key, secret_key=secret_key, security_token=token)
    if not settings.endpoint:
        settings = replace(settings, endpoint=_endpoint_of(environ))
    if not (settings.endpoint and settings.access_key and settings.secret_key):
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

    `server` is a host or a URL, `retry` the number of attempts, `retry_wait` and `client_timeout` are seconds.
    Raises ValueError for an access key without secret key, and for an invalid address.
    """
    global _given
    if (ak is None) != (sk is None):
        raise ValueError("set_auth needs both ak and sk, or neither")
    options: dict[str, Any] = {
        "access_key": ak,
        "secret_key": sk,
        "security_token": None if ak is None else "",
        "is_verified": ssl_verify,
        "is_path_style": path_style,
        "attempts": None if retry is None else max(1, retry),
        "retry_wait_s": retry_wait,
        "timeout_s": client_timeout,
        "list_max_keys": list_max_keys,
    }
    if server is not None or port is not None or is_secure is not None:
        options["endpoint"] = _address(server, port, is_secure, _given)
    _given = replace(_given, **{name: value for name, value in options.items() if value is not None})


def _address(server: str | None, port: int | None, is_secure: bool | None, settings: Settings) -> str:
    """Return the endpoint in force with another host, port or scheme."""
    if server is None:
        url = settings.endpoint or _endpoint_of(os.environ)
    else:
        url = _url(server, os.environ.get("S3_USE_HTTPS", "1"), "server")
    scheme, _, host = url.partition("://")
    if port is not None:
        host = f"{host.rpartition(':')[0] if urlsplit(url).port is not None else host}:{port}"
    return f"{scheme if is_secure is None else 'https' if is_secure else 'http'}://{host}" if host else ""


def _endpoint_of(environ: Mapping[str, str]) -> str:
    return _url(environ.get("S3_ENDPOINT", ""), environ.get("S3_USE_HTTPS", "1"), "S3_ENDPOINT")


def _url(address: str, use_https: str, name: str) -> str:
    """Return `http(s)://host[:port]` of a host or URL; the scheme of a URL counts more than `use_https`."""
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


# Errors, under their documented names


class Response(NamedTuple):
    """What the object storage said: the HTTP status, and code, message and request id of its error."""

    status: int
    code: str = ""
    message: str = ""
    request_id: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (str(self.status), self.code and f"{self.code}:", self.message)))


class MoxFileRespException(OSError):  # noqa: N818 - the documented name
    """The object storage responded with an error (`resp`)."""

    def __init__(self, message: str, resp: Response) -> None:
        super().__init__(message)
        self.resp = resp


class MoxFileNotExistsException(MoxFileRespException, FileNotFoundError):  # noqa: N818 - the documented name
    """There is no such object, directory or bucket."""


class MoxFileReadException(MoxFileRespException):
    """An object could not be read to its end, or changed meanwhile."""


class MoxFileNameDuplicateException(OSError):  # noqa: N818 - the documented name
    """A directory and a file would get the same local path: object storage allows it, file systems do not."""


# Requests

Query = Sequence["tuple[str, str]"]
Body = Union[bytes, BinaryIO]


class Location(NamedTuple):
    """A bucket and a key in it, which is empty for the bucket itself."""

    bucket: str
    key: str

    def __str__(self) -> str:
        return f"obs://{self.bucket}/{self.key}"


class Reply(NamedTuple):
    """A successful response; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


_idle: dict[tuple[Any, ...], list[http.client.HTTPConnection]] = {}
"""Connections that may be used again, by process, because others are forked, host and settings."""


def request(
    action: str,
    method: str,
    location: Location,
    query: Query = (),
    headers: Mapping[str, str] | None = None,
    body: Body = b"",
) -> Reply:
    """Send the request until it succeeds or no attempt is left; `action` says in messages what cannot be done.

    A file is sent from its beginning, as long as it is now. May be called from any thread.
    Raises MoxFileNotExistsException for 404, MoxFileRespException for another error of the storage, ConnectionError if
    it cannot be reached, and ValueError if the settings are incomplete.
    """
    settings = current()
    for attempt in range(1, settings.attempts + 1):
        is_last = attempt == settings.attempts
        try:
            reply = _send(settings, method, location, query, headers or {}, body)
            if reply.status < 300:
                return reply
            if is_last or reply.status not in RETRIED:
                raise _error(action, location, reply)
        except MoxFileRespException:
            raise
        except (OSError, http.client.HTTPException) as error:
            if is_last or isinstance(error, ssl.SSLCertVerificationError):
                raise ConnectionError(
                    f"cannot {action} {location}: {settings.endpoint} cannot be reached"
                    f" ({str(error) or type(error).__name__}): check S3_ENDPOINT and the network"
                ) from error
        pause_s = min(settings.retry_wait_s * 2 ** (attempt - 1), LONGEST_PAUSE_S)
        time.sleep(pause_s * random.uniform(0.5, 1))  # noqa: S311
    raise AssertionError("the last attempt returns or raises")


def _send(
    settings: Settings, method: str, location: Location, query: Query, headers: Mapping[str, str], body: Body
) -> Reply:
    """Send the request once, on a connection that is kept for the next one."""
    host, path = _place(settings, location)
    signed = signed_headers(settings, method, host, path, query, headers)
    size = len(body) if isinstance(body, bytes) else body.seek(0, os.SEEK_END)
    if method in ("PUT", "POST"):
        signed["content-length"] = str(size)
    target = f"{path}?{encode_query(query)}" if query else path
    key = (os.getpid(), host, settings.endpoint, settings.is_verified, settings.timeout_s)
    idle = _idle.setdefault(key, [])
    while True:
        try:
            connection, is_fresh = idle.pop(), False
        except IndexError:
            connection, is_fresh = _connect(settings, host), True
        try:
            content = body or None if isinstance(body, bytes) else _chunks(body, size)
            with contextlib.suppress(BrokenPipeError):  # the response says why
                connection.request(method, target, content, signed)
            response = connection.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            reply = Reply(response.status, received, response.read())
        except BaseException as error:
            connection.close()
            # The storage may have closed an idle connection just now: that is not an attempt.
            if is_fresh or not isinstance(error, (ConnectionError, http.client.HTTPException)):
                raise
            continue
        if connection.sock is not None:
            idle.append(connection)
        return reply


def _chunks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the first `size` bytes of a file; raises EOFError if it has become shorter."""
    file.seek(0)
    while size:
        chunk = file.read(min(size, CHUNK_BYTES))
        if not chunk:
            raise EOFError("the file became shorter while it was uploaded")
        size -= len(chunk)
        yield chunk


def _place(settings: Settings, location: Location) -> tuple[str, str]:
    """Return the host and the path of a bucket or object."""
    parts = urlsplit(settings.endpoint)
    is_path_style = settings.is_path_style
    if is_path_style is None:
        name = parts.hostname or ""
        # No bucket can be put before an address (IPv6 has colons) or a name without dots.
        is_path_style = "." not in name or ":" in name or name.replace(".", "").isdigit()
    if is_path_style:
        return parts.netloc, f"/{location.bucket}/{encode_key(location.key)}"
    return f"{location.bucket}.{parts.netloc}", f"/{encode_key(location.key)}"


def _connect(settings: Settings, host: str) -> http.client.HTTPConnection:
    if settings.endpoint.startswith("http:"):
        return http.client.HTTPConnection(host, timeout=settings.timeout_s)
    context = ssl.create_default_context()
    if not settings.is_verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(host, timeout=settings.timeout_s, context=context)


def parse_xml(data: bytes) -> ElementTree.Element:
    """Return the root of a document without namespaces; raises ValueError if it is not XML or declares entities."""
    if b"<!DOCTYPE" in data:
        raise ValueError("the response has a document type")
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - without a document type there are no entities
    except ElementTree.ParseError as error:
        raise ValueError(f"the response is not XML: {error}") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _error(action: str, location: Location, reply: Reply) -> MoxFileRespException:
    """Return the exception for a response with an error, with the remedy if there is one."""
    code = message = request_id = ""
    with contextlib.suppress(ValueError):
        root = parse_xml(reply.data)
        code, message, request_id = (root.findtext(name, "") for name in ("Code", "Message", "RequestId"))
    resp = Response(reply.status, code or http.client.responses.get(reply.status, ""), message, request_id)
    kind = MoxFileNotExistsException if reply.status == 404 else MoxFileRespException
    remedy = REMEDIES.get(reply.status, "")
    return kind(f"cannot {action} {location}: {resp}{remedy and f' ({remedy})'}", resp)


# Signatures


def encode_key(key: str) -> str:
    """Return the key as a path holds it."""
    return quote(key, safe="/-._~")


def encode_query(query: Query) -> str:
    """Return the query in the order and form that are signed."""
    return "&".join(f"{quote(name, safe='-._~')}={quote(value, safe='-._~')}" for name, value in sorted(query))


def signed_headers(
    settings: Settings, method: str, host: str, path: str, query: Query, headers: Mapping[str, str]
) -> dict[str, str]:
    """Return all headers to send: those given (in lower case), and AWS Signature Version 4, which OBS accepts.

    The body is not signed. Source: "Authenticating Requests (AWS Signature Version 4)" of the S3 reference.
    """
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    signed = {**headers, "host": host, "x-amz-date": stamp, "x-amz-content-sha256": "UNSIGNED-PAYLOAD"}
    if settings.security_token:
        signed["x-amz-security-token"] = settings.security_token
    names = sorted(name for name in signed if name == "host" or name.startswith("x-amz-"))
    lines = "".join(f"{name}:{' '.join(signed[name].split())}\n" for name in names)
    canonical = f"{method}\n{path}\n{encode_query(query)}\n{lines}\n{';'.join(names)}\nUNSIGNED-PAYLOAD"
    scope = f"{stamp[:8]}/{_region(settings.endpoint)}/s3/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{settings.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    credential = f"Credential={settings.access_key}/{scope}"
    signed["authorization"] = f"AWS4-HMAC-SHA256 {credential}, SignedHeaders={';'.join(names)}, Signature={signature}"
    return signed


def _region(endpoint: str) -> str:
    """Return the region in the name of an endpoint (`obs.eu-de.otc.t-systems.com`), or the one for all others."""
    labels = (urlsplit(endpoint).hostname or "").split(".")
    return labels[1] if labels[0] in ("obs", "s3") and len(labels) > 3 else "us-east-1"
