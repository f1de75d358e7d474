"""Searches whose trials are scripts that really run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from modelarts_emulator.server import Emulator

SCRIPT = b"""
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
lr = parser.parse_known_args()[0].lr
for epoch in (1, 2):
    print(f"epoch {epoch} loss: {epoch * 2}")
    print(f"accuracy: {1 - (lr - 0.3) ** 2 - 0.1 / epoch}", flush=True)
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, new_database: Any, log_in: Any) -> Iterator[Any]:
    """A client of one emulator for all searches: the library that proposes values takes a second to load."""
    options: dict[str, Any] = {"database_url": new_database(), "check_responses": True, "paths": "mapping"}
    with Emulator(tmp_path_factory.mktemp("live"), **options) as running:
        yield log_in(running)


def rows(table: Any) -> list[dict[str, Any]]:
    return [dict(zip(table["header"], cells, strict=True)) for cells in table["data"]]


def test_a_search_runs_its_trials_and_finds_better_values(
    live: Any, policy: Callable[..., Any], search_body: Callable[..., Any]
) -> None:
    """Ten trials run, report what they print, improve on the first ones, and are analysed."""
    params = [{"key": "num_samples", "value": "10"}, {"key": "n_initial_points", "value": "4", "type": "Integer"}]
    configs = [{"name": "tpe_search", "params": params}]
    request = search_body(live, SCRIPT, algo_configs=configs)
    request["spec"]["log_export_path"] = {"obs_url": f"/{live.bucket}/logs/"}
    job = live.create_job(request)
    assert job["algorithm"]["policies"] == {"auto_search": policy(algo_configs=configs)}
    path = f"/training-jobs/{job['metadata']['id']}"
    live.eventually(lambda: live.call("GET", f"{path}/autosearch-trials").json()["total"] >= 6)
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


def test_a_trial_can_be_stopped_early_and_counts_with_its_last_reward(
    live: Any, search_body: Callable[..., Any]
) -> None:
    """The stopped trial ends as the others do, the search continues, and terminating the job ends all of it."""
    script = b"import time\nprint('accuracy: 0.5', flush=True)\ntime.sleep(60)\n"
    job_id = live.create_job(search_body(live, script))["metadata"]["id"]
    path = f"/training-jobs/{job_id}"

    def trials() -> list[dict[str, Any]]:
        return rows(live.call("GET", f"{path}/autosearch-trials").json()["items"])

    live.eventually(lambda: [trial["reward_attr"] for trial in trials()] == ["0.5", "0.5"])
    first = trials()[0]["trial_id"]
    response = live.call("POST", f"{path}/autosearch-trial-earlystop/{first}")
    assert (response.status_code, response.json()) == (200, {"earlystop_trial": first})
    live.eventually(lambda: len(trials()) == 3)
    assert [(trial["status"], trial["done"]) for trial in trials()][:2] == [
        ("TERMINATED", "True"),
        ("RUNNING", "False"),
    ]

    again = live.call("POST", f"{path}/autosearch-trial-earlystop/{first}")
    assert (again.status_code, again.json()["error_code"]) == (400, "ModelArts.2788")
    live.call("POST", f"{path}/actions", json={"action_type": "terminate"})
    live.wait_for_phase(job_id, "Terminated")
    assert len(trials()) == 3
    live.call("DELETE", path)
    live.eventually(lambda: not any(job_id in entry.name for entry in (live.emulator.data_dir / "jobs").iterdir()))
    live.eventually(lambda: not (live.emulator.data_dir / "searches" / job_id).exists())


def test_a_regular_expression_that_never_ends_ends_the_search_and_nothing_else(
    live: Any, search_body: Callable[..., Any]
) -> None:
    """The emulator responds meanwhile, and the job fails with the reason."""
    script = b"print('a' * 60 + 'b', flush=True)\n"
    regex = [{"name": "accuracy", "mode": "max", "regex": "(a|aa)+$"}]
    job_id = live.create_job(search_body(live, script, reward_attrs=regex))["metadata"]["id"]
    live.wait_for_phase(job_id, "Running")
    assert live.call("GET", "/training-job-flavors").status_code == 200
    ended = live.wait_for_phase(job_id, "Failed")
    assert "it takes too long" in ended["status"]["task_statuses"][0]["message"]
