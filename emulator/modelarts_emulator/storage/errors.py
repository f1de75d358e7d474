"""Errors of object storage: one class per error code of the S3 dialect, with its HTTP status.

Codes and statuses are those that the S3 and OBS references share.
"""

# ruff: noqa: N818 - the names are the codes on the wire

from __future__ import annotations

import errno
from typing import ClassVar, Self


class StoreError(Exception):
    """An error of object storage; the message states the fact and, where there is one, the remedy."""

    code: str = "InternalError"
    status: ClassVar[int] = 500


class BadDigest(StoreError):
    """The body is not the one whose checksum the client sent."""

    code, status = "BadDigest", 400


class InvalidDigest(StoreError):
    """What the client sent as a checksum of the body is none."""

    code, status = "InvalidDigest", 400


class InvalidRequest(StoreError):
    """The parts of the request contradict each other, or what they are about."""

    code, status = "InvalidRequest", 400


class MetadataTooLarge(StoreError):
    """The metadata of an object takes more room than it may."""

    code, status = "MetadataTooLarge", 400


class AuthorizationHeaderMalformed(StoreError):
    """The Authorization header cannot be read."""

    code, status = "AuthorizationHeaderMalformed", 400


class AuthorizationQueryParametersError(StoreError):
    """The query of a presigned URL cannot be read."""

    code, status = "AuthorizationQueryParametersError", 400


class EntityTooLarge(StoreError):
    """There is more than the sender may send."""

    code, status = "EntityTooLarge", 400


class EntityTooSmall(StoreError):
    """A part, not the last, is below the minimum."""

    code, status = "EntityTooSmall", 400


class IncompleteBody(StoreError):
    """The body ended early or went on too long."""

    code, status = "IncompleteBody", 400


class InvalidArgument(StoreError):
    """An argument cannot be meant."""

    code, status = "InvalidArgument", 400


class InvalidBucketName(StoreError):
    """A bucket cannot have this name."""

    code, status = "InvalidBucketName", 400


class InvalidKey(InvalidArgument, ValueError):
    """The store cannot hold the key: a limit of the emulator, not of the service."""


class InvalidLocationConstraint(StoreError):
    """A bucket cannot be made there."""

    code, status = "InvalidLocationConstraint", 400


class InvalidPart(StoreError):
    """A part that is to be assembled was not uploaded, or differently."""

    code, status = "InvalidPart", 400


class InvalidPartNumber(StoreError):
    """The object has no part of this number."""

    code, status = "InvalidPartNumber", 416


class InvalidPartOrder(StoreError):
    """Parts are not named in ascending order."""

    code, status = "InvalidPartOrder", 400


class MalformedXML(StoreError):
    """The body is not the XML that this call takes."""

    code, status = "MalformedXML", 400


class ContentMismatch(StoreError):
    """The body is not the one that was signed."""

    code, status = "XAmzContentSHA256Mismatch", 400


class AccessDenied(StoreError):
    """The request is not signed, or the store may not do it."""

    code, status = "AccessDenied", 403


class InsufficientStorageSpace(StoreError):
    """The disk has no room for the object; OBS has this code and status, and clients do not retry it."""

    code, status = "InsufficientStorageSpace", 403


class InvalidAccessKeyId(StoreError):
    """Nobody has this access key."""

    code, status = "InvalidAccessKeyId", 403


class RequestTimeTooSkewed(StoreError):
    """The clocks differ too much."""

    code, status = "RequestTimeTooSkewed", 403


class SignatureDoesNotMatch(StoreError):
    """The signature is not that of this request under this secret key."""

    code, status = "SignatureDoesNotMatch", 403


class NoSuchBucket(StoreError):
    """There is no such bucket."""

    code, status = "NoSuchBucket", 404

    @classmethod
    def named(cls, bucket: str) -> Self:
        return cls(f"bucket {bucket!r} does not exist: create it first")


class NoSuchKey(StoreError):
    """There is no such object."""

    code, status = "NoSuchKey", 404

    @classmethod
    def named(cls, bucket: str, key: str) -> Self:
        return cls(f"object {key!r} does not exist in bucket {bucket}")


class NoSuchUpload(StoreError):
    """There is no such multi-part upload, or no longer."""

    code, status = "NoSuchUpload", 404


class NoSuchConfiguration(StoreError):
    """The bucket or object has no configuration of this kind; the code names the kind."""

    status = 404

    def __init__(self, code: str) -> None:
        super().__init__("there is no such configuration: this store does not have the feature")
        self.code = code


class NoSuchVersion(StoreError):
    """There is no such version of an object."""

    code, status = "NoSuchVersion", 404


class MethodNotAllowed(StoreError):
    """No resource of this kind has this method."""

    code, status = "MethodNotAllowed", 405


class BucketAlreadyExists(StoreError):
    """The bucket exists, and belongs to another account."""

    code, status = "BucketAlreadyExists", 409


class BucketAlreadyOwnedByYou(StoreError):
    """The bucket exists."""

    code, status = "BucketAlreadyOwnedByYou", 409


class BucketNotEmpty(StoreError):
    """A bucket with objects cannot be deleted."""

    code, status = "BucketNotEmpty", 409


class ObjectNotAppendable(StoreError):
    """Bytes can be appended only to an object that was made by appending."""

    code, status = "ObjectNotAppendable", 409


class PositionNotEqualToLength(StoreError):
    """Bytes are appended where the object ends, nowhere else."""

    code, status = "PositionNotEqualToLength", 409


class PreconditionFailed(StoreError):
    """The object is not in the state that the client made its condition."""

    code, status = "PreconditionFailed", 412


class InvalidRange(StoreError):
    """The object has no such bytes."""

    code, status = "InvalidRange", 416


class NotSupported(StoreError):
    """S3 or OBS supports it, this store does not."""

    code, status = "NotImplemented", 501


class ServiceUnavailable(StoreError):
    """The store is busy; the request can be repeated."""

    code, status = "ServiceUnavailable", 503


DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The error numbers of a disk, or a user's share of it, that is full."""
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""The error numbers of limits of the system."""


def of_os_error(error: OSError) -> StoreError:
    """Return the error response for a failure of the file system."""
    if error.errno in DISK_FULL:
        return InsufficientStorageSpace("the disk that holds the objects is full: make room on it, and try again")
    if error.errno in _DENIED:
        return AccessDenied(f"the emulator may not do this in its folder of objects: {error.strerror}; change its mode")
    if error.errno == errno.ENAMETOOLONG:
        return InvalidKey("the key is too long for the file system that holds the objects: use a shorter one")
    if error.errno in EXHAUSTED:
        return ServiceUnavailable(f"the emulator has reached a limit of the system: {error.strerror}; try again")
    return StoreError(f"the folder of the objects fails: {error.strerror or error}")
