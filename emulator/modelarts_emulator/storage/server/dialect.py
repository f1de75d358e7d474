"""What differs between the dialects of S3 and of OBS: the names of headers and some documents.

Handlers know the names of S3 only; requests and responses of OBS clients are translated.
Source: "Differences Between OBS and S3 APIs", and the pages of the operations in the OBS reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from starlette.datastructures import MutableHeaders

from modelarts_emulator.storage.server.authentication import scheme_of
from modelarts_emulator.storage.server.sigv4 import Request

__all__ = ["Dialect"]

_OBS_NAMES = {
    "x-amz-bucket-region": "x-obs-bucket-location",
    "x-amz-server-side-encryption-aws-kms-key-id": "x-obs-server-side-encryption-kms-key-id",
}
_S3_NAMES = {obs: s3 for s3, obs in _OBS_NAMES.items()}


class Dialect(Enum):
    """A dialect, with the namespace of its documents."""

    S3 = "http://s3.amazonaws.com/doc/2006-03-01/"
    OBS = "http://obs.myhwclouds.com/doc/2015-06-30/"

    def read(self, headers: Iterable[tuple[str, str]]) -> dict[str, str]:
        """The headers of a request under the names of S3, the values of equal names joined."""
        found: dict[str, str] = {}
        for name, value in headers:
            if self is Dialect.OBS and name.startswith("x-obs-"):
                name = _S3_NAMES.get(name, f"x-amz-{name[len('x-obs-') :]}")
            found[name] = f"{found[name]},{value}" if name in found else value
        return found

    def write(self, headers: MutableHeaders) -> None:
        """Rename the headers of a response."""
        if self is Dialect.S3:
            return
        for name, value in list(headers.items()):
            if name.startswith("x-amz-"):
                del headers[name]
                headers[_OBS_NAMES.get(name, f"x-obs-{name[len('x-amz-') :]}")] = value

    @classmethod
    def of(cls, request: Request) -> Dialect:
        """The dialect of a request: that of its signature's scheme; the unsigned `?apiversion` is a question of OBS."""
        scheme = scheme_of(request)
        is_question = not scheme and any(name == "apiversion" for name, _ in request.parameters())
        return cls.OBS if scheme == "OBS" or is_question else cls.S3
