"""Errors of object storage: codes of the S3 dialect, each with its HTTP status.

Codes and statuses are those that the S3 and OBS references share. Only errors that are caught have classes.
"""

# ruff: noqa: N818 - the names are the codes on the wire

from __future__ import annotations

import errno
import json
from http import HTTPStatus
from pathlib import Path
from typing import Self

_CODES: dict[str, list[str]] = json.loads(Path(__file__).with_name("statuses.json").read_text("utf-8"))
STATUSES = {code: int(status) for status, codes in _CODES.items() for code in codes}
"""The HTTP status of each code; that of any other one, which names a configuration that is not there, is 404."""


class StoreError(Exception):
    """An error of object storage; the message states the fact and, where there is one, the remedy."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    @property
    def status(self) -> int:
        """The HTTP status of the response."""
        return STATUSES.get(self.code, HTTPStatus.NOT_FOUND.value)


class _NamedError(StoreError):
    """An error whose class has the name of its code."""

    def __init__(self, message: str) -> None:
        super().__init__(type(self).__name__, message)


class AccessDenied(_NamedError):
    """The request is not signed, or the store may not do it."""


class BucketAlreadyOwnedByYou(_NamedError):
    """The bucket exists."""


class InvalidKey(StoreError, ValueError):
    """The store cannot hold the key: a limit of the emulator, not of the service."""

    def __init__(self, message: str) -> None:
        super().__init__("InvalidArgument", message)


class NoSuchBucket(_NamedError):
    """There is no such bucket."""

    @classmethod
    def named(cls, bucket: str) -> Self:
        return cls(f"bucket {bucket!r} does not exist: create it first")


class NoSuchKey(_NamedError):
    """There is no such object."""

    @classmethod
    def named(cls, bucket: str, key: str) -> Self:
        return cls(f"object {key!r} does not exist in bucket {bucket}")


class PreconditionFailed(_NamedError):
    """The object is not in the state that the client made its condition."""


class ServiceUnavailable(_NamedError):
    """The store is busy; the request can be repeated."""


DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The error numbers of a disk, or a user's share of it, that is full."""
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""The error numbers of limits of the system."""


def of_os_error(error: OSError) -> StoreError:
    """Return the error response for a failure of the file system."""
    if error.errno in DISK_FULL:
        message = "the disk that holds the objects is full: make room on it, and try again"
        # OBS has this code and status, and clients do not retry it.
        return StoreError("InsufficientStorageSpace", message)
    if error.errno in _DENIED:
        return AccessDenied(f"the emulator may not do this in its folder of objects: {error.strerror}; change its mode")
    if error.errno == errno.ENAMETOOLONG:
        return InvalidKey("the key is too long for the file system that holds the objects: use a shorter one")
    if error.errno in EXHAUSTED:
        return ServiceUnavailable(f"the emulator has reached a limit of the system: {error.strerror}; try again")
    return StoreError("InternalError", f"the folder of the objects fails: {error.strerror or error}")
