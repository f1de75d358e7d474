"""Restarts: what annotations ask for, and what a job that has them goes through."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from modelarts_emulator.execution.protocol import FailureKind, TaskReport

ONCE = {"fault-tolerance/job-retry-num": "1"}
ALWAYS = {"fault-tolerance/job-unconditional-retry": "true"}
HUNG = {"fault-tolerance/hang-retry": "true"}


def test_other_annotations_are_rejected(api: Any) -> None:
    """A number that is not 0 to 3, a word that is not true or false, and terms without a number."""
    for wrong in (
        {"fault-tolerance/job-retry-num": "4"},
        {"fault-tolerance/job-retry-num": "-1"},
        {"fault-tolerance/job-retry-num": "one"},
        ONCE | {"fault-tolerance/hang-retry": "yes"},
        ONCE | {"fault-tolerance/job-unconditional-retry": "True"},
        ALWAYS,
        HUNG,
    ):
        body = api.job_body()
        body["metadata"]["annotations"] = wrong
        assert api.rejection(body) == (400, "ModelArts.2788"), wrong


def running(started_at: float = 1000.0, attempt: int = 0, **more: Any) -> TaskReport:
    return TaskReport("worker-0", "running", started_at, attempt=attempt, **more)


def ended(
    exit_code: int = 0, failure: FailureKind | None = None, attempt: int = 0, end: float = 1010.0, **more: Any
) -> TaskReport:
    return TaskReport("worker-0", "ended", end - 10, end, exit_code, None, attempt, failure, **more)


def test_a_lost_node_restarts_the_job_and_every_attempt_is_on_record(staged: Any, puppet: Any) -> None:
    job_id = staged.submit(ONCE)
    puppet.report(job_id, running())
    staged.wait_for_phase(job_id, "Running")
    puppet.report(job_id, ended(137, "node_lost"))
    staged.eventually(lambda: puppet.specs[job_id].attempt == 1)

    assert staged.phase_of(job_id) == "Pending"

    puppet.report(job_id, running(1090.0, attempt=1))
    assert "task_statuses" not in staged.wait_for_phase(job_id, "Running")["status"]
    puppet.report(job_id, ended(0, attempt=1, end=1100.0))
    status = staged.wait_for_phase(job_id, "Completed")["status"]

    assert status["start_time"] == 1_000_000
    assert status["duration"] == 20_000
    assert [count for _, count in status["node_count_metrics"]] == [0, 1, 1, 0, 1, 1, 0]
    assert status["running_records"] == [
        {
            "start_at": 1000,
            "start_type": "init_or_rescheduled",
            "end_at": 1010,
            "end_reason": "node lost",
            "end_related_task": "worker-0",
            "end_recover": "job_reschedule_with_taint",
        },
        {"start_at": 1090, "start_type": "init_or_rescheduled", "end_at": 1100, "end_reason": "job completed"},
    ]
    assert status["task_statuses"] == [{"task": "worker-0", "exit_code": 0, "message": ""}]
    assert staged.messages(job_id) == [
        "The job has been created.",
        "The job is running.",
        "NodeLost: The node of worker-0 is gone",
        "The job is being restarted (1 of 1): worker-0: node lost.",
        "The job is running, attempt 2.",
        "The job is complete.",
    ]


def test_a_job_that_is_restarted_by_hand_has_all_its_automatic_restarts_again(staged: Any, puppet: Any) -> None:
    job_id = staged.submit(ONCE)
    for attempt in range(4):
        staged.eventually(lambda due=attempt: due in puppet.attempts.values() or staged.phase_of(job_id) == "Abnormal")
        assert puppet.attempts == {job_id: attempt}, "the job was not restarted"
        puppet.report(job_id, ended(137, "node_lost", attempt))
        if attempt == 1:
            staged.wait_for_phase(job_id, "Abnormal")
            staged.call("POST", f"/training-jobs/{job_id}/actions", json={"action_type": "restart"})
            shown = staged.job(job_id)["status"]
            assert (shown["start_time"], shown["duration"], "task_statuses" in shown) == (0, 0, False), attempt

    staged.wait_for_phase(job_id, "Abnormal")


def test_what_restarts_a_job_how_often_and_how_it_ends(staged: Any, puppet: Any) -> None:
    cases: list[tuple[dict[str, str], TaskReport, int, str]] = [
        ({}, ended(1), 0, "Failed"),
        ({}, ended(143, "preempted"), 0, "Failed"),
        ({}, ended(137, "node_lost"), 0, "Abnormal"),
        (ONCE, ended(1), 0, "Failed"),
        (ONCE, ended(137, "out_of_memory"), 0, "Failed"),
        (ONCE | ALWAYS, ended(137, "out_of_memory"), 1, "Failed"),
        (ONCE, ended(143, "preempted"), 1, "Failed"),
        (ONCE, ended(0, "preempted"), 1, "Failed"),
        (ONCE, ended(137, "node_lost"), 1, "Abnormal"),
        (ONCE | ALWAYS, ended(1), 1, "Failed"),
        ({"fault-tolerance/job-retry-num": "3"} | ALWAYS, ended(1), 3, "Failed"),
    ]
    for asked, end, restarts, phase in cases:
        job_id = staged.submit(asked)
        for attempt in range(restarts + 1):
            staged.eventually(lambda expected=(job_id, attempt): expected in puppet.attempts.items())
            puppet.report(job_id, replace(end, attempt=attempt))

        status = staged.wait_for_phase(job_id, "Failed", "Abnormal")["status"]

        assert status["phase"] == phase, (asked, end)
        assert len(status["running_records"]) == restarts + 1, (asked, end)
        assert puppet.calls.count(("start", job_id)) == restarts + 1, (asked, end)


def test_a_job_that_finds_no_room_for_its_restart_is_given_up_after_30_minutes(restart: Any, puppet: Any) -> None:
    now = [float(int(time.time()))]
    flavor = "modelarts.vm.cpu.8u"
    api = restart(clock=lambda: now[0])
    job_id = api.submit(ONCE | ALWAYS, resource={"flavor_id": flavor, "node_count": 2})
    api.eventually(lambda: job_id in puppet.specs)
    again = restart(capacity={flavor: 1}, clock=lambda: now[0])
    puppet.report(job_id, ended(1))
    waits = f"The job is waiting for resources: it needs 2 nodes of flavor {flavor}, and there is 1."
    again.eventually(lambda: waits in again.messages(job_id))

    now[0] += 30 * 60 - 1
    assert again.phase_of(job_id) == "Pending"
    now[0] += 1
    again.wait_for_phase(job_id, "Failed")

    assert again.messages(job_id)[-1] == "The job failed: there was no room for its restart within 30 minutes."
    assert puppet.specs[job_id].attempt == 0


def test_code_and_inputs_are_objects_or_directories_that_there_are(api: Any) -> None:
    """In both forms of a path, with and without a slash; a directory whose name only begins alike is another one."""
    bucket = api.unique("code")
    api.store.create_bucket(bucket)
    for key in ("own/train.py", "own-other/train.py", "train.py"):
        api.store.put(bucket, key, b"x" * 10)

    def said(code_dir: str, boot_file: str, inputs: str = "own/") -> str:
        channel = {"name": "data_url", "remote": {"obs": {"obs_url": f"/{bucket}/{inputs}"}}}
        body = api.job_body(code_dir=code_dir, boot_file=boot_file, inputs=[channel])
        return str(api.call("POST", "/training-jobs", json=body).json().get("error_msg", ""))

    folder, boot_file = f"/{bucket}/own/", f"/{bucket}/own/train.py"
    for form in (folder, f"obs:/{folder}", f"/{bucket}/own", f"obs://{bucket}/own", f"/{bucket}/"):
        assert said(form, f"obs:/{boot_file}") == "", form
    assert "does not lie below the code directory" in said(folder, f"/{bucket}/own-other/train.py")
    for there in ("", "own", "own/", "own/train.py"):
        assert said(folder, boot_file, there) == "", there
    for absent in ("ow", "own/train", "none/", "../nobody/"):
        assert "data_url" in said(folder, boot_file, absent), absent
