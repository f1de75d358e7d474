"""pytest: the fixtures `modelarts`, a client of the emulator that a test uses, and `modelarts_exam`.

The emulator's own plugin has the fixtures `emulator` and `emulator_environment`; nothing is imported before a test asks
for it, because every run of pytest loads this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts
    from modelarts_toolkit.local.exam import Exam


@pytest.fixture
def modelarts(emulator_environment: dict[str, str]) -> Iterator[ModelArts]:  # noqa: ARG001 - set for the client
    """A client of the emulator, logged in by the environment as programs are."""
    from modelarts_toolkit import ModelArts

    with ModelArts() as client:
        yield client


@pytest.fixture
def modelarts_exam() -> Callable[..., Exam]:
    """Take the exam of a script: `assert modelarts_exam("train.py", data="data", arguments={"epochs": 5}).passed`."""
    from modelarts_toolkit.local.examine import examine

    return examine
