"""A trash: what is discarded leaves its place at once, and the disk when a thread of its own has the time.

To remove a directory can take milliseconds, in which the file system waits; to rename it takes microseconds.
Standard library only, as the object store that uses it.
"""

from __future__ import annotations

import contextlib
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_emulator.storage.directories import remove_tree

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["Trash"]


class Trash:
    """A folder on the same file system as all that is discarded; what a crash left in it is removed, too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._remover: ThreadPoolExecutor | None = None

    def discard(self, path: Path) -> None:
        """Take the file or directory away, if it is there."""
        target = self._folder / uuid.uuid4().hex
        try:
            path.rename(target)
        except FileNotFoundError:
            if not path.exists():
                return
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.rename(target)
        self._remove(target)

    def resume(self) -> None:
        """Go on with what an earlier process has left in the trash."""
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                self._remove(path)

    def close(self) -> None:
        """Stop removing; what is left is removed by the next process that uses this trash."""
        if self._remover is not None:
            self._remover.shutdown(cancel_futures=True)
            self._remover = None

    def _remove(self, path: Path) -> None:
        if self._remover is None:
            from concurrent.futures import ThreadPoolExecutor  # controllers of tasks discard nothing, and start quickly

            self._remover = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trash")
        with contextlib.suppress(RuntimeError):  # the interpreter ends: the next process removes it
            self._remover.submit(remove_tree, path)
