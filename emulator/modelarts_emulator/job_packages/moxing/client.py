"""Requests to the object storage of the emulator that runs this job: settings, signatures, errors, repetitions.

Made of the standard library. All errors are OSErrors, so that code for local files catches them, too; no message holds
a secret.
"""

from __future__ import annotations

import base64
import contextlib
import email.utils
import hmac
import http.client
import os
import time
from typing import Any, BinaryIO, Iterator, Mapping, NamedTuple, Sequence, Union
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

RETRIED = (429, 500, 502, 503, 504)
ATTEMPTS = 5
FIRST_PAUSE_S = 0.2
TIMEOUT_S = 60.0
CHUNK_BYTES = 1 << 18


# Settings


class Settings(NamedTuple):
    """Where the object storage is (`http://host:port`), and the keys of the job."""

    endpoint: str
    access_key: str
    secret_key: str

    def __repr__(self) -> str:
        return f"Settings({self.endpoint!r}, {self.access_key!r})"


def current() -> Settings:
    """Return what the job's environment says; raises ValueError if something is missing."""
    names = ("S3_ENDPOINT", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY")
    settings = Settings(*(os.environ.get(name, "") for name in names))
    if not all(settings):
        raise ValueError(f"object storage is not configured: a job of the emulator has {', '.join(names)}")
    return settings


def set_auth(*_: Any, **_settings: Any) -> None:
    """Do nothing: a job of the emulator uses the emulator's object storage, with the keys of its environment.

    Scripts of others also give what is not documented, such as `obs_client_log` and `negotiation`.
    """


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
    """A file would get the path of a local directory, or a directory that of a file."""


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
    """A response; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


_idle: dict[tuple[int, str], list[http.client.HTTPConnection]] = {}
"""Connections that may be used again, by process, because others are forked, and endpoint."""


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
    for attempt in range(ATTEMPTS):
        is_last = attempt == ATTEMPTS - 1
        try:
            reply = _send(settings, method, location, query, headers or {}, body)
            if reply.status < 300:
                return reply
            if is_last or reply.status not in RETRIED:
                raise _error(action, location, reply)
        except MoxFileRespException:
            raise
        except (OSError, http.client.HTTPException) as error:
            if is_last:
                raise ConnectionError(
                    f"cannot {action} {location}: {settings.endpoint} cannot be reached"
                    f" ({str(error) or type(error).__name__}): check S3_ENDPOINT"
                ) from error
        time.sleep(FIRST_PAUSE_S * 2**attempt)
    raise AssertionError("the last attempt returns or raises")


def _send(
    settings: Settings, method: str, location: Location, query: Query, headers: Mapping[str, str], body: Body
) -> Reply:
    """Send the request once, on a connection that is kept for the next one."""
    path = f"/{location.bucket}/{quote(location.key)}"
    signed = signed_headers(settings, method, path, headers)
    size = len(body) if isinstance(body, bytes) else body.seek(0, os.SEEK_END)
    if method in ("PUT", "POST"):
        signed["content-length"] = str(size)
    target = f"{path}?{urlencode(query, quote_via=quote)}" if query else path
    idle = _idle.setdefault((os.getpid(), settings.endpoint), [])
    while True:
        try:
            connection, is_fresh = idle.pop(), False
        except IndexError:
            host = settings.endpoint.partition("://")[2]
            connection, is_fresh = http.client.HTTPConnection(host, timeout=TIMEOUT_S), True
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


def parse_xml(data: bytes) -> ElementTree.Element:
    """Return the root of a document without namespaces; raises ParseError if it is not XML."""
    root = ElementTree.fromstring(data)  # noqa: S314 - the emulator's own
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _error(action: str, location: Location, reply: Reply) -> MoxFileRespException:
    """Return the exception for a response with an error, with the remedy if there is one."""
    code = message = request_id = ""
    with contextlib.suppress(ElementTree.ParseError):
        root = parse_xml(reply.data)
        code, message, request_id = (root.findtext(name, "") for name in ("Code", "Message", "RequestId"))
    resp = Response(reply.status, code or http.client.responses.get(reply.status, ""), message, request_id)
    kind = MoxFileNotExistsException if reply.status == 404 else MoxFileRespException
    remedy = " (check ACCESS_KEY_ID, SECRET_ACCESS_KEY and the access to the bucket)" if reply.status == 403 else ""
    return kind(f"cannot {action} {location}: {resp}{remedy}", resp)


# Signatures


def signed_headers(settings: Settings, method: str, path: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Return all headers to send: those given (in lower case), and a signature of version 2.

    No request of this module has a parameter that is signed.
    Source: "Signing and Authenticating REST Requests" of the S3 reference.
    """
    date = email.utils.formatdate(usegmt=True)
    extensions = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers) if name.startswith("x-amz-"))
    text = f"{method}\n\n\n{date}\n{extensions}{path}"
    digest = hmac.digest(settings.secret_key.encode(), text.encode(), "sha1")
    signature = base64.b64encode(digest).decode()
    return {**headers, "date": date, "authorization": f"AWS {settings.access_key}:{signature}"}
