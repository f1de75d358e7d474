"""Metrics over HTTP."""

from __future__ import annotations

from typing import Any

NAMES = ["cpuUsage", "memUsage", "npuUtil", "npuMemUsage", "gpuUtil", "gpuMemUsage"]


def metrics(api: Any, job_id: str) -> Any:
    return api.call("GET", f"/training-jobs/{job_id}/metrics/worker-0")


def test_there_is_no_content_until_there_is_a_first_value(staged: Any, puppet: Any) -> None:
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    assert (metrics(staged, job_id).status_code, metrics(staged, job_id).content) == (204, b"")

    puppet.values = {"memUsage": [0.5], "cpuUsage": [12.25]}

    assert metrics(staged, job_id).json() == {
        "metrics": [{"metric": "cpuUsage", "value": [12.25]}, {"metric": "memUsage", "value": [0.5]}]
    }


def test_there_is_no_content_for_a_job_that_is_queued(staged: Any, puppet: Any) -> None:
    staged.create_job()
    queued = staged.create_job()["metadata"]["id"]
    puppet.values = {"cpuUsage": [1.0]}

    assert metrics(staged, queued).status_code == 204


def test_a_real_job_has_values_of_all_metrics_and_minus_one_where_nothing_was_measured(live: Any) -> None:
    live.store.put(live.bucket, "busy/train.py", b"import time\nend = time.time() + 2\nwhile time.time() < end: pass")
    body = live.job_body(code_dir=f"/{live.bucket}/busy/", boot_file=f"/{live.bucket}/busy/train.py")
    job_id = live.create_job(body)["metadata"]["id"]
    live.wait_for_phase(job_id, "Completed")

    response = {entry["metric"]: entry["value"] for entry in metrics(live, job_id).json()["metrics"]}

    assert list(response) == NAMES
    assert max(response["cpuUsage"]) > 0
    assert max(response["memUsage"]) > 0
    assert set(response["npuUtil"]) == {-1}
