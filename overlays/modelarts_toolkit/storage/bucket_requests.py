"""S3 requests that obstore cannot make: list and create buckets, and list, get or delete keys that it rejects.

obstore rejects keys with control characters or empty parts, and a complete listing that contains one of them.
"""

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape
from typing import Self
from urllib.parse import quote, unquote_plus
from xml.etree import ElementTree

import httpx

from modelarts_runtime.hiding import hide
from modelarts_toolkit.auth.access_keys import sign_for_storage
from modelarts_toolkit.errors import ObsError
from modelarts_toolkit.http.transport import Network, Verify
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.storage.buckets import Location, address, reason

TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object; `size` is in bytes, `etag` without quotes."""

    bucket: str
    key: str
    size: int
    last_modified: datetime
    etag: str

    @property
    def url(self) -> str:
        return f"obs://{self.bucket}/{self.key}"

    @property
    def is_folder_marker(self) -> bool:
        """Whether it is an empty object `folder/`, which consoles use to show a folder."""
        return self.key.endswith("/") and not self.size


@dataclass(frozen=True, slots=True)
class FolderPage:
    """The URLs of subfolders and the objects right below a folder; `is_truncated` if there are more.

    `token` and `next_marker` are where the next page starts, if the store says so.
    """

    folders: tuple[str, ...]
    objects: tuple[StoredObject, ...]
    is_truncated: bool
    token: str = ""
    next_marker: str = ""


@dataclass(frozen=True, slots=True)
class StoredBucket:
    """A bucket of the account."""

    name: str
    created_at: datetime

    @property
    def url(self) -> str:
        return f"obs://{self.name}/"


class BucketRequests:
    """Signed requests to one bucket, or to the service if the name is empty; a context manager."""

    def __init__(self, config: Config, bucket: str, verify: Verify = True) -> None:
        self._config = config
        self._bucket = bucket
        self._address = address(config, bucket)
        self._timeout = httpx.Timeout(config.timeout_s or TIMEOUT_S).as_dict()
        self._transport = Network(config=config, verify=verify).transport(self._address.url)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.aclose()

    async def create(self) -> bool:
        """Create the bucket; returns False if we own it already."""
        region = self._config.region
        location = f"<LocationConstraint>{region}</LocationConstraint>"
        body = f"<CreateBucketConfiguration>{location}</CreateBucketConfiguration>" if region else ""
        response = await self._send("PUT", "", content=body)
        if response.status_code == 409 and "BucketAlreadyOwnedByYou" in response.text:
            return False
        self._check(response, "")
        return True

    async def delete_bucket(self) -> bool:
        """Delete the bucket; returns False if it is not empty, True if it does not exist."""
        response = await self._send("DELETE", "")
        if response.status_code == 409 and "BucketNotEmpty" in response.text:
            return False
        if response.status_code != 404:
            self._check(response, "")
        return True

    async def buckets(self) -> "Sequence[StoredBucket]":
        """Return the buckets of the account, ordered by name; only without a bucket."""
        response = await self._send("GET", "")
        self._check(response, "")
        with self._parsing(""):
            found = [
                StoredBucket(entry.findtext("{*}Name", ""), _time(entry, "CreationDate"))
                for entry in _document(response, "ListAllMyBucketsResult").iterfind("{*}Buckets/{*}Bucket")
            ]
        return sorted(found, key=lambda bucket: bucket.name)

    async def list(self, prefix: str, *, limit: int | None = None) -> AsyncIterator[StoredObject]:
        """Yield the objects whose keys start with the prefix, ordered by key, `limit` of them at most.

        A store may respond in either form of listings. A page in the second form names the token of the next one; after
        one in the first form, which OBS also uses, the listing continues behind the page's last key.
        Raises ObsError if the listing does not continue.
        """
        query = {"list-type": "2"}
        if limit is not None:
            query["max-keys"] = str(limit)
        seen: set[str] = set()
        while True:
            page = await self._page(prefix, query)
            found = [stored for stored in page.objects if stored.key not in seen]
            for stored in found:
                yield stored
            if not page.is_truncated or limit is not None:
                return
            if not found:
                place = Location(self._bucket, prefix)
                reason = f"after {len(seen)} objects, object storage sent a page without a new one"
                raise ObsError(f"cannot list {place}: {reason}: this store cannot be used", str(place))
            seen.update(stored.key for stored in found)
            if page.token:
                query["continuation-token"] = page.token
            else:
                query.pop("list-type", None)
                query["marker"] = page.next_marker or found[-1].key

    async def list_folder(self, prefix: str, limit: int) -> FolderPage:
        """Return what is right below a prefix.

        Both together are `limit` at most, which one response can hold.
        """
        page = await self._page(prefix, {"list-type": "2", "delimiter": "/", "max-keys": str(limit)})
        return replace(page, objects=tuple(each for each in page.objects if each.key != prefix))

    async def _page(self, prefix: str, query: Mapping[str, str]) -> FolderPage:
        response = await self._send("GET", "", query={"encoding-type": "url", "prefix": prefix, **query})
        self._check(response, prefix)
        with self._parsing(prefix):
            return _page(response, self._bucket)

    async def get(self, key: str, start: int, size: int) -> bytes:
        """Return at most `size` bytes of the object, from the byte `start` on; its key may have any characters."""
        response = await self._send("GET", key, headers={"range": f"bytes={start}-{start + size - 1}"})
        self._check(response, key)
        return response.content

    async def delete(self, key: str) -> None:
        """Delete one object; its key may have any characters."""
        self._check(await self._send("DELETE", key), key)

    @contextmanager
    def _parsing(self, prefix: str) -> Iterator[None]:
        """Raise ObsError for a response that is not the documented XML."""
        try:
            yield
        except (ElementTree.ParseError, ValueError) as error:
            place = Location(self._bucket, prefix)
            text = f"cannot list {place}: the response of {self._config.obs_endpoint} is not a listing ({error})"
            raise ObsError(f"{text}: is this the address of object storage?", str(place)) from error

    def _check(self, response: httpx.Response, key: str) -> None:
        if not response.is_success:
            place = Location(self._bucket, key)
            text = f"{response.status_code} {_message(response)}"
            raise ObsError(reason(place, self._config.obs_endpoint, text), url=str(place))

    async def _send(
        self,
        method: str,
        key: str,
        *,
        query: Mapping[str, str] | None = None,
        content: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        is_in_path = self._bucket and not self._address.is_virtual_host
        base = self._address.url.rstrip("/") + (f"/{self._bucket}" if is_in_path else "")
        parameters = "&".join(f"{name}={quote(value, safe='~')}" for name, value in (query or {}).items())
        url = f"{base}/{quote(key, safe='/~')}" + (f"?{parameters}" if parameters else "")
        request = httpx.Request(method, url, content=content, headers=headers, extensions={"timeout": self._timeout})
        sign_for_storage(request, self._config, self._address.region, datetime.now(UTC))
        try:
            response = await self._transport.handle_async_request(request)
            await response.aread()
        except httpx.TransportError as error:
            place = Location(self._bucket, key)
            text = reason(place, self._config.obs_endpoint, f"error sending request: {error}")
            raise ObsError(text, str(place)) from None
        return response


def _page(response: httpx.Response, bucket: str) -> FolderPage:
    """Parse a page; raises ParseError or ValueError for anything else."""
    document = _document(response, "ListBucketResult")
    decode = unquote_plus if document.findtext("{*}EncodingType") == "url" else str
    objects = tuple(
        StoredObject(
            bucket,
            decode(entry.findtext("{*}Key", "")),
            int(entry.findtext("{*}Size", "0")),
            _time(entry, "LastModified"),
            entry.findtext("{*}ETag", "").strip('"'),
        )
        for entry in document.iterfind("{*}Contents")
    )
    prefixes = [decode(entry.findtext("{*}Prefix", "")) for entry in document.iterfind("{*}CommonPrefixes")]
    folders = tuple(f"obs://{bucket}/{prefix}" for prefix in prefixes)
    is_truncated = document.findtext("{*}IsTruncated") == "true"
    token = document.findtext("{*}NextContinuationToken", "")
    return FolderPage(folders, objects, is_truncated, token, decode(document.findtext("{*}NextMarker", "")))


def _document(response: httpx.Response, name: str) -> ElementTree.Element:
    """Return the root element, which must have this name."""
    root = ElementTree.fromstring(response.content)  # noqa: S314 - expat expands no external entities
    if root.tag.rpartition("}")[2] != name:
        raise ValueError(f"<{root.tag}> in place of <{name}>")
    return root


def _time(entry: ElementTree.Element, name: str) -> datetime:
    return datetime.fromisoformat(entry.findtext(f"{{*}}{name}", ""))


def _message(response: httpx.Response) -> str:
    """Return the code and the message of an S3 error."""
    code, text = (re.search(rf"<{name}>([^<]*)</{name}>", response.text) for name in ("Code", "Message"))
    return unescape(f"{code[1]}: {text[1]}") if code and text else hide(response.text)[:300]
