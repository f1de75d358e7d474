"""The body of a request: decoded, and compared with the length, checksums and signatures of the headers."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Protocol, TypeVar

from anycrc import Model

from modelarts_emulator.s3.sigv4 import UNSIGNED
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.files import DraftFile

CHECKSUM = "x-amz-checksum-"
_MAX_DOCUMENT = 4 << 20  # bytes
_BLOCK = 1 << 19  # bytes; a smaller body is written and committed in one visit to a thread


# Checksums


class _Crc:
    """A cyclic redundancy check of `length` bytes; `continued` takes data and the value so far, 0 at first."""

    def __init__(self, length: int, continued: Callable[[bytes | bytearray, int], int]) -> None:
        self._length = length
        self._continued = continued
        self._value = 0

    def update(self, data: bytes | bytearray, /) -> None:
        self._value = self._continued(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._length)


class _Digest(Protocol):
    """What hashlib's objects can do."""

    def update(self, data: bytes | bytearray, /) -> object: ...

    def digest(self) -> bytes: ...


_CRC32C, _CRC64NVME = Model("CRC32C").calc, Model("CRC64-NVME").calc

_ALGORITHMS: dict[str, Callable[[], _Digest]] = {
    f"{CHECKSUM}crc32": lambda: _Crc(4, zlib.crc32),
    f"{CHECKSUM}crc32c": lambda: _Crc(4, _CRC32C),
    f"{CHECKSUM}crc64nvme": lambda: _Crc(8, _CRC64NVME),
    f"{CHECKSUM}sha1": hashlib.sha1,
    f"{CHECKSUM}sha256": hashlib.sha256,
}
CHECKSUMS = frozenset(_ALGORITHMS)
"""The headers with a checksum."""


def _compare(name: str, announced: str, value: bytes, malformed: str = "BadDigest") -> None:
    try:
        expected = base64.b64decode(announced, validate=True)
        if len(expected) != len(value):
            raise ValueError(announced)
    except ValueError:  # also for what is not ASCII
        raise StoreError(malformed, f"{name} must be the base64 of {len(value)} bytes") from None
    if expected != value:
        raise StoreError("BadDigest", f"the body does not have the checksum that {name} announces")


# Chunks

_SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
_CHUNKED = (_SIGNED, f"{_SIGNED}-TRAILER", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
_CHUNK_HEADER = re.compile(rb"([0-9a-fA-F]{1,16})(?:;chunk-signature=[0-9a-f]{64})?")
_MAX_LINE = 16 * 1024


class _Chunks:
    """Decodes an `aws-chunked` body: data in chunks, each perhaps signed, perhaps followed by trailing headers.

    The signatures of chunks and of trailing headers are not compared.
    Source: "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks" and the page
    on trailing headers after it, S3 reference.
    """

    def __init__(self, stream: AsyncIterator[bytes]) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self.trailers: dict[str, str] = {}

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the data; raises IncompleteBody."""
        while size := await self._chunk_size():
            left = size
            while left:
                data = await self._take(left)
                left -= len(data)
                yield data
            if await self._line():
                raise _incomplete("a chunk is longer than it says")
        await self._read_trailers()

    async def _chunk_size(self) -> int:
        """Return the length of the next chunk, 0 for the last one."""
        match = _CHUNK_HEADER.fullmatch(await self._line())
        if match is None:
            raise _incomplete("a chunk does not begin with its length and, if signed, its signature")
        return int(match[1], 16)

    async def _read_trailers(self) -> None:
        while await self._has_more() and (line := (await self._line()).decode("latin-1")):
            name, _, value = line.partition(":")
            self.trailers[name.strip().lower()] = value.strip()
        if await self._has_more():
            raise _incomplete("there is something after the last chunk of the body")

    async def _has_more(self) -> bool:
        """Whether there is another byte."""
        while not self._buffer:
            piece = await anext(self._stream, None)
            if piece is None:
                return False
            self._buffer += piece
        return True

    async def _take(self, most: int) -> bytes:
        if not await self._has_more():
            raise _incomplete("the body ended within a chunk")
        data = bytes(self._buffer[:most])
        del self._buffer[: len(data)]
        return data

    async def _line(self) -> bytes:
        while (end := self._buffer.find(b"\r\n")) < 0:
            piece = await anext(self._stream, None)
            if piece is None or len(self._buffer) > _MAX_LINE:
                raise _incomplete("the body is not in the aws-chunked form that the request announces, or was cut off")
            self._buffer += piece
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line


def _incomplete(message: str) -> StoreError:
    return StoreError("IncompleteBody", message)


# Bodies


class Body:
    """The pieces of a body: iterate once, give each piece to `update`, and call `finish` at the end.

    `payload` is x-amz-content-sha256, or what it stands for in a presigned URL.

    A caller can call `update` in the thread in which it writes.
    """

    def __init__(self, stream: AsyncIterator[bytes], headers: Mapping[str, str], payload: str) -> None:
        self._headers = headers
        self._signed = payload
        self._sha256 = None
        self._chunks = _Chunks(stream) if payload in _CHUNKED else None
        self._pieces = aiter(self._chunks) if self._chunks else stream
        if self._chunks is None and payload != UNSIGNED:
            if not re.fullmatch(r"[0-9a-f]{64}", payload):
                raise StoreError(
                    "InvalidArgument", "x-amz-content-sha256 must be a SHA-256 in hex, or a documented constant"
                )
            self._sha256 = hashlib.sha256()
        trailers = [name.strip().lower() for name in headers.get("x-amz-trailer", "").split(",")]
        self._checksums = {name: _ALGORITHMS[name]() for name in (*headers, *trailers) if name in _ALGORITHMS}
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._pieces:
            if data:
                yield data

    def update(self, data: bytes | bytearray) -> None:
        """Count and digest the next piece."""
        self._size += len(data)
        self._md5.update(data)
        for checksum in self._checksums.values():
            checksum.update(data)
        if self._sha256 is not None:
            self._sha256.update(data)

    def finish(self) -> dict[str, str]:
        """Check that everything has arrived as announced; returns the checksums by header.

        Raises IncompleteBody, XAmzContentSHA256Mismatch or BadDigest.
        """
        announced = self._headers.get("x-amz-decoded-content-length") if self._chunks else None
        if announced not in (None, str(self._size)):
            raise _incomplete(f"the body holds {self._size} bytes of data, the request announced {announced}")
        if self._sha256 is not None and self._sha256.hexdigest() != self._signed:
            raise StoreError("XAmzContentSHA256Mismatch", "the body is not the one whose SHA-256 was signed")
        values = {**self._headers, **(self._chunks.trailers if self._chunks else {})}
        if "content-md5" in values:
            _compare("content-md5", values["content-md5"], self._md5.digest(), "InvalidDigest")
        digests = {name: checksum.digest() for name, checksum in self._checksums.items()}
        for name, digest in digests.items():
            _compare(name, values.get(name, ""), digest)
        return {name: base64.b64encode(digest).decode() for name, digest in digests.items()}

    @property
    def etag(self) -> str:
        """The MD5 of the bytes that have arrived, in hex, which is the ETag of an object that arrived in one piece."""
        return self._md5.hexdigest()

    async def document(self, *, has_checksums: bool = True) -> bytes:
        """Return the whole body, which is a document; raises MalformedXML if it has more than 4 MiB.

        Without `has_checksums`, the checksums in the headers are not those of the document.
        """
        if not has_checksums:
            self._checksums = {}
        found = bytearray()
        async for data in self:
            found += data
            if len(found) > _MAX_DOCUMENT:
                raise StoreError("MalformedXML", f"the document has more than {_MAX_DOCUMENT} bytes")
        self.update(found)
        self.finish()
        return bytes(found)


D = TypeVar("D", bound=DraftFile)
T = TypeVar("T")


async def receive(body: Body, begin: Callable[[], D], commit: Callable[[D, dict[str, str]], T]) -> T:
    """Write the body to the draft that `begin` makes, and return the result of `commit`; a failure leaves nothing.

    `commit` gets the checksums of the body, by header. While a block is written in a thread, the next one arrives; the
    draft is removed after the thread has left it, also if the call is cancelled.
    """
    draft: D | None = None
    writing: asyncio.Future[D] | asyncio.Future[T] | None = None
    run = partial(asyncio.get_running_loop().run_in_executor, None)

    def write(block: bytearray) -> D:
        nonlocal draft
        body.update(block)
        if draft is None:
            draft = begin()
        draft.write(block)
        return draft

    def finish(block: bytearray) -> T:
        with write(block) as written:
            return commit(written, body.finish())

    held = bytearray()
    try:
        async for data in body:
            held += data
            if len(held) >= _BLOCK:
                if writing is not None:
                    await asyncio.shield(writing)
                writing = run(write, held)
                held = bytearray()
        if writing is not None:
            await asyncio.shield(writing)
        writing = committing = run(finish, held)
        return await asyncio.shield(committing)
    finally:
        if writing is not None:
            await asyncio.gather(writing, return_exceptions=True)
        if draft is not None:
            draft.__exit__()
