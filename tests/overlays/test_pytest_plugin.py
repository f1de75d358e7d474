"""What a failing test of a user shows of an error of the toolkit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

Shown: TypeAlias = Callable[..., list[str]]
FAILING = """
import asyncio
import pytest
from modelarts_toolkit import AsyncModelArts

def helper(ma):
    ma.jobs.submit({"kind": "job"})  # called here

def test_call(modelarts):
    modelarts.v2.flavors.show_training_job_flavors(flavor_type="none")  # called here

def test_helper(modelarts):
    helper(modelarts)

def test_asynchronous(emulator_environment):
    async def get():
        async with AsyncModelArts() as ma:
            await ma.jobs.get("none")  # called here
    asyncio.run(get())

@pytest.fixture
def broken(modelarts):
    modelarts.jobs.get("none")  # called here

def test_fixture(broken):
    pass

def test_own(modelarts):
    raise ValueError("own")
"""


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    """The lines that pytest prints about these tests."""
    (tmp_path / "test_failing.py").write_text(FAILING)

    def run(*options: str) -> list[str]:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout.splitlines()

    return run


def test_an_error_of_the_toolkit_ends_at_the_line_that_caused_it(shown: Shown) -> None:
    """No frame of the library or of its threads follows, also behind a helper, in a coroutine and in a fixture."""
    lines = [line for line in shown() if line.strip("^ ")]
    marked = [number for number, line in enumerate(lines) if line.startswith(">") and line.endswith("# called here")]

    assert len(marked) == 4
    assert all(lines[number + 1].startswith("E  ") for number in marked)
    assert not [line for line in lines if "modelarts_api/" in line or "concurrent/futures" in line]
    assert "E       ValueError: own" in lines


def test_the_full_traceback_is_shown_if_it_is_asked_for(shown: Shown) -> None:
    assert [line for line in shown("--full-trace", "-k", "call") if "modelarts_api/" in line]
