"""Metrics in logs: what a line says, where reading continues."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.tuning.advisor.matching import match


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "task.log"


def test_the_last_match_of_a_line_counts_by_its_group_or_as_a_whole(log: Path) -> None:
    log.write_bytes(b"acc=0.1 acc=0.2\nnothing\nloss 3 at 10.0\n")

    found = match(str(log), 0, [r"acc=(\S+)", r"\d+\.\d"], False)

    assert found == {"offset": 39, "rows": [["0.2", "0.2"], [None, "10.0"]], "is_all": True}


def test_a_line_counts_when_it_is_whole_or_the_log_has_ended(log: Path) -> None:
    log.write_bytes(b"acc=0.1\nacc=0.2")

    assert match(str(log), 0, [r"acc=(\S+)"], False) == {"offset": 8, "rows": [["0.1"]], "is_all": True}
    assert match(str(log), 8, [r"acc=(\S+)"], True) == {"offset": 15, "rows": [["0.2"]], "is_all": True}


def test_a_log_that_is_not_there_yet_or_is_not_text_is_read_nonetheless(log: Path) -> None:
    assert match(str(log), 0, ["x"], True) == {"offset": 0, "rows": [], "is_all": True}
    log.write_bytes(b"\xff\xfe acc=1 \xff\n")
    assert match(str(log), 0, [r"acc=(\S+)"], False)["rows"] == [["1"]]


def test_a_long_log_is_read_in_parts_that_are_whole_lines(log: Path) -> None:
    log.write_bytes(b"acc=1\n" * 400_000)

    offset, count = 0, 0
    while offset < log.stat().st_size:
        part = match(str(log), offset, [r"acc=(\d)"], True)
        offset, count = part["offset"], count + len(part["rows"])

    assert count == 400_000
