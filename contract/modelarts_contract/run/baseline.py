"""Findings that are known: a file in the format of schemathesis, which is committed beside what it is about.

It has an entry per finding, with the days on which it was first and last seen; `expires`, a day, may be added, and
anything else that a reader should know. An entry that has expired hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .result import Finding

if TYPE_CHECKING:
    from schemathesis.baseline import Baseline

__all__ = ["is_known", "load", "update"]


@cache
def load(file: Path) -> Baseline:
    """Read a baseline, which is empty if the file does not exist; raises ValueError for another format."""
    from schemathesis.baseline import Baseline

    return Baseline.load(file)


def is_known(file: Path, identity: Sequence[str]) -> bool:
    """Whether the file lists the finding, and it has not expired."""
    today = date.today()
    return any(entry.identity == tuple(identity) and not entry.is_expired(today) for entry in load(file).entries)


def update(file: Path, findings: Iterable[Finding]) -> int:
    """Make the file list these findings and no others; keep what it said of them. Returns how many there are."""
    from schemathesis.baseline import Baseline, BaselineEntry

    today = date.today().isoformat()
    before = {entry.identity: entry for entry in load(file).entries}
    entries = {}
    for finding in findings:
        operation, check, failure, signature = finding.identity
        entry = BaselineEntry(operation, check, failure, signature, first_seen=today)
        entry = before.get(entry.identity, entry)
        entry.last_seen = today
        entries[entry.identity] = entry
    Baseline(list(entries.values())).save(file)
    load.cache_clear()
    return len(entries)
