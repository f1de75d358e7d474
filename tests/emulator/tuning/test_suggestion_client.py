"""The advisor responds from a process of its own, which ends with the emulator."""

from __future__ import annotations

import threading
from pathlib import Path

import psutil
import pytest

from modelarts_emulator.tuning.suggestion_client import SuggestionClient, SuggestionError

ENDLESS = {"do": "match", "offset": 0, "regexes": ["(a+)+$"], "is_complete": True}


def _log(folder: Path) -> str:
    (folder / "log").write_text("a" * 60 + "b")
    return str(folder / "log")


def test_closing_does_not_wait_for_a_response(tmp_path: Path) -> None:
    """Who waits for it learns that there will be none."""
    suggestions = SuggestionClient(is_blocking=True)
    errors: list[SuggestionError] = []

    def ask() -> None:
        with pytest.raises(SuggestionError) as error:
            suggestions.ask("job", {**ENDLESS, "path": _log(tmp_path)})
        errors.append(error.value)

    asking = threading.Thread(target=ask)
    children = psutil.Process().children()
    asking.start()
    while not (started := [child for child in psutil.Process().children() if child not in children]):
        asking.join(0.01)
    suggestions.close()
    asking.join()

    assert [str(error) for error in errors] == ["the advisor process ends without a response"]
    assert not any(child.is_running() for child in started)
