"""How tasks see `/home/ma-user` and `/cache` on this machine, as users choose or as the system allows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from modelarts_emulator.execution.local.namespaces import PathMode, find_path_mode
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["PathChoice", "choose_path_mode", "describe"]

PathChoice = Literal["auto", "namespace", "mapping"]

_find = cache(find_path_mode)


def choose_path_mode(choice: PathChoice, needed: Sequence[Path]) -> tuple[PathMode, str]:
    """The mode, and why it is no better one; `needed` are files that tasks use under their own paths.

    Raises EmulatorError if namespaces are demanded where they do not work, and for another choice.
    """
    if choice == "mapping":
        return "mapping", ""
    if choice not in ("auto", "namespace"):
        raise EmulatorError(f"paths must be auto, namespace or mapping, not {choice!r}")
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable), Path(__file__))
    mode, reason = _find((*own, *(path.absolute() for path in needed)))
    if choice == "namespace" and mode == "mapping":
        raise EmulatorError(f"tasks cannot have a /home/ma-user of their own here ({reason}): use --paths mapping")
    return mode, reason


def describe(mode: PathMode, reason: str) -> str:
    """What users are told about the mode when the emulator starts."""
    if mode == "mapping":
        return "tasks find /home/ma-user below $MA_HOME" + (f" ({reason})" if reason else "")
    return "tasks see their own /home/ma-user and /cache"
