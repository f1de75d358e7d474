"""The object store, as executors of other packages and the rest of the emulator use it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from modelarts_emulator.storage.account_store import AccountStore
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
from modelarts_emulator.storage.folder import Draft
from modelarts_emulator.storage.folder import FolderStore as Store
from modelarts_emulator.storage.objects import (
    ALWAYS,
    DEFAULT_CONTENT_TYPE,
    PLAIN,
    Attributes,
    Bucket,
    Condition,
    Listing,
    ObjectInfo,
)

__all__ = [
    "ALWAYS",
    "DEFAULT_CONTENT_TYPE",
    "PLAIN",
    "AccessDenied",
    "AccountStore",
    "Attributes",
    "Bucket",
    "BucketAlreadyOwnedByYou",
    "Condition",
    "Draft",
    "InvalidKey",
    "Listing",
    "NoSuchBucket",
    "NoSuchKey",
    "ObjectInfo",
    "PreconditionFailed",
    "ServiceUnavailable",
    "Store",
    "StoreError",
    "open_store",
]


def open_store(url: str, account_id: str) -> AccountStore:
    """Return the account's view of the store at `file:///path/to/folder`; raises ValueError for another URL."""
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not parts.path:
        raise ValueError(f"{url!r} is not the URL of an object store: use file:///path/to/folder")
    return AccountStore(Store(Path(unquote(parts.path))), account_id)
