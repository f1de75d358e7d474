"""Waiting for what a real process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

PATIENCE_S = 30
POLL_INTERVAL_S = 0.05


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], Any]], None]:
    """Waits until a claim is true; fails the test if it is not in time."""

    def wait(claim: Callable[[], Any]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not claim():
            assert time.monotonic() < deadline, "it did not become true in time"
            time.sleep(POLL_INTERVAL_S)

    return wait
