"""The checksums that clients send with an object and get back with it, by the name of their header."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from anycrc import Model

from modelarts_emulator.storage.errors import StoreError

__all__ = ["CHECKSUM", "CHECKSUMS", "Digest", "Digests", "PartDigests"]

CHECKSUM = "x-amz-checksum-"


class Digest(Protocol):
    """What hashlib's objects can do."""

    def update(self, data: bytes | bytearray, /) -> object: ...

    def digest(self) -> bytes: ...


class _Crc:
    """A cyclic redundancy check of `length` bytes; `continued` takes data and the value so far, which begins with 0."""

    def __init__(self, length: int, continued: Callable[[bytes | bytearray, int], int]) -> None:
        self._length = length
        self._continued = continued
        self._value = 0

    def update(self, data: bytes | bytearray, /) -> None:
        self._value = self._continued(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._length)


_CRC32C, _CRC64NVME, _CRC64ECMA = Model("CRC32C").calc, Model("CRC64-NVME").calc, Model("CRC64-XZ").calc
_ALGORITHMS: dict[str, Callable[[], Digest]] = {
    "crc32": lambda: _Crc(4, zlib.crc32),
    "crc32c": lambda: _Crc(4, _CRC32C),
    "crc64nvme": lambda: _Crc(8, _CRC64NVME),
    "crc64ecma": lambda: _Crc(8, _CRC64ECMA),
    "sha1": hashlib.sha1,
    "sha256": hashlib.sha256,
}
CHECKSUMS = frozenset(f"{CHECKSUM}{name}" for name in _ALGORITHMS)
"""The headers with a checksum."""

_DECIMAL = f"{CHECKSUM}crc64ecma"
"""OBS writes this one as a decimal number, all others are base64."""


class Digests:
    """What is calculated of a body while it arrives: its MD5, and each checksum that is announced for it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._digests: dict[str, Digest] = {}
        for name in names:
            if name.startswith(CHECKSUM) and (make := _ALGORITHMS.get(name[len(CHECKSUM) :])) is not None:
                self._digests[name] = make()
        self._md5 = hashlib.md5(usedforsecurity=False)

    def update(self, data: bytes | bytearray) -> None:
        """Take the next bytes."""
        self._md5.update(data)
        for digest in self._digests.values():
            digest.update(data)

    @property
    def etag(self) -> str:
        """The MD5 in hex, which is the ETag of what arrived in one piece."""
        return self._md5.hexdigest()

    def verify(self, announced: Mapping[str, str]) -> dict[str, str]:
        """Compare with what was announced, and return the checksums by header; raises BadDigest."""
        if "content-md5" in announced:
            _compare("content-md5", announced["content-md5"], self._md5.digest(), "InvalidDigest")
        found = {}
        for name, digest in self._digests.items():
            value = digest.digest()
            if name == _DECIMAL:
                found[name] = str(int.from_bytes(value))
                if announced.get(name) != found[name]:
                    raise StoreError("BadDigest", f"the body does not have the checksum that {name} announces")
                continue
            _compare(name, announced.get(name, ""), value)
            found[name] = base64.b64encode(value).decode()
        return found


class PartDigests:
    """Compares an object that is put together of parts with what headers announce of it.

    A checksum is that of all bytes, or that of the checksums of the parts, perhaps with `-` and their number behind it.
    """

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._size = headers.get("x-amz-mp-object-size")
        self._bytes = 0
        known = {f"{CHECKSUM}{name}": make for name, make in _ALGORITHMS.items()}
        self._announced = {name: headers[name] for name in known if name in headers}
        self._makers = {name: known[name] for name in self._announced}
        self._wholes = {name: make() for name, make in self._makers.items()}
        self._parts: dict[int, dict[str, Digest]] = {}

    def update(self, number: int, data: bytes) -> None:
        """Take the next bytes of the part of this number."""
        self._bytes += len(data)
        part = self._parts.setdefault(number, {name: make() for name, make in self._makers.items()})
        for name, whole in self._wholes.items():
            whole.update(data)
            part[name].update(data)

    def verify(self) -> None:
        """Raise BadDigest for another checksum, InvalidRequest for another size."""
        if self._size not in (None, str(self._bytes)):
            raise StoreError(
                "InvalidRequest", f"the object has {self._bytes} bytes, not the {self._size} of x-amz-mp-object-size"
            )
        for name, announced in self._announced.items():
            composite = self._makers[name]()
            for part in self._parts.values():
                composite.update(part[name].digest())
            found = {_text(name, digest.digest()) for digest in (self._wholes[name], composite)}
            if announced.removesuffix(f"-{len(self._parts)}") not in found:
                raise StoreError("BadDigest", f"the object does not have the checksum that {name} announces")


def _text(name: str, value: bytes) -> str:
    return str(int.from_bytes(value)) if name == _DECIMAL else base64.b64encode(value).decode()


def _compare(name: str, announced: str, value: bytes, malformed: str = "BadDigest") -> None:
    try:
        expected = base64.b64decode(announced, validate=True)
        if len(expected) != len(value):
            raise ValueError(announced)
    except ValueError:  # also for what is not ASCII
        raise StoreError(malformed, f"{name} must be the base64 of {len(value)} bytes") from None
    if expected != value:
        raise StoreError("BadDigest", f"the body does not have the checksum that {name} announces")
