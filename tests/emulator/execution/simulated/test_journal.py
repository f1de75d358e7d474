"""What simulated jobs were told."""

from __future__ import annotations

import json
from pathlib import Path

from modelarts_emulator.execution.simulated.journal import Journal


def test_entries_of_a_job_are_read_again_in_their_order(tmp_path: Path) -> None:
    """Also by the next journal on the same file, and without those of other jobs."""
    journal = Journal(tmp_path / "new" / "journal.db")
    for job_id, at in (("a", 1), ("b", 2), ("a", 3)):
        journal.append(job_id, "started", at=at)
    journal.close()

    assert [entry["at"] for entry in Journal(tmp_path / "new" / "journal.db").of("a")] == [1, 3]
    assert Journal(tmp_path / "new" / "journal.db").of("c") == []


def test_a_removed_job_is_unknown(tmp_path: Path) -> None:
    """Removing tells whether anything was known."""
    journal = Journal(tmp_path / "journal.db")
    journal.append("a", "started")

    assert journal.remove("a")
    assert not journal.remove("a")
    assert journal.of("a") == []


def test_nobody_else_can_read_the_journal(tmp_path: Path) -> None:
    """Plans have lines of a user's log, with what the job was given."""
    journal = Journal(tmp_path / "journal.db")
    journal.append("a", "started")

    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}


def test_the_journal_of_an_earlier_version_is_taken_over_once(tmp_path: Path) -> None:
    """Entries of removed jobs, and the half of a line, stay behind."""
    lines = [{"job": job_id, "kind": kind} for job_id, kind in (("a", "started"), ("b", "started"), ("a", "removed"))]
    old = tmp_path / "journal.jsonl"
    old.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"job": "c", "ki')
    journal = Journal(tmp_path / "journal.db")

    assert journal.of("b") == [{"job": "b", "kind": "started"}]
    assert journal.of("a") == journal.of("c") == []
    assert not old.exists()
