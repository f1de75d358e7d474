"""Searches whose trials are scripts that really run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

SCRIPT = b"""
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
lr = parser.parse_known_args()[0].lr
for epoch in (1, 2):
    print(f"epoch {epoch} loss: {epoch * 2}")
    print(f"accuracy: {1 - (lr - 0.3) ** 2 - 0.1 / epoch}", flush=True)
"""


def policy(**changes: Any) -> dict[str, Any]:
    """A search for `lr` with ten trials."""
    own = {
        "reward_attrs": [
            {"name": "accuracy", "mode": "max", "regex": r"accuracy: (\S+)"},
            {"name": "loss", "mode": "min", "regex": r"loss: (\d+)"},
        ],
        "search_params": [{"name": "lr", "param_type": "continuous", "lower_bound": "0.0", "upper_bound": "1.0"}],
        "algo_configs": [
            {
                "name": "tpe_search",
                "params": [
                    {"key": "num_samples", "value": "10", "type": "Integer"},
                    {"key": "n_initial_points", "value": "4", "type": "Integer"},
                ],
            }
        ],
    }
    return own | changes


def body(api: Any, script: bytes = SCRIPT, **changes: Any) -> Any:
    """A job that searches with the script."""
    api.store.write(api.bucket, "search/train.py", script)
    return api.job_body(
        code_dir=f"/{api.bucket}/search/",
        boot_file=f"/{api.bucket}/search/train.py",
        policies={"auto_search": policy(**changes)},
        parameters=[{"name": "fixed", "value": "7"}],
    )


def rows(table: Any) -> list[dict[str, Any]]:
    return [dict(zip(table["header"], cells, strict=True)) for cells in table["data"]]


def test_a_search_runs_its_trials_and_finds_better_values(live: Any) -> None:
    """Ten trials run, report what they print, improve on the first ones, and are analysed."""
    request = body(live)
    request["spec"]["log_export_path"] = {"obs_url": f"/{live.bucket}/logs/"}
    job = live.create_job(request)
    assert job["algorithm"]["policies"] == {"auto_search": policy()}
    path = f"/training-jobs/{job['metadata']['id']}"
    ended = live.wait_for_phase(job["metadata"]["id"], "Completed", "Failed", "Abnormal")
    assert ended["status"]["phase"] == "Completed", ended["status"]

    listed = live.call("GET", f"{path}/autosearch-trials").json()
    assert (listed["total"], listed["count"], listed["limit"], listed["offset"]) == (10, 10, 50, 0)
    trials = rows(listed["items"])
    assert {(trial["status"], trial["done"], trial["training_iteration"]) for trial in trials} == {
        ("TERMINATED", "True", "2")
    }
    for trial in trials:
        lr = trial["config"]["lr"]
        assert float(trial["reward_attr"]) == pytest.approx(1 - (lr - 0.3) ** 2 - 0.05)
        assert (trial["accuracy"], trial["loss"]) == (trial["reward_attr"], "4")
    assert max(float(trial["best_reward"]) for trial in trials[4:]) > 0.94

    reports = rows(live.call("GET", f"{path}/autosearch-trials/{trials[0]['trial_id']}").json())
    assert [(report["done"], report["training_iteration"]) for report in reports] == [
        ("False", "1"),
        ("False", "2"),
        ("True", "2"),
    ]

    analysis = live.call("GET", f"{path}/autosearch-parameter-analysis").json()
    assert analysis["header"] == ["parameters", "the mean/std of importance"]
    ((name, importance),) = analysis["data"]
    assert name == "lr"
    assert re.fullmatch(r"1\.0000/0\.0000", importance)
    place = live.call("GET", f"{path}/autosearch-parameter-analysis/lr").json()["file_path"]
    assert place == f"/{live.bucket}/logs/hyperparameter-analysis/fanova/lr.png"
    assert live.store.read(live.bucket, place.split("/", 2)[2]).startswith(b"\x89PNG")

    preview = live.call("GET", f"{path}/tasks/worker-0/logs/preview").json()["content"]
    assert f"[{trials[0]['trial_id']}] epoch 2 loss: 4\n" in preview
