"""Calls on buckets: list, create, head, delete, location; list objects, delete many objects."""

from __future__ import annotations

import asyncio
import base64
import binascii

from starlette.responses import Response

from modelarts_emulator.s3 import xml as documents
from modelarts_emulator.s3.call import Call, Dialect, empty
from modelarts_emulator.s3.xml import Content, Encoding, Markup, escaped, timestamp
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.objects import Bucket, Listing, ObjectInfo

_MAX_KEYS = 1000
_MAX_LOCATION = 100  # characters
DEFAULT_LOCATION = "local"
"""Where a bucket is that was created without a location."""


async def list_buckets(call: Call) -> Response:
    """Return the buckets with the prefix."""
    prefix = call.query.get("prefix", "")
    found: Content = [
        ("Bucket", _bucket(call, bucket))
        for bucket in await asyncio.to_thread(call.store.buckets)
        if bucket.name.startswith(prefix)
    ]
    return call.xml("ListAllMyBucketsResult", [("Owner", call.owner), ("Buckets", found), ("Prefix", prefix or None)])


def _bucket(call: Call, bucket: Bucket) -> Content:
    is_obs = call.dialect is Dialect.OBS
    return [
        ("Name", bucket.name),
        ("CreationDate", timestamp(bucket.created)),
        ("Location", bucket.location or DEFAULT_LOCATION if is_obs else None),
        ("BucketType", "OBJECT" if is_obs else None),
    ]


async def create_bucket(call: Call) -> Response:
    """Create a bucket; its location is stored and returned, and has no other effect."""
    location = ""
    if document := await call.body.document():
        root = documents.parse(document, "CreateBucketConfiguration")
        for child in root:
            if child.tag not in ("LocationConstraint", "Location"):
                raise StoreError(
                    "NotImplemented", f"{child.tag} of a bucket is not supported by this object store: leave it out"
                )
            location = child.text or ""
    if not (len(location) <= _MAX_LOCATION and location.isascii() and location.isprintable()):
        raise StoreError(
            "InvalidLocationConstraint", f"a location has at most {_MAX_LOCATION} printable ASCII characters"
        )
    await asyncio.to_thread(call.store.create_bucket, call.bucket, location)
    return empty(200, location=f"/{call.bucket}")


async def head_bucket(call: Call) -> Response:
    """Return the location of the bucket, in a header."""
    bucket = await asyncio.to_thread(call.store.head_bucket, call.bucket)
    return empty(200, x_amz_bucket_region=bucket.location or DEFAULT_LOCATION)


async def delete_bucket(call: Call) -> Response:
    """Delete an empty bucket and the uploads into it: the next bucket of its name may be another account's."""
    await asyncio.to_thread(call.store.delete_bucket, call.bucket)
    await asyncio.to_thread(call.uploads.forget, call.bucket)
    return empty(204)


async def get_location(call: Call) -> Response:
    """Return the location that the bucket was created with."""
    name = "Location" if call.dialect is Dialect.OBS else "LocationConstraint"
    return call.xml(name, (await asyncio.to_thread(call.store.head_bucket, call.bucket)).location)


async def list_objects(call: Call) -> Response:
    """Return a page of objects, continued by key (`marker`)."""
    marker = call.query.get("marker", "")
    encode, listing, head = await _page(call, marker)
    content: list[tuple[str, Content]] = [
        *head,
        ("Marker", encode(marker)),
        ("NextMarker", encode(listing.next_marker) if listing.next_marker else None),
        *_contents(listing, encode, call.owner),
    ]
    return call.xml("ListBucketResult", content)


async def list_objects_v2(call: Call) -> Response:
    """Return a page of objects, continued by token."""
    if call.query["list-type"] != "2":
        raise StoreError("InvalidArgument", "list-type must be 2")
    if call.is_first_form:
        return await list_objects(call)
    token, start_after = call.query.get("continuation-token"), call.query.get("start-after", "")
    encode, listing, head = await _page(call, _decode_token(token) if token else start_after)
    content: list[tuple[str, Content]] = [
        *head,
        ("KeyCount", len(listing.objects) + len(listing.prefixes)),
        ("StartAfter", encode(start_after) or None),
        ("ContinuationToken", token),
        ("NextContinuationToken", _encode_token(listing.next_marker) if listing.next_marker else None),
        *_contents(listing, encode, call.owner if call.query.get("fetch-owner") == "true" else None),
    ]
    return call.xml("ListBucketResult", content)


async def _page(call: Call, marker: str) -> tuple[Encoding, Listing, list[tuple[str, Content]]]:
    """Return how keys are written, the page that the call asks for, and what its document begins with."""
    encode, limit = Encoding(call.query.get("encoding-type")), call.number("max-keys", _MAX_KEYS, _MAX_KEYS)
    prefix, delimiter = call.query.get("prefix", ""), call.query.get("delimiter", "")
    listing = Listing([], [], None)
    if limit == 0:
        await asyncio.to_thread(call.store.head_bucket, call.bucket)
    else:
        listing = await asyncio.to_thread(call.store.list, call.bucket, prefix, delimiter, marker, limit)
    head: list[tuple[str, Content]] = [
        ("Name", call.bucket),
        ("Prefix", encode(prefix)),
        ("Delimiter", encode(delimiter) if delimiter else None),
        ("MaxKeys", limit),
        ("EncodingType", encode.kind),
        ("IsTruncated", listing.next_marker is not None),
    ]
    return encode, listing, head


def _contents(listing: Listing, encode: Encoding, owner: Content) -> list[tuple[str, Content]]:
    written = None if owner is None else documents.markup(owner)
    contents: list[tuple[str, Content]] = [("Contents", _entry(info, encode, written)) for info in listing.objects]
    return [*contents, *(("CommonPrefixes", [("Prefix", encode(prefix))]) for prefix in listing.prefixes)]


def _entry(info: ObjectInfo, encode: Encoding, owner: Markup | None) -> Markup:
    """Return the entry of an object, written at once: a page has a thousand of them."""
    return Markup(
        f"<Key>{escaped(encode(info.key))}</Key><LastModified>{timestamp(info.modified)}</LastModified>"
        f"<ETag>&quot;{info.etag}&quot;</ETag><Size>{info.size}</Size><StorageClass>STANDARD</StorageClass>"
        + (f"<Owner>{owner}</Owner>" if owner is not None else "")
    )


def _encode_token(marker: str) -> str:
    return base64.urlsafe_b64encode(marker.encode()).decode()


def _decode_token(token: str) -> str:
    try:
        return base64.b64decode(token.encode(), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError):
        raise StoreError(
            "InvalidArgument", "the continuation token does not come from a listing: leave it out to begin at the start"
        ) from None


async def delete_objects(call: Call) -> Response:
    """Delete up to 1000 objects, and report for each whether it was deleted."""
    root = documents.parse(await call.body.document(), "Delete")
    objects = root.findall("Object")
    if not 1 <= len(objects) <= _MAX_KEYS:
        raise StoreError("MalformedXML", f"<Delete> names 1 to {_MAX_KEYS} objects, this one {len(objects)}")
    keys = [documents.text(entry, "Key") for entry in objects]
    if any(entry.findtext("VersionId") not in (None, "null") for entry in objects):
        raise StoreError("NotImplemented", "object versions are not supported: leave out the version")
    if any(entry.find(name) is not None for entry in objects for name in ("ETag", "LastModifiedTime", "Size")):
        raise StoreError(
            "NotImplemented", "objects are deleted without a condition: leave out ETag, LastModifiedTime and Size"
        )
    results = await asyncio.to_thread(_delete_all, call, keys, root.findtext("Quiet") == "true")
    return call.xml("DeleteResult", results)


def _delete_all(call: Call, keys: list[str], is_quiet: bool) -> list[tuple[str, Content]]:
    call.store.head_bucket(call.bucket)
    results: list[tuple[str, Content]] = []
    for key in keys:
        try:
            call.store.delete(call.bucket, key)
        except StoreError as error:
            results.append(("Error", [("Key", key), ("Code", error.code), ("Message", str(error))]))
        else:
            if not is_quiet:
                results.append(("Deleted", [("Key", key)]))
    return results
