"""The clock, moved by those who use the emulator: everything on the way happens at its time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import serve

HOUR = 3600


@pytest.fixture
def rehearsal(tmp_path: Path) -> Iterator[Any]:
    """A client of an emulator that simulates, one job at a time, and whose time stands still."""
    with serve(tmp_path, executor="simulated", max_running_jobs=1, check_responses=True) as client:
        move(client, freeze=True)
        yield client


def move(api: Any, **command: Any) -> dict[str, Any]:
    response = api.http.post("/_emulator/clock", json=command)
    assert response.status_code == 200, response.text
    result: dict[str, Any] = response.json()
    return result


def status(api: Any, job_id: str) -> Any:
    return api.job(job_id)["status"]


@pytest.mark.parametrize("steps", [[100], [7] * 6, [10, 10, 10]])
def test_queued_jobs_end_one_after_the_other_whatever_the_step(rehearsal: Any, steps: list[int]) -> None:
    begin = move(rehearsal, freeze=True)["now"] * 1000
    jobs = [rehearsal.submit({"emulator/duration": "10"}) for _ in range(3)]
    for step in steps:
        move(rehearsal, advance=step)
    ends = [(entry["start_time"] - begin, entry["duration"]) for entry in (status(rehearsal, job) for job in jobs)]

    assert ends == [(0, 10_000), (10_000, 10_000), (20_000, 10_000)]


def test_time_stands_still_goes_on_and_never_back(rehearsal: Any) -> None:
    """What the clock cannot do is rejected."""
    held = move(rehearsal, advance=5)
    assert rehearsal.http.get("/_emulator/clock").json() == held == {"now": held["now"], "frozen": True}
    assert move(rehearsal, to=held["now"] + 5)["now"] == held["now"] + 5
    response = move(rehearsal, resume=True)

    assert response["frozen"] is False
    assert rehearsal.http.get("/_emulator/clock").json()["now"] > held["now"] + 5
    assert rehearsal.http.post("/_emulator/clock", json={"to": held["now"]}).status_code == 400

    before = move(rehearsal, freeze=True)
    for body in WRONG:
        response = rehearsal.http.post("/_emulator/clock", content=body)
        assert (response.status_code, bool(response.json()["error_msg"])) == (400, True), body[:99]

    assert rehearsal.http.get("/_emulator/clock").json() == before


WRONG = [
    *(b"", b"[]", b"{}", b'{"advance": -1}', b'{"advance": NaN}', b'{"advance": 1e400}', b'{"advance": true}'),
    *(b'{"advance": "1"}', b'{"advance": 1e10}', b'{"to": 1}', b'{"to": 1e300}', b'{"freeze": false}'),
    *(b'{"freeze": true, "advance": 1}', b'{"stop": true}', b" " * 1_100_000),
]


def test_what_has_happened_can_be_read_at_a_moment_between_two_milliseconds(rehearsal: Any) -> None:
    move(rehearsal, advance=0.0006)
    job_id = rehearsal.submit()
    move(rehearsal, advance=0)
    listed = rehearsal.call("GET", f"/training-jobs/{job_id}/events").json()["events"]

    assert [event["message"] for event in listed if event["source"] == "Job"] == [
        "The job is running.",
        "The job has been created.",
    ]
    times = [time_ms for time_ms, _ in rehearsal.job(job_id)["status"]["node_count_metrics"]]
    assert times == sorted(times)


def test_a_job_that_runs_too_long_is_stopped_at_its_hour(rehearsal: Any) -> None:
    stop = {"time_unit": "HOURS", "duration": 2}
    job = rehearsal.submit({"emulator/duration": str(5 * HOUR)}, auto_stop=stop)
    move(rehearsal, advance=10 * HOUR)

    response = status(rehearsal, job)
    assert (response["phase"], response["duration"]) == ("Terminated", 2 * HOUR * 1000)


def test_real_time_cannot_be_moved(api: Any) -> None:
    for command in ({"freeze": True}, {"resume": True}, {"advance": 1}, {"to": 1e10}):
        response = api.http.post("/_emulator/clock", json=command)
        assert response.status_code == 409, command
        assert "--executor simulated" in response.json()["error_msg"], command
    assert api.http.get("/_emulator/clock").json()["frozen"] is False
