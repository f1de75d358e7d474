"""pytest: the fixtures `modelarts`, a client of the emulator that a test uses, and `modelarts_exam`.

The emulator's own plugin has the fixtures `emulator` and `emulator_environment`; nothing is imported before a test asks
for it, because every run of pytest loads this file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

LIBRARY = ("modelarts_toolkit", "modelarts_api", "modelarts_runtime")

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts
    from modelarts_toolkit.local.exam import Exam


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    """End the traceback of an error of the toolkit with the line that called it, unless --full-trace is given."""
    errors, found = sys.modules.get("modelarts_toolkit.errors"), call.excinfo
    if errors is None or found is None or item.config.option.fulltrace or not found.errisinstance(errors.ToolkitError):
        return
    entry = found.tb
    while entry.tb_next is not None and not _module(entry.tb_next).startswith(LIBRARY):
        entry = entry.tb_next
    if not _module(entry).startswith(("_pytest", "pluggy")):  # the error of a fixture
        entry.tb_next = None


def _module(entry: TracebackType) -> str:
    return str(entry.tb_frame.f_globals.get("__name__"))


@pytest.fixture
def modelarts(emulator_environment: dict[str, str]) -> Iterator[ModelArts]:  # noqa: ARG001 - set for the client
    """A client of the emulator, logged in by the environment as programs are."""
    from modelarts_toolkit import ModelArts

    with ModelArts() as client:
        yield client


@pytest.fixture
def modelarts_exam() -> Callable[..., Exam]:
    """Take the exam of a script: `assert modelarts_exam("train.py", data="data", arguments={"epochs": 5}).passed`."""
    from modelarts_toolkit.local.exam import examine

    return examine
