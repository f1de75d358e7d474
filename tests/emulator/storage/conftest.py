"""A store in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.storage.folder import FolderStore


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """A store with the bucket `data`, not served."""
    store = FolderStore(tmp_path / "objects")
    store.create_bucket("data")
    return store
