"""The call that only OBS has: append bytes to an object."""

from __future__ import annotations

import asyncio
import hashlib

from starlette.responses import Response

from modelarts_emulator.s3.body import receive
from modelarts_emulator.s3.call import Call, empty, with_checksums
from modelarts_emulator.storage.errors import NoSuchKey, StoreError
from modelarts_emulator.storage.files import pieces
from modelarts_emulator.storage.folder import Draft
from modelarts_emulator.storage.objects import Condition, ObjectInfo

_TYPE = "x-obs-object-type"
_APPENDABLE = "Appendable"
_MAX_POSITION = 2**62


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
