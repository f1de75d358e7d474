"""What happened to simulated jobs."""

from __future__ import annotations

import json
import logging
import sqlite3
from pathlib import Path

import pytest

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


def test_the_journal_of_an_earlier_version_is_taken_over_once(tmp_path: Path) -> None:
    """Entries of removed jobs, and the half of a line, stay behind."""
    lines = [{"job": job_id, "kind": kind} for job_id, kind in (("a", "started"), ("b", "started"), ("a", "removed"))]
    old = tmp_path / "journal.jsonl"
    old.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"job": "c", "ki')
    journal = Journal(tmp_path / "journal.db")

    assert journal.of("b") == [{"job": "b", "kind": "started"}]
    assert journal.of("a") == journal.of("c") == []
    assert not old.exists()


def _line(job_id: str, **fields: object) -> str:
    return json.dumps({"job": job_id, "kind": "started", **fields}) + "\n"


@pytest.mark.parametrize("damaged", ["{", "[]", '"text"', '{"job": "a"}', '{"job": [1], "kind": "x"}', "\0\0", ""])
def test_a_damaged_line_of_an_earlier_journal_is_skipped(
    tmp_path: Path, damaged: str, caplog: pytest.LogCaptureFixture
) -> None:
    """All others are taken over, and the log says which was not."""
    (tmp_path / "journal.jsonl").write_text(f"{_line('a')}{damaged}\n{_line('b')}")
    journal = Journal(tmp_path / "journal.db")
    with caplog.at_level(logging.WARNING):
        found = [journal.of("a"), journal.of("b")]
    journal.close()

    assert found == [[{"job": "a", "kind": "started"}], [{"job": "b", "kind": "started"}]]
    assert "line 2 cannot be read" in caplog.text


def test_an_import_that_fails_is_repeated_and_loses_nothing(tmp_path: Path) -> None:
    """No transaction stays open, in which later entries would be lost at the end of the process."""
    old = tmp_path / "journal.jsonl"
    old.write_text(_line("a") + _line("b"))
    journal = Journal(tmp_path / "journal.db")
    journal.append("early", "started")
    journal.close()
    old.write_text(_line("a") + _line("b"))
    with sqlite3.connect(tmp_path / "journal.db", isolation_level=None) as database:
        database.execute("DELETE FROM entries")
        database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON entries WHEN NEW.job = 'b' BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        for _ in range(2):
            with pytest.raises(sqlite3.IntegrityError, match="full"):
                journal.of("a")
        database.execute("DROP TRIGGER full")
    database.close()

    assert journal.of("a") == [{"job": "a", "kind": "started"}]
    journal.append("later", "started")
    journal.close()
    assert Journal(tmp_path / "journal.db").of("later") == [{"job": "later", "kind": "started"}]
    assert Journal(tmp_path / "journal.db").of("b") == [{"job": "b", "kind": "started"}]


def test_an_import_that_was_committed_is_not_repeated_after_a_crash(tmp_path: Path) -> None:
    """The file of lines may still be there: no entry comes twice."""
    old = tmp_path / "journal.jsonl"
    old.write_text(_line("a"))
    journal = Journal(tmp_path / "journal.db")
    journal.of("a")
    journal.close()
    old.write_text(_line("a") + _line("b"))
    again = Journal(tmp_path / "journal.db")

    assert again.of("a") == [{"job": "a", "kind": "started"}]
    assert again.of("b") == [{"job": "b", "kind": "started"}]
    assert not old.exists()
