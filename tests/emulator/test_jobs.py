"""Jobs in their table."""

from __future__ import annotations

from pathlib import Path

from modelarts_emulator import jobs
from modelarts_emulator.jobs import Job
from modelarts_emulator.phases import Phase
from modelarts_emulator.tables import open_database


def job(name: str, create_time: int, phase: Phase, launched: bool = False) -> Job:
    return Job(name, "p", "u", name, "job", "", 1, create_time, '"a":1', '"b":2', phase=phase, launched=launched)


def test_of_the_jobs_that_wait_for_room_only_the_oldest_are_read_and_all_that_are_busy(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/db")
    stored = [
        job("ended", 1, "Completed", launched=True),
        job("second", 3, "Pending"),
        job("first", 2, "Pending"),
        job("third", 4, "Pending"),
        job("starting", 5, "Pending", launched=True),
        job("running", 0, "Running", launched=True),
        job("stopping", 7, "Terminating"),
        job("new", 6, "Creating"),
    ]
    with engine.begin() as connection:
        for each in stored:
            jobs.add(connection, each)
        found = [[entry.name for entry in jobs.active(connection, queued)] for queued in (0, 2)]
    engine.dispose()

    assert found[0] == ["running", "starting", "new", "stopping"]
    assert found[1] == ["running", "first", "second", "starting", "new", "stopping"]
