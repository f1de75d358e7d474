"""A request's body as it was meant: decoded, and held against every checksum that came with it."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol

from modelarts_emulator.storage.errors import (
    BadDigest,
    ContentMismatch,
    IncompleteBody,
    InvalidArgument,
    MalformedXML,
)
from modelarts_emulator.storage.server.aws_chunked import STREAMING, ChunkDecoder
from modelarts_emulator.storage.server.sigv4 import UNSIGNED, Verified

_MAX_DOCUMENT = 4 << 20
_PREFIX = "x-amz-checksum-"


class _Digest(Protocol):
    def update(self, data: bytes, /) -> object: ...

    def digest(self) -> bytes: ...


class _Crc32:
    def __init__(self) -> None:
        self._value = 0

    def update(self, data: bytes, /) -> None:
        self._value = zlib.crc32(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(4)


_CHECKSUMS: dict[str, Callable[[], _Digest]] = {"crc32": _Crc32, "sha1": hashlib.sha1, "sha256": hashlib.sha256}
"""What can be verified; CRC32C and CRC64NVME, not in Python's library, are accepted unverified."""


class Body:
    """The pieces of a body, to be iterated once: the end comes only if everything was as announced."""

    def __init__(self, stream: AsyncIterator[bytes], headers: Mapping[str, str], verified: Verified) -> None:
        self._stream = stream
        self._headers = headers
        self._decoder = ChunkDecoder(verified) if verified.payload in STREAMING else None
        self._digests: dict[str, _Digest] = {}
        if self._decoder is None and verified.payload != UNSIGNED:
            if not re.fullmatch(r"[0-9a-f]{64}", verified.payload):
                raise InvalidArgument("x-amz-content-sha256 must be a SHA-256 in hex, or a documented constant")
            self._digests["signed"] = hashlib.sha256()
        self._signed = verified.payload
        if "content-md5" in headers:
            self._digests["content-md5"] = hashlib.md5(usedforsecurity=False)
        announced = [name.strip().lower() for name in headers.get("x-amz-trailer", "").split(",")]
        for name in [*headers, *announced]:
            if (make := _CHECKSUMS.get(name.removeprefix(_PREFIX))) and name.startswith(_PREFIX):
                self._digests[name] = make()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            for data in self._decoder.feed(piece) if self._decoder else [piece]:
                if data:
                    size += len(data)
                    for digest in self._digests.values():
                        digest.update(data)
                    yield data
        if self._decoder:
            self._decoder.finish()
        self._check_length(size)
        self._check_digests()

    async def document(self) -> bytes:
        """All of a body that is a document; raises MalformedXML if it is too long for one."""
        found = bytearray()
        async for data in self:
            found += data
            if len(found) > _MAX_DOCUMENT:
                raise MalformedXML(f"the document has more than {_MAX_DOCUMENT} bytes")
        return bytes(found)

    def _check_length(self, size: int) -> None:
        announced = self._headers.get("x-amz-decoded-content-length") if self._decoder else None
        if announced is not None and announced != str(size):
            raise IncompleteBody(f"the body holds {size} bytes of data, the request announced {announced}")

    def _check_digests(self) -> None:
        values = {**self._headers, **(self._decoder.trailers if self._decoder else {})}
        for name, digest in self._digests.items():
            if name == "signed":
                if digest.digest().hex() != self._signed:
                    raise ContentMismatch("the body is not the one whose SHA-256 was signed")
                continue
            try:
                expected = base64.b64decode(values.get(name, ""), validate=True)
            except ValueError:  # also for what is not ASCII
                raise BadDigest(f"{name} is not base64") from None
            if expected != digest.digest():
                raise BadDigest(f"the body does not have the checksum that {name} announces")
