"""Where the file of an object can be: at the path that its key is, or, where no path can be the key, encoded."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from modelarts_emulator.storage.directories import make_directories, move, remove_empty
from modelarts_emulator.storage.drafts import DraftFile
from modelarts_emulator.storage.encoded_keys import EncodedKeys
from modelarts_emulator.storage.errors import InvalidKey, NoSuchBucket, StoreError
from modelarts_emulator.storage.listing import FOLDER_STATE, state_of
from modelarts_emulator.storage.names import is_path
from modelarts_emulator.storage.object_metadata import Sidecars

__all__ = ["Placement"]

_ATTEMPTS = 3


class _CollisionError(Exception):
    """A path is taken by a directory, or leads through a file."""


class Placement:
    """Places files below the buckets' folders in `root`; whoever calls it holds the write lock."""

    def __init__(self, root: Path, sidecars: Sidecars, encoded: EncodedKeys) -> None:
        self._root = root
        self._sidecars = sidecars
        self._encoded = encoded

    def place(self, draft: DraftFile, sidecar: DraftFile | None, bucket: str, key: str, state: str) -> None:
        """Move the finished files to where the key can be: to its path, or else to the encoded key."""
        is_folder = state == FOLDER_STATE
        if is_path(key) and is_folder == key.endswith("/") and not (is_folder and self._encoded.exists(bucket, key)):
            path = self._root / bucket / key
            self.check_confined(bucket, path)
            try:
                if is_folder:
                    make_directories(os.fspath(path))
                if sidecar is not None:
                    self._sidecars.place(sidecar, bucket, key, state)
                if not is_folder:
                    self._place_file(bucket, draft.path, path)
            except _CollisionError:
                pass
            except (FileExistsError, NotADirectoryError):
                if not is_folder:
                    raise
            except BaseException:
                self.prune(bucket, path if is_folder else path.parent)
                raise
            else:
                self._encoded.delete(bucket, key)
                return
        if is_folder:
            state = state_of(os.fstat(draft.fileno()))
        if sidecar is not None and os.path.exists(sidecar.path):  # noqa: PTH110
            self._sidecars.place(sidecar, bucket, key, state)
        move(os.fspath(draft.path), self._encoded.path(bucket, key))
        if key.endswith("/") and is_path(key):
            self._sidecars.delete(bucket, key, FOLDER_STATE)
            self.prune(bucket, self._root / bucket / key)

    def check_confined(self, bucket: str, path: Path) -> None:
        """Raise InvalidKey if a link leads the path's directory out of the bucket."""
        folder = os.path.dirname(path)  # noqa: PTH120
        while not os.path.exists(folder):  # noqa: PTH110
            folder = os.path.dirname(folder)  # noqa: PTH120
        top = os.path.realpath(self._root / bucket)
        if not f"{os.path.realpath(folder)}/".startswith(f"{top}/"):
            raise InvalidKey(f"{path.name!r} would be written through a link that leads out of bucket {bucket}")

    def _place_file(self, bucket: str, draft: Path, path: Path) -> None:
        """Move the finished draft to its path; raises _CollisionError if something else than an object is there."""
        for _ in range(_ATTEMPTS):
            try:
                move(os.fspath(draft), os.fspath(path))
            except FileNotFoundError:
                if not (self._root / bucket).is_dir():  # else someone removed the directory that was just made
                    raise NoSuchBucket(f"bucket {bucket!r} does not exist: create it first") from None
            except (NotADirectoryError, FileExistsError, IsADirectoryError):
                if not (path.is_dir() and remove_empty(os.fspath(path))):
                    raise _CollisionError from None
            else:
                return
        raise StoreError("InternalError", f"{path.name!r}: its directory disappears again and again")

    def prune(self, bucket: str, folder: Path) -> None:
        """Remove directories that an object left empty, up to the bucket or to a "folder" object."""
        top = self._root / bucket
        while folder != top and folder.is_relative_to(top):
            if self._sidecars.exists(bucket, f"{folder.relative_to(top).as_posix()}/", FOLDER_STATE):
                return
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR, errno.EBUSY):
                    return
                raise
            folder = folder.parent
