"""The supervisor: jobs through their phases, the queue, stops, removals, and what a restart finds."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from modelarts_emulator.engine.database import open_database
from modelarts_emulator.engine.tables import removals
from modelarts_emulator.execution.protocol import TaskEvent, TaskReport
from modelarts_emulator.server import Emulator


def ended(task: str = "worker-0", exit_code: int | None = 0, message: str | None = None) -> TaskReport:
    return TaskReport(task, "ended", 1000.0, 1002.5, exit_code, message)


def submit(api: Any, **changes: Any) -> str:
    body = api.job_body()
    body["spec"]["resource"] |= changes
    return str(api.create_job(body)["metadata"]["id"])


def test_a_job_waits_until_a_task_runs_and_completes_when_all_have_exited_with_0(staged: Any, puppet: Any) -> None:
    job_id = submit(staged)
    staged.eventually(lambda: job_id in puppet.reports)

    assert staged.job(job_id)["status"] == {
        "phase": "Pending",
        "secondary_phase": "Queuing",
        "duration": 0,
        "start_time": 0,
        "node_count_metrics": staged.job(job_id)["status"]["node_count_metrics"],
        "tasks": ["worker-0"],
    }

    puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
    running = staged.wait_for_phase(job_id, "Running")["status"]

    assert running["start_time"] == 1_000_000
    assert running["duration"] > 0
    assert [count for _, count in running["node_count_metrics"]] == [0, 1, 1]
    assert running["running_records"] == [{"start_at": 1000, "start_type": "init_or_rescheduled"}]

    puppet.report(job_id, ended())
    completed = staged.wait_for_phase(job_id, "Completed")["status"]

    assert completed["secondary_phase"] == "Completed"
    assert completed["duration"] == 2500
    assert [count for _, count in completed["node_count_metrics"]] == [0, 1, 1, 0]
    assert completed["task_statuses"] == [{"task": "worker-0", "exit_code": 0, "message": ""}]
    assert completed["running_records"] == [
        {"start_at": 1000, "start_type": "init_or_rescheduled", "end_at": 1002, "end_reason": "job completed"}
    ]


def test_events_are_reported_in_the_order_in_which_they_happened_even_if_a_task_ended_before_anybody_looked(
    staged: Any, puppet: Any
) -> None:
    job_id = submit(staged)
    staged.wait_for_phase(job_id, "Pending")
    start = time.time()
    notes = (TaskEvent(start + 0.001, "training started."), TaskEvent(start + 0.002, "Training finished. Exit code 0."))
    puppet.report(job_id, TaskReport("worker-0", "ended", start, start + 0.002, 0, events=notes))
    staged.wait_for_phase(job_id, "Completed")

    events = staged.call("GET", f"/training-jobs/{job_id}/events", params={"order": "asc"}).json()["events"]

    assert [event["message"] for event in events] == [
        "The job has been created.",
        "The job is running.",
        "training started.",
        "Training finished. Exit code 0.",
        "The job is complete.",
    ]


def test_a_failed_job_names_the_exit_code_and_the_task_that_failed_first(staged: Any, puppet: Any) -> None:
    job_id = submit(staged, node_count=2)
    puppet.report(
        job_id,
        TaskReport("worker-0", "ended", 1000.0, 1009.0, 143, "stopped"),
        TaskReport("worker-1", "ended", 1000.0, 1008.0, 3),
    )

    status = staged.wait_for_phase(job_id, "Failed")["status"]

    assert [entry["exit_code"] for entry in status["task_statuses"]] == [143, 3]
    assert status["running_records"][0]["end_reason"] == "exit with 3"
    assert status["running_records"][0]["end_related_task"] == "worker-1"


def test_a_job_whose_tasks_never_started_fails_without_a_start_time(staged: Any, puppet: Any) -> None:
    job_id = submit(staged)
    puppet.report(job_id, TaskReport("worker-0", "ended", None, 1002.0, 1, "no such input\ndetails"))

    status = staged.wait_for_phase(job_id, "Failed")["status"]

    assert (status["start_time"], status["duration"]) == (0, 0)
    assert status["task_statuses"] == [{"task": "worker-0", "exit_code": 1, "message": "no such input\ndetails"}]
    events = staged.call("GET", f"/training-jobs/{job_id}/events", params={"level": "Error"}).json()["events"]
    assert [entry["message"] for entry in events] == ["The job failed: worker-0 ended with exit code 1: no such input."]


def test_more_jobs_than_there_is_room_for_wait_in_the_order_they_came(staged: Any, puppet: Any) -> None:
    first, second, third = (submit(staged) for _ in range(3))
    puppet.report(first, TaskReport("worker-0", "running", started_at=1000.0))
    staged.wait_for_phase(first, "Running")
    puppet.wait_for_looks(first, 2)

    assert list(puppet.specs) == [first]
    assert staged.phase_of(second) == staged.phase_of(third) == "Pending"

    puppet.report(first, ended())
    staged.eventually(lambda: second in puppet.specs)
    puppet.report(second, ended())
    staged.eventually(lambda: third in puppet.specs)

    assert list(puppet.specs) == [first, second, third]


def test_a_stopped_job_is_terminating_until_its_tasks_have_ended(staged: Any, puppet: Any) -> None:
    job_id = submit(staged)
    puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
    staged.wait_for_phase(job_id, "Running")

    response = staged.call("POST", f"/training-jobs/{job_id}/actions", json={"action_type": "terminate"})

    assert response.status_code == 202
    assert response.json()["status"]["phase"] == "Terminating"
    staged.eventually(lambda: ("stop", job_id) in puppet.calls)
    puppet.wait_for_looks(job_id, 2)
    assert staged.phase_of(job_id) == "Terminating"

    puppet.report(job_id, ended(exit_code=143))

    assert staged.wait_for_phase(job_id, "Terminated")["status"]["task_statuses"][0]["exit_code"] == 143
    assert puppet.calls.count(("stop", job_id)) == 1


def test_a_queued_job_can_be_stopped_and_never_starts(staged: Any, puppet: Any) -> None:
    blocker, queued = submit(staged), submit(staged)
    staged.eventually(lambda: blocker in puppet.specs)

    staged.call("POST", f"/training-jobs/{queued}/actions", json={"action_type": "terminate"})
    status = staged.wait_for_phase(queued, "Terminated")["status"]

    assert ("start", queued) not in puppet.calls
    assert "task_statuses" not in status


def test_a_removed_job_whose_processes_do_not_end_does_not_hold_up_the_others(staged: Any, puppet: Any) -> None:
    first = submit(staged)
    staged.eventually(lambda: first in puppet.reports)
    puppet.undying.add(first)

    staged.call("DELETE", f"/training-jobs/{first}")
    second = submit(staged)
    staged.eventually(lambda: second in puppet.reports)
    puppet.undying.clear()
    staged.eventually(lambda: first not in puppet.reports)

    assert puppet.calls.count(("remove", first)) > 1


def test_a_removed_job_is_removed_from_the_executor_and_makes_room(staged: Any, puppet: Any) -> None:
    first, second = submit(staged), submit(staged)
    staged.eventually(lambda: first in puppet.specs)

    staged.call("DELETE", f"/training-jobs/{first}")
    staged.eventually(lambda: second in puppet.specs)

    assert puppet.calls.index(("remove", first)) < puppet.calls.index(("start", second))


def test_a_job_that_the_executor_cannot_start_is_abnormal_and_says_why(staged: Any, puppet: Any) -> None:
    puppet.failure = OSError("the disk is full")

    status = staged.wait_for_phase(submit(staged), "Abnormal")["status"]

    assert status["secondary_phase"] == "CreateFailed"
    assert "the disk is full" in status["task_statuses"][0]["message"]


def test_of_a_job_that_could_be_started_only_in_part_no_task_goes_on(staged: Any, puppet: Any) -> None:
    puppet.failure = OSError("there is no room for a second process")

    job_id = submit(staged, node_count=2)
    staged.wait_for_phase(job_id, "Abnormal")

    assert puppet.calls == [("start", job_id), ("stop", job_id)]


def test_trouble_with_one_job_does_not_hold_up_the_others(restart: Any, puppet: Any) -> None:
    api = restart(max_running_jobs=2)
    bad, good = submit(api), submit(api)
    api.eventually(lambda: {bad, good} <= set(puppet.reports))
    puppet.report(bad, "no report at all")
    puppet.report(good, ended())

    api.wait_for_phase(good, "Completed")
    assert api.phase_of(bad) == "Pending"
    puppet.report(bad, ended(exit_code=1))
    api.wait_for_phase(bad, "Failed")


def test_a_job_that_the_executor_cannot_stop_does_not_hold_up_the_others(restart: Any, puppet: Any) -> None:
    api = restart(max_running_jobs=2)
    bad = submit(api)
    puppet.report(bad, TaskReport("worker-0", "running", started_at=1000.0))
    api.wait_for_phase(bad, "Running")
    puppet.unstoppable.add(bad)

    api.call("POST", f"/training-jobs/{bad}/actions", json={"action_type": "terminate"})
    good = submit(api)
    puppet.report(good, ended())

    api.wait_for_phase(good, "Completed")
    assert api.phase_of(bad) == "Terminating"
    puppet.report(bad, ended())
    api.wait_for_phase(bad, "Terminated")


def test_a_job_that_cannot_be_stopped_does_not_keep_an_emulator_that_ends_from_stopping_the_others(
    tmp_path: Path, puppet: Any, log_in: Any
) -> None:
    emulator = Emulator(tmp_path / "data", executor=puppet, max_running_jobs=2).__enter__()
    api = log_in(emulator)
    bad, good = submit(api), submit(api)
    api.eventually(lambda: {bad, good} <= set(puppet.reports))
    puppet.unstoppable.add(bad)

    ending = threading.Thread(target=emulator.__exit__, args=(None, None, None))
    ending.start()
    api.eventually(lambda: puppet.calls.count(("stop", bad)) > 1)
    is_blocking = ending.is_alive()
    for job_id in (bad, good):
        puppet.report(job_id, ended(exit_code=143))
    ending.join()

    assert is_blocking
    assert puppet.calls.count(("stop", good)) == 1


def test_a_running_job_that_the_executor_has_lost_is_abnormal(staged: Any, puppet: Any) -> None:
    job_id = submit(staged)
    puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
    staged.wait_for_phase(job_id, "Running")

    puppet.reports.pop(job_id)

    assert staged.wait_for_phase(job_id, "Abnormal")["status"]["secondary_phase"] == "Lost"


@pytest.fixture
def restart(tmp_path: Path, puppet: Any, log_in: Any) -> Iterator[Callable[..., Any]]:
    """Starts an emulator on the same folder again and again; the one before it just disappears from the executor."""
    running: list[Emulator] = []

    def start(**options: Any) -> Any:
        if running:
            running.pop().__exit__(None, None, None)
        emulator = Emulator(tmp_path / "data", executor=puppet, keep_jobs=True, check_responses=True, **options)
        running.append(emulator.__enter__())
        return log_in(emulator)

    yield start
    for emulator in running:
        emulator.__exit__(None, None, None)


def test_a_restart_goes_on_with_what_the_executor_reports(restart: Any, puppet: Any) -> None:
    api = restart(max_running_jobs=2)
    running, over = submit(api), submit(api)
    for job_id in (running, over):
        puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
        api.wait_for_phase(job_id, "Running")

    puppet.reports[over] = [ended(exit_code=7)]
    again = restart()

    assert again.wait_for_phase(over, "Failed")["status"]["task_statuses"][0]["exit_code"] == 7
    assert again.phase_of(running) == "Running"
    assert puppet.calls.count(("start", running)) == 1


def test_a_job_that_was_marked_but_not_started_when_the_emulator_died_is_started_by_the_next(
    restart: Any, puppet: Any
) -> None:
    api = restart()
    job_id = submit(api)
    api.eventually(lambda: job_id in puppet.specs)

    puppet.reports.clear()
    puppet.specs.clear()
    again = restart()

    again.eventually(lambda: job_id in puppet.specs)
    assert again.phase_of(job_id) == "Pending"


def test_a_removal_that_was_not_finished_is_finished_by_the_next_emulator(
    restart: Any, puppet: Any, tmp_path: Path
) -> None:
    api = restart()
    job_id = submit(api)
    api.eventually(lambda: job_id in puppet.specs)
    engine = open_database(tmp_path / "data" / "emulator.db")
    with engine.begin() as connection:
        connection.execute(removals.insert().values(run_id="left-behind", flavor_id="f", held_nodes=1))

    restart()
    api.eventually(lambda: ("remove", "left-behind") in puppet.calls)

    with engine.connect() as connection:
        api.eventually(lambda: not connection.execute(select(removals)).all())
    engine.dispose()


def test_a_job_that_runs_longer_than_its_automatic_stop_allows_is_stopped(restart: Any, puppet: Any) -> None:
    now = [1000.0]
    api = restart(clock=lambda: now[0])
    body = api.job_body()
    body["spec"]["auto_stop"] = {"time_unit": "HOURS", "duration": 1}
    job_id = api.create_job(body)["metadata"]["id"]
    puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
    api.wait_for_phase(job_id, "Running")

    now[0] = 1000.0 + 3599
    puppet.wait_for_looks(job_id, 2)
    assert api.phase_of(job_id) == "Running"
    now[0] = 1000.0 + 3600
    api.wait_for_phase(job_id, "Terminating")
    puppet.report(job_id, ended(exit_code=143))

    api.wait_for_phase(job_id, "Terminated")


def test_a_request_that_finds_the_database_locked_gets_an_error_that_says_so_and_nothing_is_lost(
    restart: Any, puppet: Any
) -> None:
    """Another program holds the lock for longer than SQLite waits; reads work, and jobs continue afterwards."""
    api = restart()
    job_id = submit(api)
    api.wait_for_phase(job_id, "Pending")
    other = sqlite3.connect(api.emulator.data_dir / "emulator.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    response = api.call("POST", "/training-jobs", json=api.job_body())
    shown = api.call("GET", f"/training-jobs/{job_id}")
    other.execute("ROLLBACK")
    other.close()

    assert (response.status_code, shown.status_code) == (503, 200)
    assert "locked" in response.json()["error_msg"]
    assert "send the request again" in response.json()["error_solution"]
    assert api.call("POST", "/training-job-searches", json={}).json()["total"] == 1
    puppet.report(job_id, ended())
    api.wait_for_phase(job_id, "Completed")


def test_requests_are_served_while_another_one_waits_for_the_database(restart: Any) -> None:
    """A create waits for the lock that another program holds; reading one job, listing all and logging in do not."""
    api = restart()
    job_id = submit(api)
    other = sqlite3.connect(api.emulator.data_dir / "emulator.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(api.call, "POST", "/training-jobs", json=api.job_body())
        served = [
            api.call("GET", f"/training-jobs/{job_id}"),
            api.call("POST", "/training-job-searches", json={}),
            api.log_in(),
        ]
        is_waiting = not waiting.done()
        other.execute("ROLLBACK")
        other.close()

    assert [response.status_code for response in served] == [200, 200, 201]
    assert is_waiting
    assert waiting.result().status_code == 201
