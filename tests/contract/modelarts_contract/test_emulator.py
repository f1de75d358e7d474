"""The emulator of a run; how it starts and ends is tried by the tests of `modelarts run`."""

from __future__ import annotations

from pathlib import Path

from modelarts_contract import emulator


def test_secrets_of_an_emulator_are_not_in_its_repr(tmp_path: Path) -> None:
    with emulator.serving(tmp_path) as running:
        assert running.environment["MODELARTS_SECRET_KEY"] not in repr(running)
