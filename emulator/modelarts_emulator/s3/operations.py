"""The operations of object storage by method and sub-resource, and the headers that are not supported.

Clients ask for features that this store does not have, such as policies. Reading them returns what a new bucket has,
deleting them succeeds, and setting them is rejected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from starlette.responses import Response

from modelarts_emulator.s3 import buckets, objects, uploads
from modelarts_emulator.s3.body import CHECKSUM, CHECKSUMS
from modelarts_emulator.s3.call import Call, Dialect, empty
from modelarts_emulator.s3.xml import Content
from modelarts_emulator.settings.files import own_table
from modelarts_emulator.storage.errors import StoreError

Handler = Callable[[Call], Awaitable[Response]]

CANONICAL_USER = {"xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance", "xsi:type": "CanonicalUser"}
"""The attributes of a grantee; some clients expect the namespace there, not at the root."""


async def _exists(call: Call) -> None:
    """Raise NoSuchBucket or NoSuchKey unless there is what the call is about."""
    if call.key:
        await asyncio.to_thread(call.store.head, call.bucket, call.key)
    else:
        await asyncio.to_thread(call.store.head_bucket, call.bucket)


async def _get_document(name: str, content: Mapping[str, Content] | str, call: Call) -> Response:
    await _exists(call)
    return call.xml(name, content if isinstance(content, str) else list(content.items()))


async def _raise_absent(code: str, call: Call) -> Response:
    await _exists(call)
    raise StoreError(code, "there is no such configuration: this store does not have the feature")


async def _delete_nothing(call: Call) -> Response:
    await _exists(call)
    return empty(204)


async def get_acl(call: Call) -> Response:
    """Return a list with one grant: FULL_CONTROL for the owner."""
    await _exists(call)
    kind = None if call.dialect is Dialect.OBS else CANONICAL_USER
    grant: Content = [("Grantee", call.owner, kind), ("Permission", "FULL_CONTROL")]
    return call.xml("AccessControlPolicy", [("Owner", call.owner), ("AccessControlList", [("Grant", grant)])])


_FEATURES = own_table(__file__, "features.toml")
_ABSENT_OF_BUCKETS: dict[str, str] = _FEATURES["absent"]
"""Configurations, by sub-resource, with the error code for a missing one."""

_STORE: dict[str, Handler] = {"GET": buckets.list_buckets}
_BUCKET: dict[str, Handler] = {
    "PUT": buckets.create_bucket,
    "HEAD": buckets.head_bucket,
    "DELETE": buckets.delete_bucket,
    "GET": buckets.list_objects,
    "GET list-type": buckets.list_objects_v2,
    "GET location": buckets.get_location,
    "GET uploads": uploads.list_uploads,
    "POST delete": buckets.delete_objects,
    "GET acl": get_acl,
    **{
        f"GET {word}": partial(_get_document, name, content) for word, (name, content) in _FEATURES["documents"].items()
    },
    **{f"GET {name}": partial(_raise_absent, code) for name, code in _ABSENT_OF_BUCKETS.items()},
    **{f"DELETE {name}": _delete_nothing for name in _ABSENT_OF_BUCKETS},
}
_OBJECT: dict[str, Handler] = {
    "PUT": objects.put_object,
    "PUT copy": objects.copy_object,
    "GET": objects.get_object,
    "HEAD": objects.get_object,
    "DELETE": objects.delete_object,
    "POST append": objects.append_object,
    "POST uploads": uploads.begin_upload,
    "PUT uploadId": uploads.put_part,
    "PUT uploadId copy": uploads.copy_part,
    "GET uploadId": uploads.list_parts,
    "POST uploadId": uploads.complete_upload,
    "DELETE uploadId": uploads.abort_upload,
    "GET acl": get_acl,
    "GET legal-hold": partial(_raise_absent, "NoSuchObjectLockConfiguration"),
    "GET retention": partial(_raise_absent, "NoSuchObjectLockConfiguration"),
    "GET tagging": partial(_get_document, "Tagging", {"TagSet": []}),
    "DELETE tagging": _delete_nothing,
}
_SUBRESOURCES = {word for table in (_BUCKET, _OBJECT) for name in table for word in name.split()[1:]} - {"copy"}
_NOT_SUPPORTED = set(_FEATURES["not_supported"]["parameters"])
_KNOWN = _SUBRESOURCES | _NOT_SUPPORTED | {"versionId"}
"""Parameters without a value that writing calls may have; any other names a sub-resource that is not here."""

_REJECTED_HEADERS = tuple(_FEATURES["not_supported"]["headers"])
_ABOUT_CHECKSUMS = {f"{CHECKSUM}{word}" for word in ("algorithm", "mode", "type")}
"""Headers that say which checksum is meant."""

_ONLY_VALUES: dict[str, str] = _FEATURES["only_values"]
"""Headers of which one value says what holds anyway."""


def find_handler(method: str, bucket: str, key: str, query: Mapping[str, str], headers: Mapping[str, str]) -> Handler:
    """Return the handler of a call; raises NotImplemented, NoSuchVersion or MethodNotAllowed."""
    table = _OBJECT if key else _BUCKET if bucket else _STORE
    words = sorted(_SUBRESOURCES & query.keys())
    extra = sorted(_NOT_SUPPORTED & query.keys())
    if method not in ("GET", "HEAD"):  # they would change the bucket or the object itself instead
        extra += sorted(name for name, value in query.items() if not value and name not in _KNOWN)
    if "uploadId" in query:
        extra = [word for word in extra if word != "partNumber"]
    if len(words) > 1 or extra:
        raise StoreError("NotImplemented", f"?{'&'.join(words + extra)} is not supported by this object store")
    if query.get("versionId") not in (None, "", "null"):
        raise StoreError("NoSuchVersion", "this object store keeps no versions of objects: leave out versionId")
    _check_headers(headers)
    if method == "PUT" and "x-amz-copy-source" in headers:
        words.append("copy")
    handler = table.get(" ".join([method, *words]))
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
        if name.startswith(_REJECTED_HEADERS) or value != _ONLY_VALUES.get(name, value):
            raise StoreError("NotImplemented", f"header {name} is not supported by this object store, leave it out")
