"""Decodes `aws-chunked` bodies: data in chunks, each perhaps signed, perhaps followed by trailing headers.

Source: "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks" and the page
on trailing headers after it, S3 reference.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator

from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.server.sigv4 import ALGORITHM, Verified

SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
UNSIGNED_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
STREAMING = (SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER)

_HEADER = re.compile(rb"([0-9a-fA-F]{1,16})(?:;chunk-signature=([0-9a-f]{64}))?")
_MAX_LINE = 16 * 1024
_EMPTY = hashlib.sha256(b"").hexdigest()


class ChunkDecoder:
    """Takes the body in pieces of any size and returns the data in it; signatures are checked on the way."""

    def __init__(self, verified: Verified) -> None:
        self._verified = verified
        self._is_signed = verified.payload != UNSIGNED_TRAILER
        self._has_trailer = verified.payload != SIGNED
        self._signature = verified.signature
        self._buffer = bytearray()
        self._state = "header"
        self._left = 0
        self._expected = b""
        self._hash = hashlib.sha256()
        self._signed_trailers = bytearray()
        self.trailers: dict[str, str] = {}

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Yield the data that the piece completes; raises IncompleteBody or SignatureDoesNotMatch."""
        self._buffer += piece
        while self._state != "end":
            if self._state == "data":
                if not self._buffer:
                    return
                data = bytes(self._buffer[: self._left])
                del self._buffer[: len(data)]
                self._left -= len(data)
                if self._is_signed:
                    self._hash.update(data)
                if self._left == 0:
                    self._state = "data end"
                yield data
                continue
            line = self._line()
            if line is None:
                return
            self._take(line)
        if self._buffer:
            raise StoreError("IncompleteBody", "there is something after the last chunk of the body")

    def finish(self) -> None:
        """Raise IncompleteBody unless the last chunk has come."""
        if self._state != "end" and not (self._state == "trailer" and not self._has_trailer):
            raise StoreError("IncompleteBody", "the body ended within a chunk")

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\r\n")
        if end < 0:
            if len(self._buffer) > _MAX_LINE:
                raise StoreError("IncompleteBody", "the body is not in the aws-chunked form that the request announces")
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 2]
        return line

    def _take(self, line: bytes) -> None:
        if self._state == "data end":
            if line:
                raise StoreError("IncompleteBody", "a chunk is longer than it says")
            self._check_chunk()
            self._state = "header"
        elif self._state == "header":
            match = _HEADER.fullmatch(line)
            if match is None or (self._is_signed and match[2] is None):
                raise StoreError(
                    "IncompleteBody", "a chunk does not begin with its length and, if signed, its signature"
                )
            self._left, self._expected = int(match[1], 16), match[2] or b""
            if self._left:
                self._state = "data"
            else:
                self._check_chunk()
                self._state = "trailer"
        elif line:
            self._take_trailer(line)
        elif self._signed_trailers and self._is_signed:
            raise StoreError("SignatureDoesNotMatch", "the trailing headers are not signed")
        else:
            self._state = "end"

    def _take_trailer(self, line: bytes) -> None:
        if not self._has_trailer:
            raise StoreError("IncompleteBody", "there are trailing headers, which the request does not announce")
        name, _, value = line.decode("latin-1").partition(":")
        name = name.strip().lower()
        if name != "x-amz-trailer-signature":
            self.trailers[name] = value.strip()
            self._signed_trailers += f"{name}:{value.strip()}\n".encode("latin-1")
        elif self._is_signed:
            digest = hashlib.sha256(self._signed_trailers).hexdigest()
            self._check(f"{ALGORITHM}-TRAILER", digest, value.strip())
            self._signed_trailers.clear()

    def _check_chunk(self) -> None:
        if self._is_signed:
            self._check(f"{ALGORITHM}-PAYLOAD", f"{_EMPTY}\n{self._hash.hexdigest()}", self._expected.decode())
            self._hash = hashlib.sha256()

    def _check(self, kind: str, digests: str, signature: str) -> None:
        """Each signature covers the one before it."""
        text = f"{kind}\n{self._verified.timestamp}\n{self._verified.scope}\n{self._signature}\n{digests}"
        expected = hmac.new(self._verified.key, text.encode(), "sha256").hexdigest()
        if not hmac.compare_digest(expected.encode(), signature.encode()):
            raise StoreError("SignatureDoesNotMatch", "a part of the body is not what was signed")
        self._signature = signature
