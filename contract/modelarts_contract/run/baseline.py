"""Findings that are known: a JSON file, which is committed beside what it is about.

`findings` has an entry per finding, by its id, with operation and title; `expires`, a day, may be added, and anything
else that a reader should know. An entry that has expired hides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from .result import Finding

__all__ = ["known", "load", "update"]


def load(file: Path) -> dict[str, dict[str, Any]]:
    """Read a baseline, which is empty if the file does not exist; raises ValueError for another format."""
    try:
        content = json.loads(file.read_text("utf-8")) if file.exists() else {"findings": {}}
        return {id_: dict(entry) for id_, entry in content["findings"].items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{file} is not a baseline ({error}): correct it, or delete it and write it with --update-baseline"
        ) from None


def known(file: Path) -> set[str]:
    """The ids of the findings that the file lists and that have not expired."""
    today = date.today().isoformat()
    return {id_ for id_, entry in load(file).items() if str(entry.get("expires", today)) >= today}


def update(file: Path, findings: Iterable[Finding]) -> int:
    """Make the file list these findings and no others; keep what it said of them. Returns how many there are."""
    before = load(file)
    entries = {found.id: {"operation": found.label, "title": found.title} for found in findings}
    entries = {id_: entry | before.get(id_, {}) for id_, entry in entries.items()}
    file.write_text(json.dumps({"findings": entries}, indent=2) + "\n", "utf-8")
    return len(entries)
