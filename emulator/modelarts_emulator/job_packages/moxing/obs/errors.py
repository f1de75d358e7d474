"""The errors of `mox.file`, under their documented names.

All are OSErrors, so that code for local files catches them, too. No message holds a secret.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "MoxFileNameDuplicateException",
    "MoxFileNotExistsException",
    "MoxFileReadException",
    "MoxFileRespException",
    "Response",
]


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


class MoxFileReadException(OSError):  # noqa: N818 - the documented name
    """An object could not be read to its end, or changed meanwhile."""

    def __init__(self, message: str, resp: Response) -> None:
        super().__init__(message)
        self.resp = resp


class MoxFileNameDuplicateException(OSError):  # noqa: N818 - the documented name
    """A directory and a file would get the same local path: object storage allows it, file systems do not."""
