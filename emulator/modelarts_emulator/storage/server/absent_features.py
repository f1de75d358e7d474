"""Calls about features that this store does not have, handled as by a service where nobody has used them.

Clients ask for them in the course of ordinary work. To read is to find nothing, to delete is to succeed; to set
anything but what holds anyway is rejected.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.server import xml as documents
from modelarts_emulator.storage.server.buckets import entry_of, listing_head, page_of_objects
from modelarts_emulator.storage.server.call import Call, empty
from modelarts_emulator.storage.server.dialect import Dialect
from modelarts_emulator.storage.server.xml import CANONICAL_USER, Content, Encoding, Markup

__all__ = ["BUCKET", "OBJECT"]

Handler = Callable[[Call], Awaitable[Response]]


async def _exists(call: Call) -> None:
    """Raise NoSuchBucket or NoSuchKey unless there is what the call is about."""
    if call.key:
        await run_in_threadpool(call.store.head, call.bucket, call.key)
    else:
        await run_in_threadpool(call.store.head_bucket, call.bucket)


async def _empty_document(name: str, content: list[tuple[str, Content]], call: Call) -> Response:
    await _exists(call)
    return call.xml(name, content)


async def _nothing(code: str, call: Call) -> Response:
    await _exists(call)
    raise StoreError(code, "there is no such configuration: this store does not have the feature")


async def _deleted(call: Call) -> Response:
    await _exists(call)
    return empty(204)


async def get_acl(call: Call) -> Response:
    """The owner may do everything, nobody else anything."""
    await _exists(call)
    kind = None if call.dialect is Dialect.OBS else CANONICAL_USER
    grant: Content = [("Grantee", call.owner, kind), ("Permission", "FULL_CONTROL")]
    return call.xml("AccessControlPolicy", [("Owner", call.owner), ("AccessControlList", [("Grant", grant)])])


async def put_acl(call: Call) -> Response:
    """Accept an access control list that says what holds anyway; raises NotSupported for any other."""
    await _exists(call)
    if body := await call.body.document():
        root = documents.parse(body, "AccessControlPolicy")
        grantees = [element.findtext("Grantee/ID") for element in root.iter("Grant")]
        if any(grantee != call.sender.domain_id for grantee in grantees):
            raise StoreError(
                "NotImplemented", "this object store has no access control lists: only the owner can have a grant"
            )
    return empty(200)


async def put_tagging(call: Call) -> Response:
    """Accept an empty set of tags; raises NotSupported for any other."""
    await _exists(call)
    if any(True for _ in documents.parse(await call.body.document(), "Tagging").iter("Tag")):
        raise StoreError(
            "NotImplemented", "this object store keeps no tags; metadata of objects (x-amz-meta-*) is kept"
        )
    return empty(200)


async def put_versioning(call: Call) -> Response:
    """Accept that versions are suspended; raises NotSupported if they are to be enabled."""
    await _exists(call)
    if documents.text(documents.parse(await call.body.document(), "VersioningConfiguration"), "Status") != "Suspended":
        raise StoreError("NotImplemented", "this object store keeps no versions of objects")
    return empty(200)


async def list_versions(call: Call) -> Response:
    """A page of objects, of which each is the only version."""
    encode = Encoding(call.query.get("encoding-type"))
    marker = call.query.get("key-marker", "")
    listing, limit = await page_of_objects(call, marker)
    content: list[tuple[str, Content]] = [
        *listing_head(call, encode, limit, listing),
        ("KeyMarker", encode(marker)),
        ("VersionIdMarker", call.query.get("version-id-marker", "")),
        ("NextKeyMarker", encode(listing.next_marker) if listing.next_marker else None),
        ("NextVersionIdMarker", "null" if listing.next_marker else None),
    ]
    owner = documents.markup(call.owner)
    for info in listing.objects:
        version = "<VersionId>null</VersionId><IsLatest>true</IsLatest>"
        content.append(("Version", Markup(entry_of(info, encode, owner) + version)))
    return call.xml("ListVersionsResult", [*content, *encode.prefixes(listing.prefixes)])


async def get_storage_class(call: Call) -> Response:
    """The class of all buckets and objects (OBS)."""
    await _exists(call)
    return call.xml("StorageClass", "STANDARD")


async def get_storage_info(call: Call) -> Response:
    """How much is in the bucket (OBS)."""
    sizes = await run_in_threadpool(lambda: [size for _, size in call.store.sizes(call.bucket)])
    return call.xml("GetBucketStorageInfoResult", [("Size", sum(sizes)), ("ObjectNumber", len(sizes))])


async def put_quota(call: Call) -> Response:
    """Accept the absence of a quota (OBS); raises NotSupported for any other."""
    await _exists(call)
    quota = documents.text(documents.parse(await call.body.document(), "Quota"), "StorageQuota")
    if not quota.isdigit():
        raise StoreError("MalformedXML", "<StorageQuota> must be a number")
    if int(quota):
        raise StoreError("NotImplemented", "this object store limits no bucket: the quota can only be 0, which is none")
    return empty(200)


def _document(name: str, *content: tuple[str, Content]) -> Handler:
    return partial(_empty_document, name, list(content))


def _none(code: str) -> Handler:
    return partial(_nothing, code)


_ABSENT_OF_BUCKETS = {
    "cors": "NoSuchCORSConfiguration",
    "customdomain": "NoSuchCustomDomain",
    "encryption": "ServerSideEncryptionConfigurationNotFoundError",
    "lifecycle": "NoSuchLifecycleConfiguration",
    "object-lock": "ObjectLockConfigurationNotFoundError",
    "ownershipControls": "OwnershipControlsNotFoundError",
    "policy": "NoSuchBucketPolicy",
    "publicAccessBlock": "NoSuchPublicAccessBlockConfiguration",
    "replication": "ReplicationConfigurationNotFoundError",
    "tagging": "NoSuchTagSet",
    "website": "NoSuchWebsiteConfiguration",
}
"""Configurations, by sub-resource, with the code that says that there is none."""

BUCKET: dict[tuple[str, str], Handler] = {
    ("GET", "acl"): get_acl,
    ("PUT", "acl"): put_acl,
    ("GET", "accelerate"): _document("AccelerateConfiguration"),
    ("GET", "logging"): _document("BucketLoggingStatus"),
    ("GET", "notification"): _document("NotificationConfiguration"),
    ("GET", "policyStatus"): _document("PolicyStatus", ("IsPublic", "FALSE")),
    ("GET", "quota"): _document("Quota", ("StorageQuota", 0)),
    ("PUT", "quota"): put_quota,
    ("GET", "requestPayment"): _document("RequestPaymentConfiguration", ("Payer", "BucketOwner")),
    ("GET", "storageClass"): get_storage_class,
    ("GET", "storagePolicy"): _document("StoragePolicy", ("DefaultStorageClass", "STANDARD")),
    ("GET", "storageinfo"): get_storage_info,
    ("PUT", "tagging"): put_tagging,
    ("GET", "versioning"): _document("VersioningConfiguration"),
    ("PUT", "versioning"): put_versioning,
    ("GET", "versions"): list_versions,
    **{("GET", name): _none(code) for name, code in _ABSENT_OF_BUCKETS.items()},
    **{("DELETE", name): _deleted for name in _ABSENT_OF_BUCKETS},
}
OBJECT: dict[tuple[str, str], Handler] = {
    ("GET", "acl"): get_acl,
    ("PUT", "acl"): put_acl,
    ("GET", "legal-hold"): _none("NoSuchObjectLockConfiguration"),
    ("GET", "retention"): _none("NoSuchObjectLockConfiguration"),
    ("GET", "tagging"): _document("Tagging", ("TagSet", [])),
    ("PUT", "tagging"): put_tagging,
    ("DELETE", "tagging"): _deleted,
}
