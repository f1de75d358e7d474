"""An emulator whose exchanges are recorded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelarts_emulator.server import Emulator


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(executor="simulated", check_responses=True) as running:
        yield running
