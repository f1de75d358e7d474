"""A trash: what is discarded leaves its place at once, and the disk when a thread of its own has the time.

To remove a directory can take milliseconds, in which the file system waits; to rename it takes microseconds.
Standard library only, as the object store that uses it.
"""

from __future__ import annotations

import contextlib
import os
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
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
        self._is_closing = threading.Event()

    def discard(self, path: Path) -> None:
        """Take the file or directory away, if it is there."""
        with self.collecting() as discard:
            discard(os.fspath(path))

    @contextlib.contextmanager
    def collecting(self) -> Iterator[Callable[[str], None]]:
        """Give a function as `discard` for many paths, which leave the disk after the block."""
        targets: list[str] = []

        def discard(path: str) -> None:
            target = f"{self._folder}/{uuid.uuid4().hex}"
            try:
                os.rename(path, target)  # noqa: PTH104 - text, because a reset waits for thousands
            except FileNotFoundError:
                if not os.path.exists(path):  # noqa: PTH110
                    return
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.rename(path, target)  # noqa: PTH104
            targets.append(target)

        try:
            yield discard
        finally:
            self._remove(targets)

    def resume(self) -> None:
        """Go on with what an earlier process has left in the trash."""
        if self._folder.is_dir():
            self._remove(map(os.fspath, self._folder.iterdir()))

    def close(self) -> None:
        """Stop removing; what is left is removed by the next process that uses this trash."""
        if self._remover is not None:
            self._is_closing.set()
            self._remover.shutdown(cancel_futures=True)
            self._remover = None

    def _remove(self, paths: Iterable[str]) -> None:
        if self._remover is None:
            from concurrent.futures import ThreadPoolExecutor  # controllers of tasks discard nothing, and start quickly

            self._remover = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trash")
            self._is_closing = threading.Event()
        with contextlib.suppress(RuntimeError):  # the interpreter ends: the next process removes it
            self._remover.submit(_remove_trees, paths, self._is_closing)


def _remove_trees(paths: Iterable[str], is_over: threading.Event) -> None:
    for path in paths:
        if is_over.is_set():
            return
        remove_tree(Path(path))
