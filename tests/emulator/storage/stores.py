"""Errors of the store, as tests expect them."""

from __future__ import annotations

import pytest

from modelarts_emulator.storage.protocol import StoreError


def store_error(code: str, match: str | None = None) -> pytest.RaisesExc[StoreError]:
    """Expects a StoreError with this code in a `with` block."""
    return pytest.raises(StoreError, match=match, check=lambda error: error.code == code)
