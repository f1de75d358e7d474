"""The object store, as executors of other packages and the rest of the emulator use it."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

from modelarts_emulator.storage.errors import AccessDenied, BucketAlreadyOwnedByYou, StoreError
from modelarts_emulator.storage.folder import FolderStore as Store
from modelarts_emulator.storage.sidecars import BUCKET

__all__ = ["AccountStore", "Store", "open_store"]


class AccountStore(Store):
    """The store for one account: a call that names a bucket of another account raises AccessDenied.

    Buckets without an owner belong to all accounts.
    """

    def __init__(self, store: Store, account_id: str) -> None:
        vars(self).update(vars(store))  # the lock, and what is known of files and directories, are the same
        self.account_id = account_id

    def create_bucket(self, name: str, location: str = "", owner: str = "") -> None:
        """Create a bucket of this account; raises BucketAlreadyExists for a bucket of another account."""
        try:
            super().create_bucket(name, location, owner or self.account_id)
        except BucketAlreadyOwnedByYou:
            try:
                self._check_bucket(name)
            except AccessDenied as error:
                raise StoreError("BucketAlreadyExists", f"{error}: choose another name") from None
            raise

    def _check_bucket(self, bucket: str) -> None:
        status = self._bucket_status(bucket)
        known = self._sidecars.known(bucket, BUCKET, BUCKET, status)
        if known is not None and json.loads(known.attributes).get("owner", "") not in ("", self.account_id):
            raise AccessDenied(f"bucket {bucket} belongs to another account")


def open_store(url: str, account_id: str) -> AccountStore:
    """Return the account's view of the store at `file:///path/to/folder`; raises ValueError for another URL."""
    parts = urlsplit(url)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or not parts.path:
        raise ValueError(f"{url!r} is not the URL of an object store: use file:///path/to/folder")
    return AccountStore(Store(Path(unquote(parts.path))), account_id)
