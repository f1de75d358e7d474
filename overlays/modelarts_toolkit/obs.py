"""Files to and from object storage, through the S3 protocol that OBS and the emulator speak.

URLs are `obs://bucket/key` or, as in request bodies, `/bucket/key`; one that ends in `/` means everything below it.
"""

import asyncio
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import unescape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from .config import Config
from .errors import ConfigError, ObsError

if TYPE_CHECKING:
    from obstore.store import S3Credential, S3Store

P1 = TypeVar("P1")
P2 = TypeVar("P2")

WORKERS = 8  # files at a time
PART = 8 * 1024 * 1024  # bytes in memory for each file

_REFUSALS = {
    "InvalidAccessKeyId": "object storage does not know the access key: check MODELARTS_ACCESS_KEY",
    "SignatureDoesNotMatch": "the secret key does not belong to the access key: check MODELARTS_SECRET_KEY",
    "RequestTimeTooSkewed": "this machine's clock is wrong by more than object storage accepts: set it",
    "AccessDenied": "access denied: ask the bucket's owner for permission",
}


class Location(NamedTuple):
    """A bucket and what is meant in it; a key that is empty or ends in `/` is a folder."""

    bucket: str
    key: str

    @classmethod
    def parse(cls, url: str) -> "Location":
        """Raises ObsError for anything but `obs://bucket/key` and `/bucket/key`."""
        path = url.removeprefix("obs://") if url.startswith("obs://") else url[1:] if url.startswith("/") else ""
        bucket, _, key = path.partition("/")
        if not bucket or "//" in key or key.startswith("/") or {".", ".."} & set(key.split("/")):
            raise ObsError(f'"{url}" is no OBS path: write obs://bucket/key or /bucket/key', url=url)
        return cls(bucket, key)

    @property
    def is_folder(self) -> bool:
        return not self.key or self.key.endswith("/")

    def __str__(self) -> str:
        return f"obs://{self.bucket}/{self.key}"


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object; `size` is in bytes."""

    url: str
    size: int
    last_modified: datetime


@dataclass(frozen=True, slots=True)
class Transfer:
    """What was moved."""

    files: int
    bytes: int


class Obs:
    """Object storage, addressed by URL; objects stream through, whatever their size."""

    def __init__(self, config: Config) -> None:
        config.require("obs_endpoint", "access_key", "secret_key")
        self._config = config
        self._endpoint = str(config.obs_endpoint)
        self._stores: dict[str, S3Store] = {}

    def __repr__(self) -> str:
        return f"Obs({self._endpoint!r})"

    def upload(self, source: str | os.PathLike[str], url: str) -> Transfer:
        """A file to the key (or into the folder), or what is in a folder, with its subfolders, below the URL.

        Raises FileNotFoundError for a source that is not there, ObsError for what the store refuses.
        """
        return self._upload(Path(source), Location.parse(url), threading.Event())

    def download(self, url: str, folder: str | os.PathLike[str]) -> Transfer:
        """An object into the folder, or everything below the URL with its subfolders.

        Each file appears when it is complete.
        Raises ObsError if there is nothing, or a key that would not stay in the folder.
        """
        return self._download(Location.parse(url), Path(folder), threading.Event())

    def list(self, url: str) -> list[StoredObject]:
        """The objects below a folder, subfolders included, or the one object that the URL names."""
        place = Location.parse(url)
        return [
            StoredObject(f"obs://{place.bucket}/{meta['path']}", meta["size"], meta["last_modified"])
            for meta in self._find(place)
        ]

    def delete(self, url: str) -> int:
        """Delete the object, or all objects below a folder (`.../`); how many there were.

        Raises ObsError for a whole bucket: name a folder in it.
        """
        place = Location.parse(url)
        if not place.key:
            raise ObsError(f"{place} is a whole bucket: name what to delete in it", url=url)
        keys = [meta["path"] for meta in self._find(place, object_only=not place.is_folder)]
        if keys:
            with self._explained(place):
                self._store(place.bucket).delete(keys)
        return len(keys)

    def create_bucket(self, bucket: str) -> bool:
        """Create a bucket, given as name or URL; False if we had it already.

        Raises ObsError if the name is not allowed, or belongs to somebody else.
        """
        import httpx
        from obstore import sign

        place = Location.parse(bucket if "/" in bucket else f"obs://{bucket}/")
        if place.key:
            raise ObsError(f"{bucket} is no bucket but a place in one", url=bucket)
        url = sign(self._store(place.bucket), "PUT", "", timedelta(minutes=5))
        region = self._config.region
        body = (
            f"<CreateBucketConfiguration><LocationConstraint>{region}</LocationConstraint></CreateBucketConfiguration>"
        )
        try:
            answer = httpx.put(url, content=body if region else b"", timeout=30)
        except httpx.TransportError as error:
            raise ObsError(f"no answer from {self._endpoint}: {error}", url=str(place)) from error
        if answer.is_success:
            return True
        if answer.status_code == 409 and "BucketAlreadyOwnedByYou" in answer.text:
            return False
        said = re.search(r"<Message>(.*?)</Message>", answer.text, re.DOTALL)
        reason = unescape(said[1]) if said else answer.text[:300]
        raise ObsError(f"cannot create {place}: {answer.status_code} {reason}", url=str(place))

    def _upload(self, source: Path, place: Location, stop: threading.Event) -> Transfer:
        store = self._store(place.bucket)
        files = list(_local_files(source, place))

        def put(file: Path, key: str) -> int:
            with self._explained(Location(place.bucket, key)):
                store.put(key, file, chunk_size=PART, max_concurrency=2)
            return file.stat().st_size

        return _all(put, files, stop)

    def _download(self, place: Location, folder: Path, stop: threading.Event) -> Transfer:
        store = self._store(place.bucket)
        found = self._find(place)
        if not found:
            raise ObsError(f"there is nothing at {place}", url=str(place))
        files = [(meta["path"], _inside(folder, place, meta["path"])) for meta in found]

        def get(key: str, file: Path) -> int:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(f".{file.name}.part")
            try:
                with self._explained(Location(place.bucket, key)), part.open("wb") as target:
                    for chunk in store.get(key).stream(min_chunk_size=PART):
                        if stop.is_set():
                            break
                        target.write(chunk)
                    else:
                        part.replace(file)
                return file.stat().st_size
            finally:
                part.unlink(missing_ok=True)

        return _all(get, files, stop)

    def _find(self, place: Location, *, object_only: bool = False) -> "Sequence[Any]":
        """The objects meant by a URL; a URL without `/` at its end means an object first, a folder second."""
        store = self._store(place.bucket)
        with self._explained(place):
            if not place.is_folder:
                try:
                    return [store.head(place.key)]
                except FileNotFoundError:
                    if object_only:
                        return []
            found = [meta for chunk in store.list(place.key.rstrip("/") or None) for meta in chunk]
        return _without_markers(found, place)

    def _store(self, bucket: str) -> "S3Store":
        if bucket not in self._stores:
            self._stores[bucket] = _connect(self._config, self._endpoint, bucket)
        return self._stores[bucket]

    @contextmanager
    def _explained(self, place: Location) -> Iterator[None]:
        """Turns what the library raises into one sentence about the place."""
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, FileNotFoundError, PermissionError) as error:
            raise ObsError(_reason(place, self._endpoint, str(error)), url=str(place)) from error


class AsyncObs:
    """As `Obs`; each call runs in a thread, where the library does not hold up Python, and stops when cancelled."""

    def __init__(self, config: Config) -> None:
        self._obs = Obs(config)

    def __repr__(self) -> str:
        return f"Async{self._obs!r}"

    async def upload(self, source: str | os.PathLike[str], url: str) -> Transfer:
        """As `Obs.upload`."""
        return await _stoppable(self._obs._upload, Path(source), Location.parse(url))

    async def download(self, url: str, folder: str | os.PathLike[str]) -> Transfer:
        """As `Obs.download`."""
        return await _stoppable(self._obs._download, Location.parse(url), Path(folder))

    async def list(self, url: str) -> list[StoredObject]:
        """As `Obs.list`."""
        return await asyncio.to_thread(self._obs.list, url)

    async def delete(self, url: str) -> int:
        """As `Obs.delete`."""
        return await asyncio.to_thread(self._obs.delete, url)

    async def create_bucket(self, bucket: str) -> bool:
        """As `Obs.create_bucket`."""
        return await asyncio.to_thread(self._obs.create_bucket, bucket)


async def _stoppable(transfer: Callable[[P1, P2, threading.Event], Transfer], first: P1, second: P2) -> Transfer:
    stop = threading.Event()
    try:
        return await asyncio.to_thread(transfer, first, second, stop)
    finally:
        stop.set()


def _all(move: Callable[[P1, P2], int], pairs: "Sequence[tuple[P1, P2]]", stop: threading.Event) -> Transfer:
    """Move every pair, several at a time; the first error stops the rest."""

    def unless_stopped(pair: tuple[P1, P2]) -> int:
        try:
            return 0 if stop.is_set() else move(*pair)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(WORKERS) as pool:
        sizes = [moved.result() for moved in [pool.submit(unless_stopped, pair) for pair in pairs]]
    return Transfer(len(sizes), sum(sizes))


def _local_files(source: Path, place: Location) -> "Iterator[tuple[Path, str]]":
    """The files to upload with their keys."""
    if source.is_file():
        yield source, place.key + source.name if place.is_folder else place.key
        return
    if not source.is_dir():
        raise FileNotFoundError(f"there is no file or folder {source}")
    prefix = place.key if place.is_folder else f"{place.key}/"
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            yield file, prefix + file.relative_to(source).as_posix()


def _without_markers(found: "Sequence[Any]", place: Location) -> "Sequence[Any]":
    """The listing without the empty objects `folder/` that consoles make; the library shows them without the slash.

    One that has nothing below it looks like an empty file, and is taken for one.
    """
    folders = {place.key.rstrip("/")}
    for meta in found:
        folders.update(str(parent) for parent in PurePosixPath(meta["path"]).parents)
    return [meta for meta in found if meta["size"] or meta["path"] not in folders]


def _inside(folder: Path, place: Location, key: str) -> Path:
    """Where an object goes; never outside the folder, whatever its key says."""
    is_single = key == place.key
    relative = PurePosixPath(key).name if is_single else key.removeprefix(place.key.rstrip("/")).lstrip("/")
    parts = relative.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise ObsError(f'the key "{key}" cannot be a file in {folder}', url=str(place))
    return folder.joinpath(*parts)


def _connect(config: Config, endpoint: str, bucket: str) -> "S3Store":
    try:
        from obstore.store import S3Store
    except ModuleNotFoundError as error:
        raise ConfigError("object storage needs one more library: pip install 'modelarts-toolkit[obs]'") from error

    def credential() -> "S3Credential":
        return {
            "access_key_id": str(config.access_key),
            "secret_access_key": str(config.secret_key),
            "token": config.security_token,
            "expires_at": None,
        }

    # OBS (obs.<region>.<domain>) wants the bucket in the host name; an address or any other store takes it in the path.
    parts = urlsplit(endpoint)
    is_virtual = (parts.hostname or "").startswith("obs.")
    address = f"{parts.scheme}://{bucket}.{parts.netloc}{parts.path}" if is_virtual else endpoint
    return S3Store(
        bucket,
        # The library reads AWS_* variables of its own accord; both names of the endpoint, and the provider of the
        # credentials, which would else be joined by AWS_SESSION_TOKEN, keep it to our settings.
        config={
            "aws_endpoint_url_s3": address,
            "endpoint": address,
            "region": config.region or (str(parts.hostname).split(".")[1] if is_virtual else "us-east-1"),
            "virtual_hosted_style_request": is_virtual,
        },
        credential_provider=credential,
        client_options={
            "allow_http": parts.scheme == "http",
            "connect_timeout": timedelta(seconds=10),
            "read_timeout": timedelta(seconds=60),
            "timeout": timedelta(days=1),  # of a whole download; a silent connection ends by read_timeout
        },
        retry_config={"max_retries": 4, "retry_timeout": timedelta(seconds=60)},
    )


def _reason(place: Location, endpoint: str, text: str) -> str:
    """One sentence from the library's report, which nests what the store said in what it tried."""
    if "NoSuchBucket" in text:
        return f'there is no bucket "{place.bucket}" at {endpoint}: create it, for example with obs.create_bucket()'
    for code, words in _REFUSALS.items():
        if code in text:
            return f"{place}: {words}"
    if "NoSuchKey" in text or "not found" in text.lower():
        return f"there is no object {place}"
    if "error sending request" in text or "Connect" in text:
        return f"no answer from object storage at {endpoint}: is it running, and is this its address?"
    return f"{place}: object storage refused: {text.splitlines()[0][:300]}"
