"""One call of the S3 dialect, with what every handler needs, and what several of them read from headers and query."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from urllib.parse import unquote

from starlette.responses import Response

from modelarts_emulator.storage.errors import PreconditionFailed, StoreError
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.protocol import Attributes, Condition, ObjectInfo, Store
from modelarts_emulator.storage.server import xml as documents
from modelarts_emulator.storage.server.body import Body
from modelarts_emulator.storage.server.checksums import CHECKSUM
from modelarts_emulator.storage.server.dialect import Dialect
from modelarts_emulator.storage.server.sigv4 import Identity

META = "x-amz-meta-"
MAX_METADATA_BYTES = 8 * 1024
"""Of the names and values of an object's metadata (OBS; S3 itself allows 2 KiB)."""
KEPT = ("cache-control", "content-disposition", "content-encoding", "content-language", "expires")
"""Standard headers that belong to an object and come back with it."""

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"(?![ \t])[\t\x20-\x7e\x80-\xff]*(?<![ \t])")


@dataclass(frozen=True, slots=True)
class Call:
    """A verified request: who asks for what, of which bucket and key (empty if none is named).

    Headers have the names of S3, whatever the dialect.
    """

    store: Store
    uploads: Uploads
    bucket: str
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Body
    is_head: bool
    sender: Identity
    dialect: Dialect

    def xml(self, name: str, content: Sequence[tuple[str, documents.Content]] | str, **headers: str) -> Response:
        """Return a response with an XML document in the dialect's namespace."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(documents.render(name, content, self.dialect.value), 200, named, media_type="application/xml")

    @property
    def owner(self) -> documents.Content:
        """The sender's account, as the owner of all that it sees; OBS names it by its id only."""
        name = None if self.dialect is Dialect.OBS else self.sender.account
        return [("ID", self.sender.domain_id), ("DisplayName", name)]

    def number(self, name: str, default: int, most: int, digits: int = 9) -> int:
        """A non-negative number of the query, at most `most`; raises InvalidArgument."""
        text = self.query.get(name) or str(default)
        if not (text.isascii() and text.isdigit() and len(text) <= digits):
            raise StoreError("InvalidArgument", f"{name} must be a number from 0 on, not {text!r}")
        return min(int(text), most)

    def attributes(self) -> Attributes:
        """What is to be kept with an object beside its bytes; raises InvalidArgument."""
        for name, value in self.headers.items():
            if (name in KEPT or name == "content-type" or name.startswith(META)) and not is_header(name, value):
                raise StoreError("InvalidArgument", f"no HTTP header can have this name or value, change it: {name!r}")
        metadata = {name[len(META) :]: value for name, value in self.headers.items() if name.startswith(META)}
        if sum(len(name) + len(value) for name, value in metadata.items()) > MAX_METADATA_BYTES:
            raise StoreError(
                "MetadataTooLarge", f"the metadata of an object (x-amz-meta-*) has at most {MAX_METADATA_BYTES} bytes"
            )
        headers = {name: self.headers[name] for name in KEPT if name in self.headers}
        if "content-encoding" in headers:  # aws-chunked is the transfer's, not the object's
            codings = [coding.strip() for coding in headers.pop("content-encoding").split(",")]
            if kept := ",".join(coding for coding in codings if coding not in ("", "aws-chunked")):
                headers["content-encoding"] = kept
        return {
            "content_type": self.headers.get("content-type"),
            "metadata": metadata,
            "headers": headers,
        }

    def condition(self) -> Condition:
        """`If-None-Match: *` or `If-Match: <ETag>` of a call that writes."""
        if_none_match, if_match = self.headers.get("if-none-match"), self.headers.get("if-match")
        if if_none_match not in (None, "*"):
            raise StoreError("NotImplemented", "a call that writes may have 'If-None-Match: *' only")
        return Condition(if_none_match == "*", etag_of(if_match))

    def copy_source(self) -> tuple[str, str] | None:
        """Bucket and key of x-amz-copy-source."""
        source = self.headers.get("x-amz-copy-source")
        if source is None:
            return None
        path, _, version = source.partition("?")
        if version:
            raise StoreError("NotImplemented", "object versions are not supported: leave out the version")
        bucket, _, key = unquote(path).removeprefix("/").partition("/")
        if not key:
            raise StoreError("InvalidArgument", "x-amz-copy-source must have the form <bucket>/<key>")
        return bucket, key


def etag_of(text: str | None) -> str | None:
    """The ETag that a condition names, None if there is no condition; Huawei's SDK sends %22 for its quotes."""
    if not text:
        return None
    etag = unquote(text).strip()
    return etag if etag == '"*"' else etag.strip('"')  # in quotes, * is an ETag that no object has


def check_copy_conditions(call: Call, info: ObjectInfo) -> None:
    """Raise PreconditionFailed if the source is not as the call demands, InvalidArgument for a time that is none.

    A condition on the ETag takes precedence over that on the time, as in RFC 9110, 13.2.2; times are whole seconds.
    """
    prefix = "x-amz-copy-source-if-"
    since = {name: _source_time(call, prefix + name) for name in ("modified-since", "unmodified-since")}
    if wanted := call.headers.get(f"{prefix}match"):
        if not matches(wanted, info.etag):
            raise PreconditionFailed("the source has another ETag")
    elif (time := since["unmodified-since"]) is not None and int(info.modified) > time:
        raise PreconditionFailed("the source was modified since")
    if unwanted := call.headers.get(f"{prefix}none-match"):
        if matches(unwanted, info.etag):
            raise PreconditionFailed("the source has this ETag")
    elif (time := since["modified-since"]) is not None and int(info.modified) <= time:
        raise PreconditionFailed("the source was not modified since")


def _source_time(call: Call, name: str) -> float | None:
    """The time in a condition on the source, in Unix seconds; a copy is not made under one that cannot be read."""
    text = call.headers.get(name)
    seconds = http_seconds(text)
    if text is not None and seconds is None:
        raise StoreError("InvalidArgument", f"{name} must be a date such as {http_date(0)}, not {text!r}")
    return seconds


def matches(header: str, etag: str) -> bool:
    """Whether an If-Match or If-None-Match header names the ETag; Huawei's SDK sends %22 for its quotes."""
    names = [name.strip().removeprefix("W/").strip('"') for name in unquote(header).split(",")]
    return "*" in names or etag in names


def is_header(name: str, value: str) -> bool:
    """Whether HTTP can carry a header, with the bytes of its value as the characters of Latin-1. RFC 9110, 5.1, 5.5."""
    return _HEADER_NAME.fullmatch(name) is not None and _HEADER_VALUE.fullmatch(value) is not None


def http_seconds(header: str | None) -> float | None:
    """The time in an HTTP header, None if there is none or it cannot be read, as RFC 9110 wants it treated."""
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        return parsedate_to_datetime(header or "").timestamp()
    return None


def http_date(seconds: float) -> str:
    """A time as HTTP headers have it."""
    return formatdate(seconds, usegmt=True)


def empty(status: int, **headers: str) -> Response:
    """Return a response without a body."""
    return Response(status_code=status, headers={name.replace("_", "-"): value for name, value in headers.items()})


def with_checksums(known: Attributes, checksums: Mapping[str, str]) -> Attributes:
    """What is kept with an object whose body had these checksums, by header."""
    return {**known, "headers": {**known["headers"], **checksums}}


def without_checksums(known: Attributes) -> Attributes:
    """What is kept with an object of other bytes."""
    headers = {name: value for name, value in known["headers"].items() if not name.startswith(CHECKSUM)}
    return {**known, "headers": headers}
