"""Temporary folders, which hold the credentials of emulators and must not stay when a process ends at once."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["remove_all", "temporary_folder"]

RMTREE_ATTEMPTS = 10

folders: list[Path] = []  # of blocks that have not ended


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is deleted when the block ends, or by `remove_all`."""
    with tempfile.TemporaryDirectory(prefix="modelarts-contract-") as name:
        folders.append(Path(name))
        try:
            yield Path(name)
        finally:
            folders.remove(Path(name))


def remove_all() -> None:
    """Delete the folders of all blocks, which a process that ends at once does not leave."""
    for folder in folders * RMTREE_ATTEMPTS:  # threads of this process may still write
        shutil.rmtree(folder, ignore_errors=True)
