"""Limits: how much code a job may bring, and how much of its output is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from modelarts_emulator.http.errors import EmulatorError

__all__ = ["Limits", "read"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What is rejected (code) or dropped (log) beyond these numbers.

    The documents give four different sets of limits for code; these are the page "Creating a Training Job"'s.
    The log's is the one at which the service's `modelarts-pipe` goes silent.
    """

    code_files: int = 1000
    code_depth: int = 32
    code_bytes: int = 5 * 1024**3
    log_bytes: int = 1024**3


def read(table: Any, where: str) -> Limits:
    """The limits with those of the table instead; raises EmulatorError naming `where` it is wrong."""
    known = [field.name for field in fields(Limits)]
    if not isinstance(table, Mapping) or not set(table) <= set(known):
        raise EmulatorError(f"{where}: limits must be a table of {', '.join(known)}")
    for name, value in table.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise EmulatorError(f"{where}: limits.{name} must be an integer of at least 1")
    return replace(Limits(), **table)
