"""The store as the users of one account see it."""

from __future__ import annotations

import json

from modelarts_emulator.storage.errors import AccessDenied, BucketAlreadyOwnedByYou, StoreError
from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.storage.sidecars import BUCKET


class AccountStore(FolderStore):
    """The store for one account: a call that names a bucket of another account raises AccessDenied.

    Buckets without an owner belong to all accounts.
    """

    def __init__(self, store: FolderStore, account_id: str) -> None:
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
