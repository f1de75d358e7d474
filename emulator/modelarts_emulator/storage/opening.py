"""Opens the store that a URL names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.names import CREDENTIAL_VARIABLES, PROXY_VARIABLES
from modelarts_emulator.storage.protocol import Store


def open_store(url: str, scratch: Path | None = None) -> Store:
    """Return the store at `file:///path/to/folder`, or at `s3://bucket/prefix?endpoint=https://host`.

    Credentials of a bucket are in the environment (`CREDENTIAL_VARIABLES`); `scratch` is a local folder for
    unfinished writes to it. Raises ValueError for another URL, or if something is missing, ModuleNotFoundError if the
    library for buckets is.
    """
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path:
        return FolderStore(Path(unquote(parts.path)))
    if parts.scheme == "s3":
        from modelarts_emulator.storage.bucket import BucketStore, Remote  # only if wanted: controllers start quickly

        return BucketStore(Remote.parse(url), scratch)
    raise ValueError(f"{url!r} is not the URL of an object store: use file:///path/to/folder or s3://bucket/prefix")


def credentials_in(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a process needs which opens the same store by its URL."""
    wanted = (*CREDENTIAL_VARIABLES, *PROXY_VARIABLES, *(name.upper() for name in PROXY_VARIABLES))
    return {name: environ[name] for name in wanted if name in environ}
