"""What a job reports in a file of its outputs."""

from __future__ import annotations

import json
from typing import Any

import pytest

ARTIFACTS = [
    {"artifact_id": f"checkpoint-{step}", "steps": step, "epoch": step // 20, "loss": 1 / step,
     "create_time": f"2026-11-0{step // 10}T00:00:00Z"}
    for step in (10, 20, 30)
]  # fmt: skip
CHART = {"name_en": "loss", "type": "line", "group": "training", "x_axis": "step", "data": [{"step": 1, "loss": 0.5}]}
REPORT = {
    "loss": {"1": 0.5},
    "train_process": 40,
    "data": {"format_version": "1.0", "timestamp": "2026-11-01T00:00:00Z", "metrics": [CHART]},
    "artifacts": ARTIFACTS,
}


@pytest.fixture
def job(api: Any) -> str:
    """A job with an output in a folder of its own."""
    outputs = [{"name": "train_url", "remote": {"obs": {"obs_url": f"/{api.bucket}/{api.unique('out')}/"}}}]
    return str(api.create_job(api.job_body(outputs=outputs))["metadata"]["id"])


def write(api: Any, job_id: str, content: Any) -> None:
    url = api.job(job_id)["algorithm"]["outputs"][0]["remote"]["obs"]["obs_url"]
    bucket, _, key = url.strip("/").partition("/")
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    api.store.put(bucket, f"{key}/ft-report.json", data)


def get(api: Any, job_id: str, what: str, **query: Any) -> Any:
    return api.call("GET", f"/training-jobs/{job_id}/ft-{what}", params=query).json()


def test_metrics_and_artifacts_are_what_the_job_reports(api: Any, job: str) -> None:
    assert set(get(api, job, "metrics").values()) == {None}
    assert get(api, job, "artifacts") == {"total": 0, "artifact_info": []}

    write(api, job, REPORT)
    metrics = get(api, job, "metrics")
    assert {name: metrics[name] for name in ("loss", "eval_loss", "train_process")} == {
        "loss": {"1": 0.5}, "eval_loss": None, "train_process": 40,
    }  # fmt: skip
    assert metrics["data"]["metrics"] == [CHART]
    assert get(api, job, "artifacts") == {"total": 3, "artifact_info": ARTIFACTS}


def test_artifacts_are_found_by_their_members_and_in_pages(api: Any, job: str) -> None:
    write(api, job, REPORT)

    def steps(**query: Any) -> list[int]:
        return [entry["steps"] for entry in get(api, job, "artifacts", **query)["artifact_info"]]

    assert steps(epoch=1) == [20, 30]
    assert steps(steps=10, loss=0.1) == [10]
    assert steps(order_by_create_time_asc=False) == [30, 20, 10]
    assert steps(offset=1, limit=1) == [20]
    assert steps(status="published") == []


@pytest.mark.parametrize(
    "content",
    [
        b"no JSON", b"[" * 100_000, b'{"train_process": NaN}', b'{"loss": {"1": "\\ud800"}}', [],
        {"loss": 1}, {"train_process": "40"}, {"train_process": True}, {"artifacts": {}}, {"artifacts": [1]},
    ],
    ids=range(10),
)  # fmt: skip
def test_a_report_of_another_form_is_named(api: Any, job: str, content: Any) -> None:
    write(api, job, content)

    error = get(api, job, "metrics")
    assert error["error_code"] == "ModelArts.2788"
    assert "train_url/ft-report.json" in error["error_msg"]


def test_a_job_without_outputs_reports_nothing(api: Any) -> None:
    job_id = api.create_job()["metadata"]["id"]

    assert set(get(api, job_id, "metrics").values()) == {None}
