"""One call: its dialect, and what handlers read from its headers and query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from urllib.parse import unquote

from starlette.datastructures import MutableHeaders
from starlette.responses import Response

from modelarts_emulator.s3 import xml as documents
from modelarts_emulator.s3.body import CHECKSUM, Body
from modelarts_emulator.s3.sigv4 import http_seconds
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.storage.errors import PreconditionFailed, StoreError
from modelarts_emulator.storage.multipart import Uploads
from modelarts_emulator.storage.objects import Attributes, Condition, ObjectInfo
from modelarts_emulator.storage.protocol import AccountStore

META = "x-amz-meta-"
MAX_METADATA_BYTES = 8 * 1024
"""Of the names and values of an object's metadata (OBS; S3 itself allows 2 KiB)."""
KEPT = ("cache-control", "content-disposition", "content-encoding", "content-language", "expires")
"""Standard headers that belong to an object and come back with it."""

FIRST_FORM = "modelarts_emulator.first_form"
"""In the scope of a request if objects are to be listed in the first form, whatever the request says."""

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"(?![ \t])[\t\x20-\x7e\x80-\xff]*(?<![ \t])")

_OBS_NAMES = {
    "x-amz-bucket-region": "x-obs-bucket-location",
    "x-amz-server-side-encryption-aws-kms-key-id": "x-obs-server-side-encryption-kms-key-id",
}
"""Headers whose names in the two dialects differ in more than `x-amz-` and `x-obs-`."""
_S3_NAMES = {obs: s3 for s3, obs in _OBS_NAMES.items()}


class Dialect(Enum):
    """A dialect, with the namespace of its documents; handlers know the headers of S3 only.

    Source: "Differences Between OBS and S3 APIs", and the pages of the operations in the OBS reference.
    """

    S3 = "http://s3.amazonaws.com/doc/2006-03-01/"
    OBS = "http://obs.myhwclouds.com/doc/2015-06-30/"

    def read(self, headers: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return the headers of a request under the names of S3, the values of equal names joined."""
        found: dict[str, str] = {}
        for name, value in headers:
            if self is Dialect.OBS and name.startswith("x-obs-"):
                name = _S3_NAMES.get(name, f"x-amz-{name[len('x-obs-') :]}")
            found[name] = f"{found[name]},{value}" if name in found else value
        return found

    def write(self, headers: MutableHeaders) -> None:
        """Rename the headers of a response."""
        if self is Dialect.S3:
            return
        for name, value in list(headers.items()):
            if name.startswith("x-amz-"):
                del headers[name]
                headers[_OBS_NAMES.get(name, f"x-obs-{name[len('x-amz-') :]}")] = value


@dataclass(frozen=True, slots=True)
class Call:
    """A verified request: who asks for what, of which bucket and key (empty if none is named).

    Headers have the names of S3, whatever the dialect.
    """

    store: AccountStore
    bucket: str
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Body
    is_head: bool
    sender: Identity
    dialect: Dialect
    is_first_form: bool
    """Whether objects are listed in the first form only."""

    @property
    def uploads(self) -> Uploads:
        """The uploads in parts into the store."""
        return Uploads(self.store)

    def xml(self, name: str, content: Sequence[tuple[str, documents.Content]] | str, **headers: str) -> Response:
        """Return a response with an XML document in the dialect's namespace."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(documents.render(name, content, self.dialect.value), 200, named, media_type="application/xml")

    @property
    def owner(self) -> documents.Content:
        """The sender's account as the owner; OBS shows its id only."""
        name = None if self.dialect is Dialect.OBS else self.sender.account
        return [("ID", self.sender.domain_id), ("DisplayName", name)]

    def number(self, name: str, default: int, most: int, digits: int = 9) -> int:
        """Return a number of the query from 0 on, at most `most`; raises InvalidArgument."""
        text = self.query.get(name) or str(default)
        if not (text.isascii() and text.isdigit() and len(text) <= digits):
            raise StoreError("InvalidArgument", f"{name} must be a number from 0 on, not {text!r}")
        return min(int(text), most)

    def attributes(self) -> Attributes:
        """Return what is kept with an object besides its bytes; raises InvalidArgument."""
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
        return Attributes(self.headers.get("content-type"), metadata, headers)

    def condition(self) -> Condition:
        """Return `If-None-Match: *` or `If-Match: <ETag>` of a call that writes."""
        if_none_match, if_match = self.headers.get("if-none-match"), self.headers.get("if-match")
        if if_none_match not in (None, "*"):
            raise StoreError("NotImplemented", "a call that writes may have 'If-None-Match: *' only")
        return Condition(if_none_match == "*", etag_of(if_match))

    def copy_source(self) -> tuple[str, str] | None:
        """Return bucket and key of x-amz-copy-source; None without that header."""
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


def is_unchanged(headers: Mapping[str, str], info: ObjectInfo) -> bool:
    """Whether `If-None-Match` or `If-Modified-Since` fails; raises PreconditionFailed if one of the other two fails.

    A condition on the ETag takes precedence over one on the time (RFC 9110, 13.2.2); times are whole seconds. An
    invalid date is ignored, as in RFC 9110.
    """
    unmodified, modified = (http_seconds(headers.get(f"if-{name}-since", "")) for name in ("unmodified", "modified"))
    if "if-match" in headers:
        if not _matches(headers["if-match"], info.etag):
            raise PreconditionFailed("the object has another ETag")
    elif unmodified is not None and int(info.modified) > unmodified:
        raise PreconditionFailed("the object was modified since")
    if "if-none-match" in headers:
        return _matches(headers["if-none-match"], info.etag)
    return modified is not None and int(info.modified) <= modified


def _matches(header: str, etag: str) -> bool:
    """Whether a condition names the ETag; Huawei's SDK sends %22 for its quotes."""
    names = [name.strip().removeprefix("W/").strip('"') for name in unquote(header).split(",")]
    return "*" in names or etag in names


def etag_of(text: str | None) -> str | None:
    """Return the ETag of a condition of a call that writes; None without a condition."""
    if not text:
        return None
    etag = unquote(text).strip()
    return etag if etag == '"*"' else etag.strip('"')  # in quotes, * is an ETag that no object has


def is_header(name: str, value: str) -> bool:
    """Whether HTTP can carry a header, with the bytes of its value as the characters of Latin-1. RFC 9110, 5.1, 5.5."""
    return _HEADER_NAME.fullmatch(name) is not None and _HEADER_VALUE.fullmatch(value) is not None


def empty(status: int, **headers: str) -> Response:
    """Return a response without a body."""
    return Response(status_code=status, headers={name.replace("_", "-"): value for name, value in headers.items()})


def with_checksums(known: Attributes, checksums: Mapping[str, str]) -> Attributes:
    """Return the attributes of an object whose body has these checksums, by header, and no others."""
    headers = {name: value for name, value in known.headers.items() if not name.startswith(CHECKSUM)}
    return replace(known, headers={**headers, **checksums})
