"""What is known of buckets and objects, and what a caller says of an object that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from modelarts_emulator.storage.errors import PreconditionFailed

DEFAULT_CONTENT_TYPE = "binary/octet-stream"


@dataclass(frozen=True, slots=True)
class Attributes:
    """What is kept with an object besides its bytes: `metadata` is the user's own, `headers` are standard HTTP ones."""

    content_type: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a write: no object is there (`if_none_match`), or it has this ETag (`if_match`, `*` is any)."""

    if_none_match: bool = False
    if_match: str | None = None


PLAIN, ALWAYS = Attributes(), Condition()


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket; `created` in Unix seconds; `owner` is the id of an account, empty for a bucket of all accounts."""

    name: str
    created: float
    location: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What is known of an object without reading it; `modified` in Unix seconds, `etag` without quotes.

    `metadata` is the user's own (`x-amz-meta-*`), `headers` are returned with the object (`Cache-Control`, ...).
    A listing leaves out content type, metadata and headers.
    """

    key: str
    size: int
    modified: float
    etag: str
    content_type: str = DEFAULT_CONTENT_TYPE
    metadata: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def check_etag(self, if_match: str) -> None:
        """Raise PreconditionFailed unless the object has this ETag; `*` is any."""
        if if_match not in ("*", self.etag):
            raise PreconditionFailed(f"object {self.key!r} has another ETag")

    @property
    def attributes(self) -> Attributes:
        """What a copy of the object keeps besides its bytes."""
        return Attributes(self.content_type, self.metadata, self.headers)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: objects and common prefixes in the order of keys; `next_marker` is None on the last page."""

    objects: list[ObjectInfo]
    prefixes: list[str]
    next_marker: str | None
