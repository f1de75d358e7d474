"""`modelarts v1`."""

import json
from pathlib import Path

import click
import pytest
from tests.overlays.cli.conftest import FLAVOR, Run

from modelarts_emulator.server import Emulator

V1_ENGINE = "TF-1.8.0-python3.6"
SHORT = f"""\
name: sum
code: code
boot: train.py
engine: {V1_ENGINE}
flavor: {FLAVOR}
inputs: {{data_url: data}}
outputs: {{train_url: out}}
parameters: {{lr: 0.10}}
"""
WIRE = f"""\
job_name: sum
config:
  worker_server_num: 1
  app_url: code
  boot_file_url: train.py
  engine_id: 4
  flavor: {{code: {FLAVOR}}}
  data_url: data
  train_url: /work/out/
  parameter: [{{label: lr, value: 0.1}}]
"""


@pytest.fixture
def v1_project(project: Path) -> Path:
    """The current folder has `job.yaml` for a job of version 1."""
    (project / "job.yaml").write_text(SHORT)
    return project


@pytest.fixture
def ended(run: Run, quick: Emulator, v1_project: Path) -> Emulator:
    """An emulator with the job `sum`, which has completed."""
    assert run("v1", "job", "submit", "job.yaml").exit_code == 0
    return quick


def shown(run: Run, name: str = "--last") -> dict:
    return json.loads(run("v1", "job", "get", name, "-o", "json").stdout)


def test_a_file_with_local_folders_is_uploaded_run_and_followed(run: Run, quick: Emulator, v1_project: Path) -> None:
    done = run("v1", "job", "submit", "job.yaml")

    assert done.exit_code == 0, done.stderr
    assert "lr 0.10\ntrained\n" in done.stdout, "a hyperparameter is sent as it is written"
    assert "sum/V0001" in done.stderr
    job = shown(run)
    assert quick.objects.get(f"obs:/{job['boot_file_url']}") == b"print('hello')\n"
    assert quick.objects.get(f"obs:/{job['data_url']}train.csv") == b"1,2\n"
    assert (job["engine_version"], job["spec_code"]) == (V1_ENGINE, FLAVOR)
    assert "The output train_url is empty." in done.stderr


def test_a_file_may_have_the_fields_of_the_request_and_local_folders_in_them(
    run: Run, quick: Emulator, v1_project: Path
) -> None:
    quick.objects.put("obs://work/x", "")
    (v1_project / "wire.yaml").write_text(WIRE)

    done = run("v1", "job", "submit", "wire.yaml", "--parameter", "lr=0.7")

    assert "lr 0.7" in done.stdout, done.stderr
    job = shown(run)
    assert job["train_url"] == "/work/out/"
    assert quick.objects.get(f"obs:/{job['app_url']}train.py") == b"print('hello')\n"


def test_a_name_that_is_taken_gets_a_suffix_unless_it_has_to_be_exact(run: Run, ended: Emulator) -> None:
    assert run("v1", "job", "submit", "job.yaml", "--exact-name").exit_code == 6

    done = run("v1", "job", "submit", "job.yaml", "--detach")

    assert "The name sum is taken." in done.stderr
    assert done.stdout.startswith("sum-")


def test_results_are_downloaded(run: Run, ended: Emulator, v1_project: Path) -> None:
    ended.objects.put(f"obs:/{shown(run)['train_url']}model.bin", "weights")

    assert run("v1", "job", "download", "sum", "fetched", "--wait").exit_code == 0
    assert Path("fetched/train_url/model.bin").read_text() == "weights"


@pytest.fixture
def logs(emulator: Emulator, emulator_environment: dict[str, str]) -> str:
    """A folder of object storage with something to show."""
    emulator.objects.put("obs://work/logs/events", "")
    return "obs://work/logs/"


def test_a_tool_is_started_opened_stopped_and_deleted(run: Run, logs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(click, "launch", opened.append)

    started = run("v1", "visualization", "start", logs, "--name", "curves", "--hours", 2, "--open")

    assert started.exit_code == 0, started.stderr
    assert opened == [started.stdout.strip()]
    assert opened[0].startswith("http")
    (job,) = json.loads(run("v1", "visualization", "list", "-o", "json").stdout)
    assert job["train_url"] == "/work/logs/"
    assert run("v1", "visualization", "stop", "curves").exit_code == 0
    assert run("v1", "visualization", "start", logs, "--name", "more").exit_code == 0
    assert run("v1", "visualization", "delete", "more", "--yes").exit_code == 0
    gone = run("v1", "visualization", "stop", "more")
    assert (gone.exit_code, 'there is no visualization job "more"' in gone.stderr) == (6, True)
