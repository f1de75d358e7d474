"""Findings that are known: a JSON file, which is committed with the tests.

`findings` has an entry per finding, by its id, with operation and title; `expires`, a day, may be added, and anything
else that a reader should know. An entry that has expired hides nothing. `notes` lists what is new and breaks nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from modelarts_contract.finding import Finding

__all__ = ["known", "known_notes", "load", "update"]


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


def known_notes(file: Path) -> list[str]:
    """What the file lists as new in the service, without places."""
    return list(json.loads(file.read_text("utf-8")).get("notes", ())) if file.exists() else []


def update(file: Path, findings: Iterable[Finding], notes: Iterable[str] = ()) -> int:
    """Make the file list these findings and notes, and no others; keep what it said. Returns how many findings."""
    before = load(file)
    each_place = [place for found in findings for place in (found, *found.also)]
    entries = {found.id: {"operation": found.label, "title": found.title} for found in each_place}
    entries = {id_: entry | before.get(id_, {}) for id_, entry in entries.items()}
    content = {"findings": entries, "notes": sorted(note.partition(":")[0] for note in notes)}
    file.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    return len(entries)
