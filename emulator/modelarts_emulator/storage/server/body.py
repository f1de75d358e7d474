"""A request's body as it was meant: decoded, and compared with everything that was announced about it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator, Mapping

from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.server.aws_chunked import STREAMING, ChunkDecoder
from modelarts_emulator.storage.server.checksums import CHECKSUM, Digests
from modelarts_emulator.storage.server.sigv4 import UNSIGNED, Verified

_MAX_DOCUMENT = 4 << 20


class Body:
    """The pieces of a body, to be iterated once; each is to be given to `update`, and at the end comes `finish`.

    So a caller can calculate checksums where it writes, in a thread.
    """

    def __init__(self, stream: AsyncIterator[bytes], headers: Mapping[str, str], verified: Verified) -> None:
        self._stream = stream
        self._headers = headers
        self._decoder = ChunkDecoder(verified) if verified.payload in STREAMING else None
        self._sha256 = None
        if self._decoder is None and verified.payload != UNSIGNED:
            if not re.fullmatch(r"[0-9a-f]{64}", verified.payload):
                raise StoreError(
                    "InvalidArgument", "x-amz-content-sha256 must be a SHA-256 in hex, or a documented constant"
                )
            self._sha256 = hashlib.sha256()
        self._signed = verified.payload
        announced = [name.strip().lower() for name in headers.get("x-amz-trailer", "").split(",")]
        self._digests = Digests({*(name for name in headers if name.startswith(CHECKSUM)), *announced})
        self._size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            for data in self._decoder.feed(piece) if self._decoder else [piece]:
                if data:
                    yield data

    def update(self, data: bytes | bytearray) -> None:
        """Count and digest the next piece."""
        self._size += len(data)
        self._digests.update(data)
        if self._sha256 is not None:
            self._sha256.update(data)

    def finish(self) -> dict[str, str]:
        """Check that everything has arrived as announced; returns the checksums by header.

        Raises IncompleteBody, ContentMismatch or BadDigest.
        """
        if self._decoder:
            self._decoder.finish()
        announced = self._headers.get("x-amz-decoded-content-length") if self._decoder else None
        if announced is not None and announced != str(self._size):
            raise StoreError(
                "IncompleteBody", f"the body holds {self._size} bytes of data, the request announced {announced}"
            )
        if self._sha256 is not None and self._sha256.hexdigest() != self._signed:
            raise StoreError("XAmzContentSHA256Mismatch", "the body is not the one whose SHA-256 was signed")
        return self._digests.verify({**self._headers, **(self._decoder.trailers if self._decoder else {})})

    @property
    def etag(self) -> str:
        """The MD5 of what has arrived, in hex."""
        return self._digests.etag

    async def document(self, *, has_checksums: bool = True) -> bytes:
        """All of a body that is a document; raises MalformedXML if it is too long for one.

        Without `has_checksums`, headers with checksums are about something else.
        """
        if not has_checksums:
            self._digests = Digests(())
        found = bytearray()
        async for data in self:
            found += data
            if len(found) > _MAX_DOCUMENT:
                raise StoreError("MalformedXML", f"the document has more than {_MAX_DOCUMENT} bytes")
        self.update(found)
        self.finish()
        return bytes(found)
