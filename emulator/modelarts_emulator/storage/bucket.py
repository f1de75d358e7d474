"""Objects in a bucket of any S3-compatible service: the emulator's buckets are folders below a prefix of that bucket.

<prefix>/<bucket>/<key>                 an object; whoever puts one there by other means has created the bucket
<prefix>/<bucket>/<key>.folder-object   the object <key>, which ends in `/`: the library has no such names
<prefix>/.buckets/<bucket>              a bucket that was created, perhaps without objects
<prefix>/.made-by-modelarts-emulator    there if nothing was below the prefix when an emulator first used it

All calls of the library are its blocking ones: none of its threads needs the interpreter once a call has returned, so
that a process can end at any time. (Its asynchronous calls hand over results in threads that may outlive the program.)
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from modelarts_emulator.storage.errors import (
    AccessDenied,
    BucketAlreadyOwnedByYou,
    InvalidKey,
    NoSuchBucket,
    NoSuchKey,
    PreconditionFailed,
    ServiceUnavailable,
    StoreError,
)
from modelarts_emulator.storage.files import DraftFile, sweep
from modelarts_emulator.storage.listing import page_of
from modelarts_emulator.storage.names import (
    CREDENTIAL_VARIABLES,
    check_bucket_name,
    check_content,
    check_key,
    check_path,
    is_bucket_name,
    is_path,
)
from modelarts_emulator.storage.protocol import (
    ALWAYS,
    DEFAULT_CONTENT_TYPE,
    PLAIN,
    Attributes,
    Bucket,
    Condition,
    Draft,
    Listing,
    ObjectDraft,
    ObjectInfo,
    Store,
)

if TYPE_CHECKING:
    from obstore import GetResult, ObjectMeta
    from obstore.store import ClientConfig, S3Credential

ACCESS_KEY, SECRET_KEY, SECURITY_TOKEN = CREDENTIAL_VARIABLES

_CODE = re.compile(r"<Code>(\w+)</Code>")
_FORBIDDEN = re.compile(r"\b40[13] (Unauthorized|Forbidden)")
_DENIED = (PermissionDeniedError, UnauthenticatedError, PermissionError)


@dataclass(frozen=True, slots=True)
class Remote:
    """A prefix (perhaps empty) of a bucket; the URL, which names no credentials, has the form of `parse`."""

    bucket: str
    prefix: str
    endpoint: str
    region: str
    access_key: str
    secret_key: str = field(repr=False)
    security_token: str | None = field(repr=False)

    @classmethod
    def parse(cls, url: str, environ: Mapping[str, str] = os.environ) -> Remote:
        """Read `s3://bucket/prefix?endpoint=https://host[&region=...]`, and the credentials from the environment.

        Raises ValueError, saying what is missing.
        """
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query))
        endpoint = options.pop("endpoint", "").rstrip("/")
        region = options.pop("region", "")
        name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        if parts.scheme != "s3" or not parts.netloc or "@" in parts.netloc or options:
            raise ValueError(f"{name!r} does not name a bucket: use s3://bucket/prefix")
        if urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).hostname:
            raise ValueError(f"{name} needs the address of its service, https://HOST: give it with --objects-endpoint")
        missing = [variable for variable in (ACCESS_KEY, SECRET_KEY) if not environ.get(variable)]
        if missing:
            raise ValueError(f"{name} needs credentials: set {' and '.join(missing)}")
        host = urlsplit(endpoint).hostname or ""
        return cls(
            parts.netloc,
            parts.path.strip("/"),
            endpoint,
            region or (host.split(".")[1] if host.startswith("obs.") else "us-east-1"),
            environ[ACCESS_KEY],
            environ[SECRET_KEY],
            environ.get(SECURITY_TOKEN) or None,
        )

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"

    @property
    def url(self) -> str:
        """The URL from which `parse` makes an equal object, with the same credentials in the environment."""
        return f"{self}?{urlencode({'endpoint': self.endpoint, 'region': self.region})}"

    def client(self) -> S3Store:
        """Return a client that takes nothing from `AWS_*` variables."""
        parts = urlsplit(self.endpoint)
        host = parts.hostname or ""
        # OBS itself takes the bucket in the host name, an IP address or any other service in the path.
        in_host = host.startswith("obs.")
        address = f"{parts.scheme}://{self.bucket}.{parts.netloc}{parts.path}" if in_host else self.endpoint

        def credential() -> S3Credential:
            return {
                "access_key_id": self.access_key,
                "secret_access_key": self.secret_key,
                "token": self.security_token,
                "expires_at": None,
            }

        return S3Store(
            self.bucket,
            config={
                "aws_endpoint_url_s3": address,
                "endpoint": address,
                "region": self.region,
                "virtual_hosted_style_request": in_host,
                "conditional_put": "etag",
            },
            credential_provider=credential,
            client_options={
                **_proxy(host),
                "allow_http": address.startswith("http:"),
                "connect_timeout": timedelta(seconds=5),
                "read_timeout": timedelta(seconds=60),
                "timeout": timedelta(days=1),  # of a whole transfer; a silent connection ends by read_timeout
            },
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=20)},
        )


def _proxy(host: str) -> ClientConfig:
    """Return the options that exclude the host from the proxy, if the system's rules do: the library ignores them."""
    if getproxies() and proxy_bypass(host):
        return {"proxy_url": "http://127.0.0.1:9", "proxy_excludes": host}
    return {}


@contextlib.contextmanager
def _translated(remote: Remote) -> Iterator[None]:
    """Raise StoreError, in one sentence without the library's details; FileNotFoundError of an object passes."""
    try:
        yield
    except (PreconditionError, AlreadyExistsError):
        raise PreconditionFailed("the object is not in the state that the request demands") from None
    except (BaseError, FileNotFoundError, PermissionError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of a local file
            raise
        text = str(error)
        code = match[1] if (match := _CODE.search(text)) else None
        if code == "NoSuchBucket":
            message = f"bucket {remote.bucket} does not exist at {remote.endpoint}: create it first"
            raise StoreError("InternalError", message) from None
        if isinstance(error, FileNotFoundError):
            raise
        if isinstance(error, _DENIED) or _FORBIDDEN.search(text):
            raise AccessDenied(
                f"{remote} at {remote.endpoint} rejects the credentials ({code or 'access denied'}): check {ACCESS_KEY}"
                f" and {SECRET_KEY}, and that their user may list, read, write and delete there"
            ) from None
        reason = f"it responds {code}" if code else "no usable response"
        raise ServiceUnavailable(
            f"{remote} at {remote.endpoint} cannot be used ({reason}): check the address, the network and the service"
        ) from None


class _ObjectStream(io.RawIOBase):
    """The bytes of a remote object; after a `seek`, the next read requests the object from that offset on.

    `reopen` takes an offset, and raises PreconditionFailed if the object was replaced meanwhile.
    """

    def __init__(
        self, remote: Remote, size: int, chunks: Iterable[bytes], reopen: Callable[[int], Iterable[bytes]]
    ) -> None:
        self._remote = remote
        self._size = size
        self._reopen = reopen
        self._chunks: Iterator[bytes] | None = iter(chunks)
        self._chunk = memoryview(b"")
        self._position = 0

    def buffered(self) -> BinaryIO:
        """Return the stream with a buffer, so that small reads are cheap."""
        return io.BufferedReader(self, 1 << 18)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to an offset."""
        target = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        if target != self._position:
            self._position, self._chunk, self._chunks = target, memoryview(b""), None
        return target

    def readinto(self, buffer: Any) -> int:
        """Read at most as many bytes as the buffer has."""
        if self._position >= self._size:
            return 0
        with _translated(self._remote):
            if self._chunks is None:
                self._chunks = iter(self._reopen(self._position))
            while not self._chunk:
                if (chunk := next(self._chunks, None)) is None:
                    raise ServiceUnavailable(f"{self._remote} ended the transfer early: try again")
                self._chunk = memoryview(chunk)
        count = min(len(buffer), len(self._chunk))
        buffer[:count] = self._chunk[:count]
        self._chunk = self._chunk[count:]
        self._position += count
        return count

    def close(self) -> None:
        """Drop the connection."""
        self._chunks = None
        super().close()


_BUCKETS = ".buckets"
_MARKER = ".made-by-modelarts-emulator"
_PART_BYTES = 8 << 20
_PARTS_AT_ONCE = 4
_FOLDER_OBJECT = ".folder-object"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TYPE = "Content-Type"
_HEADERS = {name.lower(): name for name in ("Cache-Control", "Content-Disposition", "Content-Encoding")}
_HEADERS["content-language"] = "Content-Language"
"""The headers that the library keeps, by their names in lower case."""

_OTHER_HEADER = "emulator-header-"
"""Begins the names of metadata that are other headers."""


class BucketStore(Store):
    """Buckets and objects below a prefix of a remote bucket; several processes may use it at the same time.

    `clear` raises AccessDenied if there were objects before an emulator used the prefix.
    """

    def __init__(self, remote: Remote, scratch: Path | None = None) -> None:
        self.url = remote.url
        self.scratch = Path(tempfile.gettempdir()) if scratch is None else scratch
        self._remote = remote
        self._client = remote.client()
        self._prefix = f"{remote.prefix}/" if remote.prefix else ""

    def prepare(self) -> None:
        """Write and delete an object, which needs all rights; remove what writers that were killed have left."""
        probe = f"{self._prefix}.probe-{uuid.uuid4().hex}"
        with _translated(self._remote):
            is_new = self._is_empty(self._prefix)
            obstore.put(self._client, probe, b"")
            obstore.delete(self._client, probe)
            if is_new:
                obstore.put(self._client, self._prefix + _MARKER, b"modelarts emulator may delete what is here\n")
        if self._drafts.is_dir():
            sweep(self._drafts.glob("*"))

    def close(self) -> None:
        return

    # Buckets

    def buckets(self) -> list[Bucket]:
        with _translated(self._remote):
            used = obstore.list_with_delimiter(self._client, self._prefix)["common_prefixes"]
            created = obstore.list_with_delimiter(self._client, f"{self._prefix}{_BUCKETS}/")["objects"]
        names = {path.rpartition("/")[2] for path in (*used, *(meta["path"] for meta in created))}
        return [self.head_bucket(name) for name in sorted(names) if is_bucket_name(name)]

    def create_bucket(self, name: str, location: str = "", owner: str = "") -> None:
        check_bucket_name(name)
        if self.has_bucket(name):
            raise BucketAlreadyOwnedByYou(f"bucket {name} exists already")
        record = json.dumps({"created": time.time(), "location": location, "owner": owner}).encode()
        with _translated(self._remote):
            obstore.put(self._client, self._bucket_path(name), record)

    def head_bucket(self, name: str) -> Bucket:
        self._check_bucket(name)
        try:
            with _translated(self._remote):
                record = json.loads(bytes(obstore.get(self._client, self._bucket_path(name)).bytes()))
        except FileNotFoundError:
            return Bucket(name, 0.0, "")
        return Bucket(name, record["created"], record["location"], record.get("owner", ""))

    def has_bucket(self, name: str) -> bool:
        if not is_bucket_name(name):
            return False
        with _translated(self._remote):
            try:
                obstore.head(self._client, self._bucket_path(name))
            except FileNotFoundError:
                return not self._is_empty(f"{self._prefix}{name}/")
        return True

    def delete_bucket(self, name: str) -> None:
        self._check_bucket(name)
        with _translated(self._remote):
            if not self._is_empty(f"{self._prefix}{name}/"):
                raise StoreError("BucketNotEmpty", f"bucket {name} still has objects; delete them first")
            self._delete(self._bucket_path(name))

    def check_clear(self) -> None:
        try:
            with _translated(self._remote):
                obstore.head(self._client, self._prefix + _MARKER)
        except FileNotFoundError:
            raise AccessDenied(
                f"{self._remote} held other objects when the emulator first used it, so they are not deleted: "
                "use a prefix of the emulator's own"
            ) from None

    def clear(self) -> None:
        self.check_clear()
        with _translated(self._remote):
            for found in obstore.list(self._client, self._prefix or None, chunk_size=1000):
                if paths := [meta["path"] for meta in found if meta["path"] != self._prefix + _MARKER]:
                    obstore.delete(self._client, paths)

    # Reading

    def list(self, bucket: str, prefix: str = "", delimiter: str = "", marker: str = "", limit: int = 1000) -> Listing:
        self._check_bucket(bucket)
        infos: dict[str, ObjectInfo] = {}

        def keys() -> Iterator[str]:
            found = self._children(bucket, prefix) if delimiter == "/" else self._all(bucket, prefix, marker)
            for key, meta in found:
                if _real_key(key) > _real_key(marker):
                    if meta is not None:
                        infos[key] = _info(key, meta)
                    yield key

        page = page_of(keys(), prefix, delimiter, marker, limit)
        return Listing([infos[key] for key in page.keys], page.prefixes, page.next_marker)

    def sizes(self, bucket: str, prefix: str = "") -> Iterator[tuple[str, int]]:
        self._check_bucket(bucket)
        return ((key, meta["size"]) for key, meta in self._all(bucket, prefix, ""))

    def _all(self, bucket: str, prefix: str, marker: str) -> Iterator[tuple[str, ObjectMeta]]:
        """All objects with the prefix, from somewhere before the marker on."""
        base = f"{self._prefix}{bucket}/"
        parent = prefix.rpartition("/")[0]
        if parent and not _is_expressible(parent):
            return
        offset = max(_real_key(marker), prefix[:-1]).removesuffix("/")
        if not _is_expressible(offset):
            offset = ""
        with _translated(self._remote):
            # The library counts prefixes in whole segments of the path.
            found = obstore.list(self._client, base + parent, offset=base + offset if offset else None, chunk_size=1000)
            for meta in itertools.chain.from_iterable(found):
                key = meta["path"].removeprefix(base).removesuffix(_FOLDER_OBJECT)
                if key.startswith(prefix) and key:
                    yield key, meta
                elif key > prefix:
                    return

    def _children(self, bucket: str, prefix: str) -> Iterator[tuple[str, ObjectMeta | None]]:
        """The objects beside the prefix, and the folders, in order."""
        base = f"{self._prefix}{bucket}/"
        parent = prefix.rpartition("/")[0]
        if parent and not _is_expressible(parent):
            return
        with _translated(self._remote):
            found = obstore.list_with_delimiter(self._client, base + parent)
        entries: dict[str, ObjectMeta | None] = {
            f"{path.removeprefix(base)}/": None for path in found["common_prefixes"]
        }
        entries |= {meta["path"].removeprefix(base).removesuffix(_FOLDER_OBJECT): meta for meta in found["objects"]}
        yield from ((key, entries[key]) for key in sorted(entries, key=_real_key) if key and key.startswith(prefix))

    def head(self, bucket: str, key: str) -> ObjectInfo:
        return _info_of(key, self._get(bucket, key, head=True))

    def get(self, bucket: str, key: str) -> tuple[ObjectInfo, BinaryIO]:
        result = self._get(bucket, key)

        def reopen(offset: int) -> Iterable[bytes]:
            options: dict[str, Any] = {"range": {"offset": offset}, "if_match": result.meta["e_tag"]}
            return self._get(bucket, key, **options).stream(1 << 20)

        info = _info_of(key, result)
        return info, _ObjectStream(self._remote, info.size, result.stream(1 << 20), reopen).buffered()

    def _get(self, bucket: str, key: str, **options: Any) -> GetResult:
        path = self._path(bucket, key)
        try:
            with _translated(self._remote):
                return obstore.get(self._client, path, options=cast(Any, options))
        except FileNotFoundError:
            self._check_bucket(bucket)
            raise NoSuchKey.named(bucket, key) from None

    def has_folder(self, bucket: str, key: str) -> bool:
        self._check_bucket(bucket)
        folder = f"{key.strip('/')}/"
        return folder == "/" or next(self._all(bucket, folder, ""), None) is not None

    # Writing

    def check(self, bucket: str, key: str) -> None:
        check_path(key)
        if not _is_expressible(key):
            raise InvalidKey(f"key {key!r} has a control character, which the library for buckets cannot express")
        self._check_bucket(bucket)

    def draft(self, bucket: str, key: str) -> Draft:
        self.check(bucket, key)
        self._drafts.mkdir(mode=0o700, parents=True, exist_ok=True)
        return ObjectDraft(self._drafts, partial(self._commit, bucket, key))

    def _commit(
        self,
        bucket: str,
        key: str,
        draft: DraftFile,
        attributes: Attributes = PLAIN,
        condition: Condition = ALWAYS,
        is_flushed: bool = False,  # noqa: ARG002 - what the service has confirmed is durable
        etag: str | None = None,  # noqa: ARG002 - the service makes its own
    ) -> ObjectInfo:
        """Make the draft the object, as `Draft.commit` says."""
        size = os.fstat(draft.fileno()).st_size
        check_content(key, size == 0)
        mode: Any = "create" if condition.if_none_match else "overwrite"
        if condition.if_match == "*":
            self.head(bucket, key)  # the library has no such condition: it may be deleted at this moment
        elif condition.if_match is not None:
            mode = {"e_tag": f'"{condition.if_match}"'}
        try:
            with _translated(self._remote):
                result = obstore.put(
                    self._client,
                    self._path(bucket, key),
                    draft.path,
                    attributes=cast(Any, _to_library(attributes)),
                    mode=mode,
                    chunk_size=_PART_BYTES,
                    max_concurrency=_PARTS_AT_ONCE,
                )
        except FileNotFoundError:  # nothing there that could have the ETag
            raise NoSuchKey.named(bucket, key) from None
        except PreconditionFailed:  # some services say so also if there is no object
            if condition.if_match is not None:
                self.head(bucket, key)
            raise
        made = (result["e_tag"] or "").strip('"')
        content_type = attributes.content_type or DEFAULT_CONTENT_TYPE
        return ObjectInfo(key, size, time.time(), made, content_type, attributes.metadata, attributes.headers)

    def copy(
        self,
        source: tuple[str, str],
        target: tuple[str, str],
        attributes: Attributes | None = None,
        check: Callable[[ObjectInfo], None] = lambda _: None,
        condition: Condition = ALWAYS,
    ) -> ObjectInfo:
        """As `Store.copy`; the service copies by itself what keeps its attributes and has no condition."""
        if attributes is not None or condition != ALWAYS or source == target:  # it may reject a copy to itself
            return super().copy(source, target, attributes, check, condition)
        check(self.head(*source))
        self.check(*target)
        with _translated(self._remote):
            obstore.copy(self._client, self._path(*source), self._path(*target))
        return self.head(*target)

    def delete(self, bucket: str, key: str, if_match: str | None = None) -> None:
        check_key(key)
        self._check_bucket(bucket)
        # The library has no conditional delete: what is written at this moment may be deleted.
        if if_match is not None:
            self.head(bucket, key).check_etag(if_match)
        if _is_expressible(key):
            with _translated(self._remote):
                self._delete(self._path(bucket, key))

    # Paths

    @property
    def _drafts(self) -> Path:
        return self.scratch / ".drafts"

    def _bucket_path(self, name: str) -> str:
        return f"{self._prefix}{_BUCKETS}/{name}"

    def _path(self, bucket: str, key: str) -> str:
        if not is_bucket_name(bucket):
            raise NoSuchBucket.named(bucket)
        check_key(key)
        if not _is_expressible(key):
            raise NoSuchKey.named(bucket, key)
        return f"{self._prefix}{bucket}/{_real_key(key)}"

    def _check_bucket(self, bucket: str) -> None:
        if not self.has_bucket(bucket):
            raise NoSuchBucket.named(bucket)

    def _is_empty(self, prefix: str) -> bool:
        found = obstore.list(self._client, prefix or None, chunk_size=1)
        return next(itertools.chain.from_iterable(found), None) is None

    def _delete(self, path: str) -> None:
        try:
            obstore.delete(self._client, path)
        except FileNotFoundError:
            return


def _info(key: str, meta: ObjectMeta) -> ObjectInfo:
    return ObjectInfo(key, meta["size"], meta["last_modified"].timestamp(), (meta["e_tag"] or "").strip('"'))


def _info_of(key: str, result: GetResult) -> ObjectInfo:
    info = _info(key, result.meta)
    return ObjectInfo(key, info.size, info.modified, info.etag, *_from_library(cast(Any, result.attributes)))


def _real_key(key: str) -> str:
    """The key that the service knows the object by."""
    return f"{key}{_FOLDER_OBJECT}" if key.endswith("/") else key


def _is_expressible(key: str) -> bool:
    """Whether the library can express the key."""
    return not _CONTROL.search(key) and is_path(key)


def _to_library(attributes: Attributes) -> dict[str, str]:
    """Return the library's attributes of an object: standard headers under their names, all others as metadata."""
    kept = {_HEADERS.get(name, _OTHER_HEADER + name): value for name, value in attributes.headers.items()}
    return {**attributes.metadata, **kept, **({_TYPE: attributes.content_type} if attributes.content_type else {})}


def _from_library(attributes: Mapping[Any, Any]) -> tuple[str, dict[str, str], dict[str, str]]:
    """Content type, metadata and headers of an object."""
    metadata = {str(name): str(value) for name, value in attributes.items()}
    content_type = metadata.pop(_TYPE, DEFAULT_CONTENT_TYPE)
    headers = {name: metadata.pop(kept) for name, kept in _HEADERS.items() if kept in metadata}
    others = [name for name in metadata if name.startswith(_OTHER_HEADER)]
    headers |= {name.removeprefix(_OTHER_HEADER): metadata.pop(name) for name in others}
    return content_type, metadata, headers
