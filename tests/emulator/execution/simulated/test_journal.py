"""What happened to simulated jobs."""

from __future__ import annotations

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


def test_removed_jobs_are_unknown(tmp_path: Path) -> None:
    """Also those that were unknown before; the others stay."""
    journal = Journal(tmp_path / "journal.db")
    for job_id in "abc":
        journal.append(job_id, "started")

    for _ in range(2):
        journal.remove(["a", "c", "unknown"])
    assert [len(journal.of(job_id)) for job_id in "abc"] == [0, 1, 0]


def test_nobody_else_can_read_the_journal(tmp_path: Path) -> None:
    """Plans have lines of a user's log, with what the job was given."""
    journal = Journal(tmp_path / "journal.db")
    journal.append("a", "started")

    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
