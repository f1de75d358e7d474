"""Calls on objects: put, copy, get, head, delete, and append, which only OBS has."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from email.utils import formatdate
from typing import BinaryIO

from starlette.responses import Response, StreamingResponse

from modelarts_emulator.s3.body import CHECKSUM, receive
from modelarts_emulator.s3.call import (
    META,
    Call,
    Dialect,
    empty,
    is_header,
    is_unchanged,
    with_checksums,
)
from modelarts_emulator.s3.xml import timestamp
from modelarts_emulator.storage.errors import NoSuchKey, StoreError
from modelarts_emulator.storage.files import pieces
from modelarts_emulator.storage.folder import Draft
from modelarts_emulator.storage.objects import ALWAYS, DEFAULT_CONTENT_TYPE, Condition, ObjectInfo

_TYPE, _APPENDABLE = "x-obs-object-type", "Appendable"
_MAX_POSITION = 2**62
_CHUNK = 1 << 20  # bytes
_SMALL = 1 << 16  # bytes
_RANGE = re.compile(r"bytes=(\d{0,40})-(\d{0,40})")
_OVERRIDES = {f"response-{name}" for name in ("content-type", "content-language", "expires", "cache-control")}
_OVERRIDES |= {"response-content-disposition", "response-content-encoding"}


async def put_object(call: Call) -> Response:
    """Create or replace an object; nothing changes unless the whole body is as announced."""
    store, body = call.store, call.body
    known, condition = call.attributes(), call.condition()

    def commit(draft: Draft, checksums: dict[str, str]) -> tuple[ObjectInfo, dict[str, str]]:
        kept = with_checksums(known, checksums)
        return draft.commit(kept, condition, is_flushed=True, etag=body.etag), checksums

    info, checksums = await receive(body, lambda: store.draft(call.bucket, call.key), commit)
    return empty(200, etag=f'"{info.etag}"', **checksums)


async def copy_object(call: Call) -> Response:
    """Create or replace an object from another one."""
    await call.body.document()
    info = await asyncio.to_thread(_copy, call)
    return call.xml("CopyObjectResult", [("LastModified", timestamp(info.modified)), ("ETag", f'"{info.etag}"')])


def _copy(call: Call) -> ObjectInfo:
    source = call.copy_source()
    directive = call.headers.get("x-amz-metadata-directive", "COPY")
    if source is None or directive not in ("COPY", "REPLACE"):
        raise StoreError(
            "InvalidArgument", "a copy needs x-amz-copy-source, and x-amz-metadata-directive is COPY or REPLACE"
        )
    is_unchanged = directive == "COPY" and "x-amz-storage-class" not in call.headers  # also if the class is the same
    if source == (call.bucket, call.key) and is_unchanged and call.dialect is Dialect.S3:
        raise StoreError(
            "InvalidRequest", "a copy of an object to itself changes nothing: set x-amz-metadata-directive to REPLACE"
        )
    return call.store.copy(
        source,
        (call.bucket, call.key),
        call.attributes() if directive == "REPLACE" else None,
        call.condition(),
    )


async def get_object(call: Call) -> Response:
    """Return the whole object or one range of it, for HEAD without its bytes."""
    if call.is_head:
        return _response(call, await asyncio.to_thread(call.store.head, call.bucket, call.key), None)
    return await asyncio.to_thread(_get, call)


def _get(call: Call) -> Response:
    info, stream = call.store.get(call.bucket, call.key)
    try:
        return _response(call, info, stream)
    except BaseException:
        stream.close()
        raise


def _response(call: Call, info: ObjectInfo, stream: BinaryIO | None) -> Response:
    """Return the response for an object; a large one is sent piece by piece."""
    unchanged = is_unchanged(call.headers, info)
    headers = _headers(call, info, with_checksums=not unchanged and "range" not in call.headers)
    start, end, status = (0, 0, 304) if unchanged else _range(call, info)
    if status == 206:
        headers["content-range"] = f"bytes {start}-{end - 1}/{info.size}"
    if not unchanged:
        headers["content-length"] = str(end - start)
    if stream is None:
        return Response(b"", status, headers)
    if end - start > _SMALL:
        stream.seek(start)
        return StreamingResponse(_stream(stream, end - start), status, headers)
    with stream:
        stream.seek(start)
        return Response(stream.read(end - start), status, headers)


def _headers(call: Call, info: ObjectInfo, with_checksums: bool) -> dict[str, str]:
    """Return the headers of the response; one that HTTP cannot carry is left out."""
    headers = {
        "content-type": info.content_type,
        "etag": f'"{info.etag}"',
        "last-modified": formatdate(info.modified, usegmt=True),
        "accept-ranges": "bytes",
        "x-content-type-options": "nosniff",
    }
    with_checksums &= call.headers.get("x-amz-checksum-mode", "").upper() == "ENABLED"
    headers |= {name: value for name, value in info.headers.items() if with_checksums or not name.startswith(CHECKSUM)}
    headers |= {META + name: value for name, value in info.metadata.items()}
    headers = {name: value for name, value in headers.items() if is_header(name, value)}
    headers.setdefault("content-type", DEFAULT_CONTENT_TYPE)
    overrides = {name.removeprefix("response-"): call.query[name] for name in _OVERRIDES & call.query.keys()}
    if any(not (value.isascii() and value.isprintable()) for value in overrides.values()):
        raise StoreError("InvalidArgument", "a response-* parameter must be printable ASCII")
    return headers | overrides


def _range(call: Call, info: ObjectInfo) -> tuple[int, int, int]:
    """Return start, end and status of the range to send.

    All is sent for a Range that cannot be read, and with If-Range, as RFC 9110 allows.
    """
    match = _RANGE.fullmatch(call.headers.get("range", "").replace(" ", ""))
    if match is None or match[0] == "bytes=-" or "if-range" in call.headers:
        return 0, info.size, 200
    if match[1]:
        start = int(match[1])
        end = min(int(match[2]) + 1, info.size) if match[2] else info.size
        if match[2] and int(match[2]) < start:
            return 0, info.size, 200
    else:
        start, end = max(0, info.size - int(match[2])), info.size
    if start >= end:
        raise StoreError("InvalidRange", f"the object has {info.size} bytes, none of those that are asked for")
    return start, end, 206


async def _stream(stream: BinaryIO, size: int) -> AsyncIterator[bytes]:
    with stream:
        while size > 0 and (data := await asyncio.to_thread(stream.read, min(_CHUNK, size))):
            size -= len(data)
            yield data


async def delete_object(call: Call) -> Response:
    """Delete an object; nothing happens if it does not exist."""
    if call.condition() != ALWAYS:
        raise StoreError("NotImplemented", "an object is deleted without a condition: leave out If-Match")
    await asyncio.to_thread(call.store.delete, call.bucket, call.key)
    return empty(204)


async def append_object(call: Call) -> Response:
    """Append the body to an appendable object; with position 0, create one."""
    if "position" not in call.query:
        raise StoreError("InvalidArgument", "?append needs position, the length of the object so far")
    position = call.number("position", 0, _MAX_POSITION, digits=20)
    old = await asyncio.to_thread(_appendable, call, position)
    known = call.attributes() if old is None else old.attributes
    kept = with_checksums(known, {_TYPE: _APPENDABLE})
    condition = Condition(if_none_match=True) if old is None else Condition(if_match=old.etag)
    md5 = hashlib.md5(usedforsecurity=False)

    def begin() -> Draft:
        draft = call.store.draft(call.bucket, call.key)
        if old is not None:
            _, stream = call.store.get(call.bucket, call.key)
            with stream:
                for data in pieces(stream, old.size):
                    draft.write(data)
        return draft

    def commit(draft: Draft, checksums: dict[str, str]) -> tuple[ObjectInfo, dict[str, str]]:
        md5.update(f"{old.etag if old else ''}:{call.body.etag}".encode())
        info = draft.commit(kept, condition, is_flushed=True, etag=f"{md5.hexdigest()}-append")
        return info, checksums

    info, checksums = await receive(call.body, begin, commit)
    return empty(200, etag=f'"{info.etag}"', x_obs_next_append_position=str(info.size), **checksums)


def _appendable(call: Call, position: int) -> ObjectInfo | None:
    """Return the object that is appended to, None if it does not exist yet; raises ObjectNotAppendable and others."""
    try:
        info = call.store.head(call.bucket, call.key)
    except NoSuchKey:
        if position:
            raise StoreError("PositionNotEqualToLength", "the object does not exist: begin with position=0") from None
        return None
    if info.headers.get(_TYPE) != _APPENDABLE:
        raise StoreError(
            "ObjectNotAppendable",
            f"object {call.key!r} was not made by appending: delete it first, or put it as a whole",
        )
    if position != info.size:
        raise StoreError(
            "PositionNotEqualToLength", f"the object has {info.size} bytes: append at position={info.size}"
        )
    return info
