"""Objects and directories in object storage: look, list, read, write, copy, delete.

A directory is what keys with a common prefix stand for; the empty object `directory/` marks one without files.
"""

from __future__ import annotations

import email.utils
from datetime import datetime
from typing import BinaryIO, Iterator, NamedTuple
from urllib.parse import quote, unquote

from moxing.client import (
    Location,
    MoxFileNotExistsException,
    MoxFileReadException,
    MoxFileRespException,
    Response,
    parse_xml,
    request,
)

BLOCK_BYTES = 4 << 20
"""What one request reads of an object."""
PAGE_KEYS = 1000


class Entry(NamedTuple):
    """Something in a directory: its name relative to that, with `/`; size in bytes, time in nanoseconds since 1970."""

    name: str
    is_directory: bool
    size: int = 0
    mtime_ns: int = 0


def directory(location: Location) -> Location:
    """Return the location as a prefix of keys: with a slash at its end, or empty for the whole bucket."""
    key = location.key
    return location if not key or key.endswith("/") else Location(location.bucket, f"{key}/")


def find_object(location: Location) -> Entry | None:
    """Return the object with exactly this key, None if there is none; a key that ends in `/` names no file."""
    if not location.key or location.key.endswith("/"):
        return None
    try:
        headers = request("look up", "HEAD", location).headers
    except MoxFileNotExistsException:
        return None
    modified = email.utils.parsedate_to_datetime(headers["last-modified"]).timestamp()
    return Entry(location.key, False, int(headers.get("content-length", 0)), int(modified * 1e9))


def is_directory(location: Location) -> bool:
    """Whether there is the bucket, or any key below the directory."""
    try:
        if not location.key:
            request("look up", "HEAD", location)
            return True
        return bool(next(_pages(directory(location), "", 1)))
    except MoxFileNotExistsException:
        return False


def list_entries(location: Location, is_recursive: bool) -> Iterator[Entry]:
    """Yield what is in the directory, in the order of keys; a directory comes before what is in it.

    Raises MoxFileNotExistsException if there is no such directory.
    """
    prefix = directory(location)
    is_found = False
    seen: set[str] = set()
    for page in _pages(prefix, "" if is_recursive else "/", PAGE_KEYS):
        for entry in sorted(page):
            is_found = True
            path = entry.name[len(prefix.key) :]
            for end in (index for index, letter in enumerate(path) if letter == "/"):
                if path[:end] not in seen:
                    seen.add(path[:end])
                    yield Entry(path[:end], True)
            if path and not entry.is_directory:
                yield entry._replace(name=path)
    if not is_found and (prefix.key or not is_directory(location)):
        raise MoxFileNotExistsException(f"there is no directory {location}", Response(404, "NoSuchKey"))


def _pages(prefix: Location, delimiter: str, limit: int) -> Iterator[list[Entry]]:
    """Yield pages of keys with the prefix; those that end in `/`, and what they have in common, are directories."""
    query = {"encoding-type": "url", "max-keys": str(limit), "prefix": prefix.key, "delimiter": delimiter}
    while True:
        page = parse_xml(request("list", "GET", Location(prefix.bucket, ""), list(query.items())).data)
        entries = [Entry(unquote(item.findtext("Prefix", "")), True) for item in page.iterfind("CommonPrefixes")]
        for item in page.iterfind("Contents"):
            key, time = unquote(item.findtext("Key", "")), item.findtext("LastModified", "").replace("Z", "+00:00")
            modified_ns = int(datetime.fromisoformat(time).timestamp() * 1e9)
            entries.append(Entry(key, key.endswith("/"), int(item.findtext("Size", "0")), modified_ns))
        yield entries
        if page.findtext("IsTruncated") != "true":
            return
        query["marker"] = unquote(page.findtext("NextMarker", ""))


def fetch(location: Location, file: BinaryIO) -> None:
    """Write the bytes of an object into a file; raises MoxFileReadException if the object changes meanwhile."""
    start, size, etag = 0, 1, ""
    while start < size:
        headers = {"range": f"bytes={start}-{start + BLOCK_BYTES - 1}"} | ({"if-match": etag} if etag else {})
        try:
            reply = request("read", "GET", location, headers=headers)
        except MoxFileRespException as error:
            if not start and error.resp.status == 416:  # an object without bytes has no range
                return
            if not start or error.resp.status not in (404, 412, 416):
                raise
            raise MoxFileReadException(f"{location} changed while it was read", error.resp) from None
        file.write(reply.data)
        start += len(reply.data)
        size, etag = int(reply.headers["content-range"].rpartition("/")[2]), reply.headers["etag"]


def make_directory(location: Location) -> None:
    """Mark a directory; nothing changes if it is marked."""
    if location.key:
        request("write", "PUT", directory(location))
    elif not is_directory(location):
        raise MoxFileNotExistsException(f"bucket {location.bucket} does not exist", Response(404, "NoSuchBucket"))


def put_file(file: BinaryIO, location: Location) -> None:
    """Make or replace an object with all that is in an open file; it appears as a whole."""
    request("upload", "PUT", location, body=file)


def copy_object(source: Location, target: Location) -> None:
    """Copy within the storage; raises MoxFileNotExistsException if the source does not exist."""
    if find_object(source) is None:
        raise MoxFileNotExistsException(f"file {source} does not exist", Response(404, "NoSuchKey"))
    origin = {"x-amz-copy-source": f"/{source.bucket}/{quote(source.key)}"}
    request("copy to", "PUT", target, headers=origin)


def delete_object(location: Location) -> None:
    """Delete an object; nothing happens if there is none."""
    request("delete", "DELETE", location)
