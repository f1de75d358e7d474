"""A store in a folder, and its errors as tests expect them."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.protocol import Store


def store_error(code: str, match: str | None = None) -> pytest.RaisesExc[StoreError]:
    """Expects a StoreError with this code in a `with` block."""
    return pytest.raises(StoreError, match=match, check=lambda error: error.code == code)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with the bucket `data`, not served."""
    store = Store(tmp_path / "objects")
    store.create_bucket("data")
    return store
