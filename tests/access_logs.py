"""A plugin of pytest: the emulators that a test module starts write an access log that is named after the module.

    ACCESS_LOGS=FOLDER pytest -p tests.access_logs tests/stories

`scripts/evidence.py` reads the folder.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from modelarts_emulator.options import ACCESS_LOG

FOLDER = Path(os.environ["ACCESS_LOGS"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Name the module's file before any of its fixtures starts an emulator."""
    os.environ[ACCESS_LOG] = str(FOLDER / f"{item.path.stem}.jsonl")
    return (yield)
