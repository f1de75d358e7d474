"""The supervisor: jobs through their phases, the queue, stops, removals, and what a restart finds."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from modelarts_emulator.execution.protocol import TaskReport


def ended(task: str = "worker-0", exit_code: int | None = 0, message: str | None = None) -> TaskReport:
    return TaskReport(task, "ended", 1000.0, 1002.5, exit_code, message)


def test_a_job_waits_until_a_task_runs_and_completes_when_all_have_exited_with_0(staged: Any, puppet: Any) -> None:
    job_id = staged.submit()
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


def test_a_job_that_does_not_run_to_its_end_fails_or_is_abnormal(staged: Any, puppet: Any) -> None:
    """Lost, or with reports that cannot be stored: its tasks are ended; or without having started, with a message."""
    job_id = staged.submit()
    puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
    staged.wait_for_phase(job_id, "Running")

    puppet.reports.pop(job_id)

    status = staged.wait_for_phase(job_id, "Abnormal")["status"]
    reason = "the executor does not know the job any more"
    assert (status["secondary_phase"], status["running_records"][0]["end_reason"]) == ("Lost", reason)
    assert [each["message"] for each in status["task_statuses"]] == [reason]
    assert staged.messages(job_id)[-1] == f"The job failed: {reason}."

    job_id = staged.submit()
    staged.eventually(lambda: job_id in puppet.reports)
    puppet.report(job_id, TaskReport("worker-0", "running", started_at=float("nan")))

    staged.wait_for_phase(job_id, "Abnormal")
    staged.eventually(lambda: ("stop", job_id) in puppet.calls)

    job_id = staged.submit()
    puppet.report(job_id, TaskReport("worker-0", "ended", None, 1002.0, 1, "no input a\udcffb\ndetails"))

    status = staged.wait_for_phase(job_id, "Failed")["status"]

    assert (status["start_time"], status["duration"], "running_records" in status) == (0, 0, False)
    assert status["task_statuses"] == [{"task": "worker-0", "exit_code": 1, "message": "no input a\\udcffb\ndetails"}]
    assert staged.messages(job_id)[-1] == "The job failed: worker-0 ended with exit code 1: no input a\\udcffb."


def test_a_job_that_the_executor_cannot_start_is_abnormal_and_says_why(staged: Any, puppet: Any) -> None:
    """None of its tasks continues; whoever stopped it meanwhile wanted its end, and it is terminated."""
    puppet.failure = OSError("the disk is full")

    job_id = staged.submit(resource={"flavor_id": "modelarts.vm.cpu.8u", "node_count": 2})
    status = staged.wait_for_phase(job_id, "Abnormal")["status"]

    assert status["secondary_phase"] == "CreateFailed"
    assert status["task_statuses"][0]["message"] == "the job cannot be started: the disk is full"
    assert puppet.calls == [("start", job_id), ("stop", job_id)]

    puppet.start_allowed.clear()
    puppet.is_starting.clear()
    job_id = staged.submit()
    staged.eventually(puppet.is_starting.is_set)
    staged.call("POST", f"/training-jobs/{job_id}/actions", json={"action_type": "terminate"})
    puppet.start_allowed.set()

    staged.wait_for_phase(job_id, "Terminated", "Abnormal")
    assert staged.phase_of(job_id) == "Terminated"


def test_a_job_that_cannot_be_stopped_says_so_in_the_log_and_ends_when_its_tasks_do(
    staged: Any, puppet: Any, caplog: pytest.LogCaptureFixture
) -> None:
    job_id = staged.submit()
    staged.eventually(lambda: job_id in puppet.reports)
    puppet.unstoppable.add(job_id)
    staged.call("POST", f"/training-jobs/{job_id}/actions", json={"action_type": "terminate"})
    staged.eventually(lambda: f"job {job_id} cannot be stopped: no space to record" in caplog.text)
    puppet.report(job_id, ended(exit_code=143))

    staged.wait_for_phase(job_id, "Terminated")


def test_a_removed_job_whose_processes_do_not_end_holds_up_no_other_and_is_removed_when_it_can_be(
    restart: Any, puppet: Any
) -> None:
    """Also by the next emulator."""
    api = restart(max_running_jobs=1)
    first = api.submit()
    api.eventually(lambda: first in puppet.reports)
    puppet.undying.add(first)
    api.call("DELETE", f"/training-jobs/{first}")
    second = api.submit()
    api.eventually(lambda: second in puppet.reports)
    assert puppet.calls.index(("remove", first)) < puppet.calls.index(("start", second))

    restart()
    puppet.undying.clear()
    api.eventually(lambda: first not in puppet.reports)


def test_a_request_that_finds_the_database_locked_gets_an_error_that_says_so_and_nothing_is_lost(
    restart: Any, puppet: Any
) -> None:
    """Another program holds the lock for longer than SQLite waits; reads work, and jobs continue afterwards."""
    api = restart()
    job_id = api.submit()
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


def test_the_executor_gets_all_that_it_needs(staged: Any, puppet: Any) -> None:
    """Directories have no effect in engines that are compatible with version 1."""
    obs = {"obs": {"obs_url": f"/{staged.bucket}/pytorch/fast_example/data/"}}
    body = staged.job_body(
        parameters=[{"name": "epochs", "value": "3"}],
        inputs=[{"name": "data_url", "remote": obs}],
        outputs=[{"name": "train_url", "remote": obs}],
        environments={"A": "b"},
        working_dir="/home/ma-user/work",
    )
    body["spec"] = {
        "resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 2},
        "log_export_path": {"obs_url": f"/{staged.bucket}/log/"},
    }
    job_id = staged.create_job(body)["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.specs)

    spec = puppet.specs[job_id]

    assert (spec.job_id, spec.name, spec.node_count) == (job_id, body["metadata"]["name"], 2)
    assert (spec.code_dir, spec.boot_file) == (body["algorithm"]["code_dir"], body["algorithm"]["boot_file"])
    assert spec.parameters == (("epochs", "3"),)
    assert [channel.local_dir for channel in (*spec.inputs, *spec.outputs)] == [
        "/home/ma-user/modelarts/inputs/data_url_0",
        "/home/ma-user/modelarts/outputs/train_url_0",
    ]
    assert spec.environments == {"A": "b"}
    assert spec.working_dir == "/home/ma-user/work"
    assert spec.log_export_url == f"/{staged.bucket}/log/"
    assert spec.service_environments == {
        "MA_APIGW_ENDPOINT": staged.emulator.endpoint,
        "S3_ENDPOINT": staged.emulator.obs_endpoint,
        "S3_USE_HTTPS": "0",
        "S3_VERIFY_SSL": "0",
        "ACCESS_KEY_ID": staged.identity.access_key,
        "SECRET_ACCESS_KEY": staged.identity.secret_key,
        "AWS_ACCESS_KEY_ID": staged.identity.access_key,
        "AWS_SECRET_ACCESS_KEY": staged.identity.secret_key,
        "AWS_ENDPOINT_URL_S3": staged.emulator.obs_endpoint,
        "MA_NUM_GPUS": "0",
    }
    assert staged.identity.secret_key not in repr(spec)
    assert staged.identity.secret_key not in str(staged.job(job_id))

    staged.call("DELETE", f"/training-jobs/{job_id}")
    body = staged.job_body(engine={"engine_id": "caffe-1.0.0-python2.7"}, working_dir="/x", local_code_dir="/home/x")
    body["spec"]["resource"]["flavor_id"] = "modelarts.p3.large.public.free"
    job_id = staged.create_job(body)["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.specs)

    spec = puppet.specs[job_id]

    assert (spec.working_dir, spec.local_code_dir) == (None, None)
    assert spec.service_environments["MA_NUM_GPUS"] == "1"


def test_a_restarted_job_may_run_for_what_is_left_of_its_time(staged: Any, puppet: Any) -> None:
    stop = {"time_unit": "HOURS", "duration": 1}
    job_id = staged.submit({"fault-tolerance/job-retry-num": "1"}, auto_stop=stop)
    staged.eventually(lambda: job_id in puppet.specs)
    assert puppet.specs[job_id].max_duration_s == 3600

    puppet.report(job_id, TaskReport("worker-0", "ended", 1000.0, 1010.0, 137, None, 0, "node_lost"))
    staged.eventually(lambda: puppet.specs[job_id].attempt == 1)

    assert puppet.specs[job_id].max_duration_s == 3590
