"""Object storage: `ma.obs`.

URLs are `obs://bucket/key` or, as in request bodies, `/bucket/key`; a URL that ends in `/` means everything below it.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_toolkit.http.transport import Verify
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.storage.buckets import Location
from modelarts_toolkit.storage.event_loops import run_async
from modelarts_toolkit.storage.transfers import Storage, Transfer
from modelarts_toolkit.storage.uploads import OnUpload

if TYPE_CHECKING:
    from modelarts_toolkit.storage.bucket_requests import FolderPage, StoredBucket, StoredObject


class AsyncObs:
    """Object storage, addressed by URL; objects of any size are streamed.

    Ctrl-C, or cancelling the call, stops a transfer at once.
    """

    def __init__(self, config: Config, *, verify: Verify = True) -> None:
        self._storage = Storage(config, verify)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._storage.endpoint!r})"

    async def upload(
        self,
        source: str | os.PathLike[str],
        url: str,
        *,
        sync: bool = False,
        code: bool = False,
        ignore: Iterable[str] = (),
        on_progress: OnUpload | None = None,
    ) -> Transfer:
        """Upload a file to the key (or into the folder), or a folder with its subfolders below the URL.

        An upload of a folder leaves out version control, caches, virtual environments, `.env*`, and paths that match
        its `.modelartsignore` (with the rules of gitignore) or `ignore`; for code also paths in `.gitignore`.
        Links to folders are followed, but each folder only once; named pipes, sockets and devices are left out.
        Files with unchanged content are not sent again.
        `sync` then removes the objects below the URL that the folder does not have, except those left out.
        `code` checks the limits of a code directory before the first byte is sent.
        `on_progress` is called while files are being found, and after each file and each megabyte of a large file,
        possibly in another thread; its error ends the upload.
        An object appears when it is complete; then its checksum is compared with the file's.
        Raises FileNotFoundError if the source does not exist, ObsError for errors of object storage.
        """
        return await run_async(
            self._storage.upload, Path(source), Location.parse(url), sync, code, tuple(ignore), on_progress
        )

    async def download(
        self, url: str, folder: str | os.PathLike[str], *, writer: str | None = None, overwrite: bool = True
    ) -> Transfer:
        """Download an object into the folder, or everything below the URL with its subfolders.

        A file appears when it is complete.
        Without `overwrite`, files of other contents are replaced only if a download for the same `writer` wrote them.
        Raises ObsError if there is nothing, if a file must not be replaced, or at the end for keys that cannot be files
        in the folder.
        """
        return await run_async(self._storage.download, Location.parse(url), Path(folder), writer, overwrite)

    async def list(self, url: str) -> "list[StoredObject]":
        """List the objects below a folder, subfolders included, or the one object at the URL."""
        return await run_async(self._storage.list, Location.parse(url))

    async def list_folder(self, url: str) -> "FolderPage":
        """List what is right below a folder by one request: subfolders and objects, 1,000 of them at most."""
        return await run_async(self._storage.list_folder, Location.parse(url))

    async def exists(self, url: str) -> bool:
        """Whether there is the object, or any below the folder; a listing ends at its first page."""
        return await run_async(self._storage.exists, Location.parse(url))

    async def list_buckets(self) -> "Sequence[StoredBucket]":
        """List the buckets of the account, ordered by name."""
        return await run_async(self._storage.list_buckets)

    async def delete(self, url: str) -> int:
        """Delete the object, or all objects below a folder (`.../`); return their number.

        Raises ObsError for a whole bucket.
        """
        return await run_async(self._storage.delete, Location.parse(url))

    async def create_bucket(self, bucket: str) -> bool:
        """Create a bucket, given as name or URL; returns False if we own it already, or after a lost response.

        Raises ObsError if the name is not allowed, or belongs to somebody else.
        """
        return await run_async(self._storage.create_bucket, bucket)

    async def delete_bucket(self, bucket: str) -> bool:
        """Delete an empty bucket, given as name or URL; returns False if it is not empty.

        A bucket that does not exist counts as deleted. Raises ObsError if it belongs to somebody else.
        """
        return await run_async(self._storage.delete_bucket, bucket)
