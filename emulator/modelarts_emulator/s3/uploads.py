"""Calls on multi-part uploads: begin, put or copy a part, list, complete, abort."""

from __future__ import annotations

import asyncio
import hashlib
import re

from starlette.responses import Response

from modelarts_emulator.s3 import xml as documents
from modelarts_emulator.s3.body import receive
from modelarts_emulator.s3.call import Call, empty
from modelarts_emulator.s3.xml import Content, Encoding, timestamp
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.files import pieces
from modelarts_emulator.storage.multipart import MAX_PARTS, Part, PartDraft, Upload

_COPY_RANGE = re.compile(r"bytes=(\d{1,40})-(\d{1,40})")


async def begin_upload(call: Call) -> Response:
    """Begin a multi-part upload."""
    await call.body.document()
    upload = await asyncio.to_thread(call.uploads.begin, call.bucket, call.key, call.attributes())
    content = [("Bucket", call.bucket), ("Key", call.key), ("UploadId", upload.upload_id)]
    return call.xml("InitiateMultipartUploadResult", content)


async def put_part(call: Call) -> Response:
    """Receive a part."""
    upload = await asyncio.to_thread(_upload, call)
    number = _part_number(call)

    def commit(draft: PartDraft, checksums: dict[str, str]) -> tuple[Part, dict[str, str]]:
        return draft.commit(call.body.etag), checksums

    part, checksums = await receive(call.body, lambda: call.uploads.part(upload, number), commit)
    return empty(200, etag=f'"{part.etag}"', **checksums)


async def copy_part(call: Call) -> Response:
    """Copy a part from another object, or from a range of it."""
    await call.body.document()
    part = await asyncio.to_thread(_copy_part, call, call.copy_source() or ("", ""))
    return call.xml("CopyPartResult", [("LastModified", timestamp(part.modified)), ("ETag", f'"{part.etag}"')])


def _copy_part(call: Call, source: tuple[str, str]) -> Part:
    info, stream = call.store.get(*source)
    with stream, call.uploads.part(_upload(call), _part_number(call)) as draft:
        start, end = 0, info.size
        if (wanted := call.headers.get("x-amz-copy-source-range")) is not None:
            match = _COPY_RANGE.fullmatch(wanted)
            if match is None:
                raise StoreError("InvalidArgument", "x-amz-copy-source-range must have the form bytes=<first>-<last>")
            start, end = int(match[1]), int(match[2]) + 1
            if not start < end <= info.size:
                raise StoreError("InvalidRange", f"the source has {info.size} bytes, not those that are asked for")
        stream.seek(start)
        md5 = hashlib.md5(usedforsecurity=False)
        for data in pieces(stream, end - start):
            md5.update(data)
            draft.write(data)
        return draft.commit(md5.hexdigest())


async def list_parts(call: Call) -> Response:
    """Return a page of the parts that have arrived."""
    limit, marker = call.number("max-parts", 1000, 1000), call.number("part-number-marker", 0, MAX_PARTS)
    upload = await asyncio.to_thread(_upload, call)
    left = [part for part in await asyncio.to_thread(call.uploads.parts, upload) if part.number > marker]
    shown = left[:limit]
    content: list[tuple[str, Content]] = [
        ("Bucket", call.bucket),
        ("Key", call.key),
        ("UploadId", upload.upload_id),
        ("PartNumberMarker", marker),
        ("NextPartNumberMarker", shown[-1].number if shown else None),
        ("MaxParts", limit),
        ("IsTruncated", len(left) > len(shown)),
    ]
    for part in shown:
        described: Content = [
            ("PartNumber", part.number),
            ("LastModified", timestamp(part.modified)),
            ("ETag", f'"{part.etag}"'),
            ("Size", part.size),
        ]
        content.append(("Part", described))
    return call.xml("ListPartsResult", content)


async def list_uploads(call: Call) -> Response:
    """Return a page of the uploads that are neither completed nor aborted."""
    encode = Encoding(call.query.get("encoding-type"))
    limit, prefix = call.number("max-uploads", 1000, 1000), call.query.get("prefix", "")
    if call.query.get("delimiter"):
        raise StoreError("NotImplemented", "uploads are listed without common prefixes: leave out the delimiter")
    key_marker, id_marker = call.query.get("key-marker", ""), call.query.get("upload-id-marker", "")
    found = [entry for entry in await asyncio.to_thread(call.uploads.list, call.bucket) if entry.key.startswith(prefix)]
    after = (key_marker, id_marker or "~")  # without an id, all uploads of the key have been seen
    left = [entry for entry in found if (entry.key, entry.upload_id) > after]
    shown = left[:limit]
    is_truncated = len(left) > len(shown) > 0
    content: list[tuple[str, Content]] = [
        ("Bucket", call.bucket),
        ("KeyMarker", encode(key_marker)),
        ("UploadIdMarker", id_marker),
        ("NextKeyMarker", encode(shown[-1].key) if is_truncated else None),
        ("NextUploadIdMarker", shown[-1].upload_id if is_truncated else None),
        ("Prefix", encode(prefix)),
        ("MaxUploads", limit),
        ("EncodingType", encode.kind),
        ("IsTruncated", is_truncated),
    ]
    for upload in shown:
        described = [("Key", encode(upload.key)), ("UploadId", upload.upload_id)]
        described += [("Initiated", timestamp(upload.started)), ("StorageClass", "STANDARD")]
        content.append(("Upload", described))
    return call.xml("ListMultipartUploadsResult", content)


async def complete_upload(call: Call) -> Response:
    """Put the named parts together; the object appears as a whole."""
    upload = await asyncio.to_thread(_upload, call)
    # A checksum in a header is that of the object.
    root = documents.parse(await call.body.document(has_checksums=False), "CompleteMultipartUpload")
    try:
        parts = [
            (int(documents.text(part, "PartNumber")), documents.text(part, "ETag")) for part in root.findall("Part")
        ]
    except ValueError:
        raise StoreError("MalformedXML", "<PartNumber> must be a number") from None
    if not parts:
        raise StoreError("MalformedXML", "<CompleteMultipartUpload> must name at least one <Part>")
    info = await asyncio.to_thread(call.uploads.complete, upload, parts, call.condition())
    content = [
        ("Location", f"/{call.bucket}/{call.key}"),
        ("Bucket", call.bucket),
        ("Key", call.key),
        ("ETag", f'"{info.etag}"'),
    ]
    return call.xml("CompleteMultipartUploadResult", content)


async def abort_upload(call: Call) -> Response:
    """Forget an upload and its parts."""
    await asyncio.to_thread(lambda: call.uploads.abort(_upload(call)))
    return empty(204)


def _upload(call: Call) -> Upload:
    return call.uploads.get(call.bucket, call.key, call.query["uploadId"])


def _part_number(call: Call) -> int:
    return call.number("partNumber", 0, MAX_PARTS + 1)
