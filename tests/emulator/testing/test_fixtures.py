"""Seeds: what exists after a start without state and after a reset, and which seeds are rejected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator, EmulatorError

BUCKET = "cnnorth4-job-test-v2"
CODE = "pytorch/fast_example/code/cpu"


PROGRAM = {"app_url": f"/{BUCKET}/{CODE}/", "boot_file_url": f"/{BUCKET}/{CODE}/test-pytorch.py", "engine_id": 4}
V1 = {
    "v1-training-jobs": {
        "job_name": "seeded-v1",
        "config": {"worker_server_num": 1, "spec_id": 7, "data_url": f"/{BUCKET}/pytorch/", **PROGRAM},
    },
    "v1-training-job-configs": {"config_name": "digits", "worker_server_num": 1, "spec_id": 7},
}


def names(api: Any) -> list[str]:
    jobs = api.call("POST", "/training-job-searches", json={}).json()["items"]
    return [job["metadata"]["name"] for job in jobs]


@pytest.fixture
def seeds(tmp_path: Path, api: Any) -> Path:
    """A bucket with code, an algorithm, and a job of that algorithm."""
    folder = tmp_path / "seeds"
    for kind in (f"objects/{BUCKET}/{CODE}", "algorithms", "training-jobs", *V1):
        (folder / kind).mkdir(parents=True)
    (folder / f"objects/{BUCKET}/{CODE}/test-pytorch.py").write_text("print('seeded')\n")
    (folder / "objects/.hidden").touch()
    algorithm = api.algorithm_body(inputs=[], outputs=[])
    (folder / "algorithms/digits.json").write_text(json.dumps(algorithm))
    job = {**api.job_body(), "metadata": {"name": "seeded"}, "algorithm": {"id": "@digits"}}
    (folder / "training-jobs/one.json").write_text(json.dumps(job))
    for kind, body in V1.items():
        (folder / kind / "one.json").write_text(json.dumps(body))
    return folder


def test_a_start_without_state_and_a_reset_sow_the_seeds(tmp_path: Path, seeds: Path, log_in: Any) -> None:
    with Emulator(tmp_path / "data", executor="simulated", seeds=seeds, check_responses=True) as emulator:
        api = log_in(emulator)
        assert names(api) == ["seeded"]
        assert api.store.read(BUCKET, f"{CODE}/test-pytorch.py")
        api.create_job()

        emulator.reset()

        assert names(api) == ["seeded"]
        v1 = api.project.replace("/v2/", "/v1/")
        assert [job["job_name"] for job in api.http.get(f"{v1}/training-jobs").json()["jobs"]] == ["seeded-v1"]
        configs = api.http.get(f"{v1}/training-job-configs").json()["configs"]
        assert [config["config_name"] for config in configs] == ["digits"]
        algorithms = api.call("GET", "/algorithms").json()["items"]
        job = api.call("POST", "/training-job-searches", json={}).json()["items"][0]
        assert [job["algorithm"]["id"]] == [algorithm["metadata"]["id"] for algorithm in algorithms]


def test_state_survives_a_restart_and_keeps_the_seeds_away_unless_it_is_to_be_forgotten(
    tmp_path: Path, seeds: Path, log_in: Any
) -> None:
    options: dict[str, Any] = {"data_dir": tmp_path / "data", "executor": "simulated"}
    with Emulator(**options) as emulator:
        api = log_in(emulator)
        first = api.create_job()["metadata"]["name"]
    with Emulator(**options, seeds=seeds) as emulator:
        assert names(log_in(emulator)) == [first]
    with Emulator(**options, seeds=seeds, forget=True) as emulator:
        assert names(log_in(emulator)) == ["seeded"]
    with Emulator(**options, forget=True) as emulator:
        assert names(log_in(emulator)) == []


def write(path: Path, content: Any) -> None:
    path.write_text(content if isinstance(content, str) else json.dumps(content))


WRONG: list[tuple[str, Any, str]] = [
    ("training-jobs/two.json", "{", "Invalid JSON"),
    ("training-jobs/two.json", {"kind": "job"}, "required"),
    ("training-jobs/two.json", {"kind": "job", "metadata": {"name": "x"}, "algorithm": {"id": "@none"}}, "@none"),
    ("algorithms/two.json", {"metadata": {"name": "x"}}, "job_config"),
    ("objects/Bad_Bucket", "", "Bad_Bucket"),
    ("objects/loose.txt", "", "it is not a folder"),
    ("jobs", "", "is not known: use objects/"),
]


def test_a_wrong_seed_is_rejected_by_its_name_and_nothing_is_left(tmp_path: Path, seeds: Path, log_in: Any) -> None:
    for file, content, reason in WRONG:
        write(seeds / file, content)
        with pytest.raises(EmulatorError, match=file) as caught:
            Emulator(tmp_path / "data", executor="simulated", seeds=seeds).__enter__()
        assert reason in str(caught.value)
        (seeds / file).unlink()
    with Emulator(tmp_path / "data", executor="simulated") as emulator:
        assert names(log_in(emulator)) == []


def test_the_reset_reports_seeds_that_have_become_invalid(tmp_path: Path, seeds: Path, log_in: Any) -> None:
    with Emulator(tmp_path / "data", executor="simulated", seeds=seeds) as emulator:
        write(seeds / "training-jobs/one.json", "[")

        response = log_in(emulator).http.post("/_emulator/reset")

    assert response.status_code == 409
    assert "one.json" in response.json()["error_msg"]


def test_seeds_that_are_not_a_folder_are_rejected_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match="--seeds"):
        Emulator(tmp_path / "data", seeds=tmp_path / "none").__enter__()

    assert not (tmp_path / "data").exists()
