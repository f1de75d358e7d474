"""Requests to object storage: signed, repeated where that can help, on connections that stay open."""

from __future__ import annotations

import collections
import contextlib
import hashlib
import http.client
import ipaddress
import os
import random
import ssl
import time
from typing import BinaryIO, Callable, Iterator, Mapping, NamedTuple, TypeVar
from urllib.parse import urlsplit
from xml.etree import ElementTree

from moxing.obs.errors import MoxFileNotExistsException, MoxFileRespException, Response
from moxing.obs.settings import Settings, current
from moxing.obs.signature import Query, encode_key, encode_query, signed_headers

__all__ = ["Client", "FileSlice", "Location", "Reply", "connect", "parse_xml"]

T = TypeVar("T")

RETRIED = (429, 500, 502, 503, 504)
LONGEST_PAUSE_S = 10.0
MAX_IDLE = 32  # connections
CHUNK_BYTES = 1 << 18
REMEDIES = {
    301: "the bucket is in another region: set S3_ENDPOINT to that region's",
    307: "the bucket is in another region: set S3_ENDPOINT to that region's",
    403: "check ACCESS_KEY_ID, SECRET_ACCESS_KEY and the access to the bucket",
}


class Location(NamedTuple):
    """A bucket and a key in it, which is empty for the bucket itself."""

    bucket: str
    key: str

    def __str__(self) -> str:
        return f"obs://{self.bucket}/{self.key}"


class FileSlice(NamedTuple):
    """A part of an open file, as the body of a request."""

    file: BinaryIO
    offset: int
    size: int

    def chunks(self) -> Iterator[bytes]:
        """The bytes; raises OSError if the file has become shorter."""
        self.file.seek(self.offset)
        left = self.size
        while left:
            chunk = self.file.read(min(left, CHUNK_BYTES))
            if not chunk:
                raise _FileChangedError("the file became shorter while it was uploaded")
            left -= len(chunk)
            yield chunk


class _FileChangedError(OSError):
    """No attempt can succeed."""


class Reply(NamedTuple):
    """A successful response, read to its end; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Stream(NamedTuple):
    """A successful response whose body is yet to be read, on a connection of its own."""

    connection: http.client.HTTPConnection
    response: http.client.HTTPResponse


class Client:
    """Requests with the same settings; may be used by any number of threads and after a fork."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._idle: dict[int, collections.deque[http.client.HTTPConnection]] = {}

    def request(
        self,
        action: str,
        method: str,
        location: Location,
        query: Query = (),
        headers: Mapping[str, str] | None = None,
        body: bytes | FileSlice = b"",
    ) -> Reply:
        """Send the request until it succeeds or no attempt is left; `action` says in messages what cannot be done.

        Raises MoxFileNotExistsException for 404, MoxFileRespException for another error of the storage and
        ConnectionError if it cannot be reached.
        """
        return self._repeat(
            action, location, lambda: self._read(action, location, self._send(method, location, query, headers, body))
        )

    def stream(self, action: str, location: Location, headers: Mapping[str, str] | None = None) -> Stream:
        """Begin to read an object; the caller reads the response and returns it with `give_back`.

        Raises as `request`.
        """

        def attempt() -> Stream:
            stream = self._send("GET", location, (), headers, b"")
            if stream.response.status >= 300:
                self._read(action, location, stream)
            return stream

        return self._repeat(action, location, attempt)

    def _repeat(self, action: str, location: Location, attempt: Callable[[], T]) -> T:
        """The result of the first attempt that succeeds, or of the first error that no repetition can repair."""
        for pause_s in self.pauses():
            try:
                return attempt()
            except MoxFileRespException as error:
                if pause_s is None or error.resp.status not in RETRIED:
                    raise
            except _FileChangedError:
                raise
            except (OSError, http.client.HTTPException) as error:
                if pause_s is None or isinstance(error, ssl.SSLCertVerificationError):
                    raise ConnectionError(
                        f"cannot {action} {location}: {self.settings.endpoint} cannot be reached"
                        f" ({str(error) or type(error).__name__}): check S3_ENDPOINT and the network"
                    ) from error
            time.sleep(pause_s)
        raise AssertionError("the last attempt returns or raises")

    def _read(self, action: str, location: Location, stream: Stream) -> Reply:
        """Read the response to its end; raises MoxFileRespException if it is an error."""
        try:
            data = stream.response.read()
        except BaseException:
            stream.connection.close()
            raise
        headers = {name.lower(): value for name, value in stream.response.getheaders()}
        reply = Reply(stream.response.status, headers, data)
        self.give_back(stream)
        if reply.status >= 300:
            raise _error(action, location, reply)
        return reply

    def pauses(self) -> Iterator[float | None]:
        """The pause after each attempt, in seconds; None after the last."""
        for attempt in range(self.settings.attempts - 1):
            yield min(self.settings.retry_wait_s * 2**attempt, LONGEST_PAUSE_S) * random.uniform(0.5, 1)  # noqa: S311
        yield None

    def give_back(self, stream: Stream) -> None:
        """Keep the connection of a response that has been read to its end; close it if it has not."""
        idle = self._idle.setdefault(os.getpid(), collections.deque())
        if stream.response.isclosed() and stream.connection.sock is not None and len(idle) < MAX_IDLE:
            idle.append(stream.connection)
        else:
            stream.response.close()
            stream.connection.close()

    def close(self) -> None:
        """Close the connections that are not in use."""
        for idle in self._idle.values():
            while idle:
                idle.pop().close()

    def _send(
        self,
        method: str,
        location: Location,
        query: Query,
        headers: Mapping[str, str] | None,
        body: bytes | FileSlice,
    ) -> Stream:
        host, path = self._place(location)
        digest = hashlib.sha256(b"" if isinstance(body, FileSlice) else body)
        if isinstance(body, FileSlice):
            for chunk in body.chunks():
                digest.update(chunk)
        size = body.size if isinstance(body, FileSlice) else len(body)
        signed = signed_headers(
            self.settings, method, host, path, query, headers or {}, digest.hexdigest(), time.time()
        )
        if method in ("PUT", "POST"):
            signed["content-length"] = str(size)
        target = f"{path}?{encode_query(query)}" if query else path
        idle = self._idle.setdefault(os.getpid(), collections.deque())
        while True:
            try:
                connection, is_fresh = idle.pop(), False
            except IndexError:
                connection, is_fresh = self._connect(host), True
            try:
                content = body.chunks() if isinstance(body, FileSlice) and size else (body if size else None)
                with contextlib.suppress(BrokenPipeError):  # the response says why
                    connection.request(method, target, content, signed)  # type: ignore[arg-type]
                return Stream(connection, connection.getresponse())
            except BaseException as error:
                connection.close()
                # The storage may have closed an idle connection just now: that is not an attempt.
                if is_fresh or not isinstance(error, (ConnectionError, http.client.HTTPException)):
                    raise

    def _place(self, location: Location) -> tuple[str, str]:
        """The host and the path of a bucket or object."""
        parts = urlsplit(self.settings.endpoint)
        is_path_style = self.settings.is_path_style
        if is_path_style is None:
            is_path_style = _has_no_subdomains(parts.hostname or "")
        if is_path_style:
            return parts.netloc, f"/{location.bucket}/{encode_key(location.key)}"
        return f"{location.bucket}.{parts.netloc}", f"/{encode_key(location.key)}"

    def _connect(self, host: str) -> http.client.HTTPConnection:
        timeout_s = self.settings.timeout_s
        if self.settings.endpoint.startswith("http:"):
            return http.client.HTTPConnection(host, timeout=timeout_s)
        context = ssl.create_default_context()
        if not self.settings.is_verified:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection(host, timeout=timeout_s, context=context)


_clients: dict[Settings, Client] = {}


def connect() -> Client:
    """The client of the settings that are in force; raises ValueError if they are incomplete."""
    settings = current()
    if settings not in _clients:
        _clients[settings] = Client(settings)
    return _clients[settings]


def parse_xml(data: bytes) -> ElementTree.Element:
    """The root of a document, without namespaces; raises ValueError if it is not XML or declares entities."""
    if b"<!DOCTYPE" in data:
        raise ValueError("a document type has no place in a response")
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - without a document type there are no entities
    except ElementTree.ParseError as error:
        raise ValueError(f"the response is not XML: {error}") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _error(action: str, location: Location, reply: Reply) -> MoxFileRespException:
    """The exception for a response with an error, with the remedy if there is one."""
    code = message = request_id = ""
    with contextlib.suppress(ValueError):
        root = parse_xml(reply.data)
        code, message, request_id = (root.findtext(name, "") for name in ("Code", "Message", "RequestId"))
    resp = Response(reply.status, code or http.client.responses.get(reply.status, ""), message, request_id)
    kind = MoxFileNotExistsException if reply.status == 404 else MoxFileRespException
    remedy = REMEDIES.get(reply.status, "")
    return kind(f"cannot {action} {location}: {resp}{remedy and f' ({remedy})'}", resp)


def _has_no_subdomains(host: str) -> bool:
    """Whether a bucket cannot be a part of the host name."""
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(host)
        return True
    return "." not in host
