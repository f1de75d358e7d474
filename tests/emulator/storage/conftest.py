"""A store in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.storage.protocol import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with the bucket `data`, not served."""
    store = Store(tmp_path / "objects")
    store.create_bucket("data")
    return store
