"""Stages and tasks of a job, and kinds of events."""

from __future__ import annotations

from typing import Any

from modelarts_emulator.execution.protocol import TaskEvent, TaskReport


def stages(api: Any, job_id: str) -> list[list[tuple[str, bool, list[str]]]]:
    """Of each attempt, the name of each stage, whether it has ended, and its steps."""
    found = api.call("GET", f"/training-jobs/{job_id}/stages").json()
    assert found["total_count"] == len(found["running_records"])
    assert [record["record_order"] for record in found["running_records"]] == [*range(1, found["total_count"] + 1)]
    return [
        [(stage["name"], bool(stage["end_time"]), [step["name"] for step in stage["sub_stages"]]) for stage in given]
        for given in (record["stages"] for record in found["running_records"])
    ]


def report(puppet: Any, api: Any, job_id: str, **given: Any) -> None:
    """The only task reports this, its events being of the first half minute after now."""
    now = api.job(job_id)["metadata"]["create_time"] / 1000
    events = tuple(TaskEvent(now + second, text) for second, text in given.pop("events", {}).items())
    times = {name: now + second for name, second in given.items() if name.endswith("_at")}
    puppet.report(job_id, TaskReport("worker-0", **{**given, **times, "events": events}))


def test_a_job_goes_through_four_stages_with_the_events_of_its_tasks_as_steps(staged: Any, puppet: Any) -> None:
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    assert stages(staged, job_id) == [[("scheduling", False, [])]]

    report(puppet, staged, job_id, state="preparing", events={10: "fetching"})
    staged.eventually(lambda: len(stages(staged, job_id)[0]) == 2)
    assert stages(staged, job_id) == [[("scheduling", True, []), ("preparing", False, ["fetching"])]]

    known = {10: "fetching", 20: "started", 30: "finished"}
    report(puppet, staged, job_id, state="ended", started_at=15, ended_at=25, exit_code=0, events=known)
    staged.wait_for_phase(job_id, "Completed")
    assert stages(staged, job_id) == [
        [("scheduling", True, []), ("preparing", True, ["fetching"]), ("running", True, ["started"]),
         ("end", True, ["finished"])]
    ]  # fmt: skip


def test_a_restarted_job_has_a_record_for_each_attempt(staged: Any, puppet: Any) -> None:
    body = staged.job_body()
    restarts = {"fault-tolerance/job-retry-num": "1", "fault-tolerance/job-unconditional-retry": "true"}
    body["metadata"]["annotations"] = restarts
    job_id = staged.create_job(body)["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    for attempt in (0, 1):
        staged.eventually(lambda wanted=attempt: puppet.attempts[job_id] == wanted)
        report(puppet, staged, job_id, state="ended", started_at=5, ended_at=9, exit_code=1, attempt=attempt)
    staged.wait_for_phase(job_id, "Failed")

    names = [[name for name, _, _ in record] for record in stages(staged, job_id)]
    assert (
        names == [["scheduling", "running", "end"]] * 2 or names == [["scheduling", "preparing", "running", "end"]] * 2
    )
    tasks = staged.call("GET", f"/training-jobs/{job_id}/tasks").json()
    assert [(task["task"], task["ip"], task["schedule_count"]) for task in tasks] == [
        ("worker-0", "127.0.0.1", 1),
        ("worker-0", "127.0.0.1", 2),
    ]
    second = staged.call("GET", f"/training-jobs/{job_id}/tasks", params={"schedule_count": 2}).json()
    assert second == tasks[1:]


def test_a_job_that_was_stopped_before_it_started_waited_and_ended(staged: Any, puppet: Any) -> None:
    staged.create_job()
    waiting = staged.create_job()["metadata"]["id"]
    staged.wait_for_phase(waiting, "Pending")
    assert staged.call("GET", f"/training-jobs/{waiting}/tasks").json() == []
    staged.call("POST", f"/training-jobs/{waiting}/actions", json={"action_type": "terminate"})
    staged.wait_for_phase(waiting, "Terminated")

    assert stages(staged, waiting) == [[("scheduling", True, []), ("end", True, [])]]


def test_every_task_of_a_job_on_several_nodes_has_an_address(staged: Any, puppet: Any) -> None:
    body = staged.job_body()
    body["spec"]["resource"]["node_count"] = 2
    job_id = staged.create_job(body)["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)

    tasks = staged.call("GET", f"/training-jobs/{job_id}/tasks").json()

    assert [task["task"] for task in tasks] == ["worker-0", "worker-1"]
    assert all(task["ip"] for task in tasks)


def test_there_are_seven_kinds_of_events_and_no_notifications(api: Any) -> None:
    kinds = api.call("GET", "/training-event-categories").json()["event-categories"]

    assert len(kinds) == 7
    assert {kind["notification"] for kind in kinds} == {False}
