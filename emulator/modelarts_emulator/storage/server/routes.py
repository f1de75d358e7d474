"""Which handler serves a call, by method and sub-resource; what is not supported is rejected."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.responses import Response

from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.server import absent_features, appending, buckets, objects, uploads
from modelarts_emulator.storage.server.call import Call
from modelarts_emulator.storage.server.checksums import CHECKSUM, CHECKSUMS

__all__ = ["Handler", "find_handler"]

Handler = Callable[[Call], Awaitable[Response]]

_STORE: dict[tuple[str, str], Handler] = {("GET", ""): buckets.list_buckets}
_BUCKET: dict[tuple[str, str], Handler] = {
    **absent_features.BUCKET,
    ("PUT", ""): buckets.create_bucket,
    ("HEAD", ""): buckets.head_bucket,
    ("DELETE", ""): buckets.delete_bucket,
    ("GET", ""): buckets.list_objects,
    ("GET", "list-type"): buckets.list_objects_v2,
    ("GET", "location"): buckets.get_location,
    ("GET", "uploads"): uploads.list_uploads,
    ("POST", "delete"): buckets.delete_objects,
}
_OBJECT: dict[tuple[str, str], Handler] = {
    **absent_features.OBJECT,
    ("PUT", ""): objects.put_object,
    ("PUT", "copy"): objects.copy_object,
    ("PUT", "metadata"): appending.put_metadata,
    ("GET", ""): objects.get_object,
    ("GET", "attributes"): objects.get_attributes,
    ("HEAD", ""): objects.get_object,
    ("DELETE", ""): objects.delete_object,
    ("POST", "append"): appending.append_object,
    ("POST", "uploads"): uploads.begin_upload,
    ("PUT", "uploadId"): uploads.put_part,
    ("PUT", "uploadId copy"): uploads.copy_part,
    ("GET", "uploadId"): uploads.list_parts,
    ("POST", "uploadId"): uploads.complete_upload,
    ("DELETE", "uploadId"): uploads.abort_upload,
}
_SUBRESOURCES = {word for table in (_BUCKET, _OBJECT) for _, words in table for word in words.split()} - {"copy"}
_NOT_SUPPORTED = {
    *("analytics", "backtosource", "deletebucket", "directcoldaccess", "intelligent-tiering"),
    *("inventory", "metrics", "modify", "name", "partNumber", "rename", "restore", "select", "torrent", "truncate"),
    *("x-image-process",),
}
_KNOWN = _SUBRESOURCES | _NOT_SUPPORTED | {"versionId"}
"""Parameters without a value that writing calls may have; any other names a sub-resource that is not here."""

_REJECTED_HEADERS = (
    "x-amz-expires",
    "x-amz-fs-file-interface",
    "x-amz-grant-",
    "x-amz-if-match-",
    "x-amz-object-lock-",
    "x-amz-server-side-encryption",
    "x-amz-tagging",
    "x-amz-website-redirect-location",
    "x-amz-write-offset-bytes",
    "x-amz-copy-source-server-side-encryption",
)
_ABOUT_CHECKSUMS = {f"{CHECKSUM}{word}" for word in ("algorithm", "mode", "type")}
"""Headers that say which checksum is meant."""

_ONLY_VALUES = {
    "x-amz-acl": {"private"},
    "x-amz-storage-class": {"STANDARD"},
    "x-default-storage-class": {"STANDARD"},
}
"""Headers of which one value says what holds anyway."""


def find_handler(method: str, bucket: str, key: str, query: Mapping[str, str], headers: Mapping[str, str]) -> Handler:
    """Return the handler of a call; raises NotSupported, NoSuchVersion or MethodNotAllowed."""
    table = _OBJECT if key else _BUCKET if bucket else _STORE
    words = sorted(_SUBRESOURCES & query.keys())
    extra = sorted(_NOT_SUPPORTED & query.keys())
    if method not in ("GET", "HEAD"):  # they would change the bucket or the object itself instead
        extra += sorted(name for name, value in query.items() if not value and name not in _KNOWN)
    if "uploadId" in query or (key and method in ("GET", "HEAD")):
        extra = [word for word in extra if word != "partNumber"]
    if len(words) > 1 or extra:
        raise StoreError("NotImplemented", f"?{'&'.join(words + extra)} is not supported by this object store")
    if query.get("versionId") not in (None, "", "null"):
        raise StoreError("NoSuchVersion", "this object store keeps no versions of objects: leave out versionId")
    _check_headers(headers)
    if method == "PUT" and "x-amz-copy-source" in headers:
        words.append("copy")
    handler = table.get((method, " ".join(words)))
    if handler is not None:
        return handler
    if words and method != "GET":
        raise StoreError("NotImplemented", f"{method} ?{'&'.join(words)} is not supported by this object store")
    raise StoreError("MethodNotAllowed", f"{method} is not supported on this resource")


def _check_headers(headers: Mapping[str, str]) -> None:
    trailers = {name.strip().lower() for name in headers.get("x-amz-trailer", "").split(",")}
    for name in sorted(trailers | headers.keys()):
        if name.startswith(CHECKSUM) and name not in CHECKSUMS | _ABOUT_CHECKSUMS:
            raise StoreError(
                "NotImplemented", f"checksum {name} is not supported by this object store: use one of its others"
            )
    for name, value in headers.items():
        if name.startswith(_REJECTED_HEADERS) or value not in _ONLY_VALUES.get(name, {value}):
            raise StoreError("NotImplemented", f"header {name} is not supported by this object store, leave it out")
