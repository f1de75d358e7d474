"""`modelarts v1`."""

import json
from pathlib import Path

import click
import pytest
from tests.overlays.cli.conftest import FLAVOR, Run

from modelarts_emulator.server import Emulator

FILE = f"""\
job_name: sum
config:
  worker_server_num: 1
  app_url: /work/code/
  boot_file_url: /work/code/train.py
  engine_id: 4
  flavor: {{code: {FLAVOR}}}
  data_url: /work/code/
  train_url: /work/out/
  parameter: [{{label: lr, value: 0.10}}]
"""


@pytest.fixture
def v1_project(project: Path, emulator: Emulator, emulator_environment: dict[str, str]) -> Path:
    """The current folder has `job.yaml` for a job of version 1."""
    emulator.objects.put("obs://work/code/train.py", "print('hello')")
    (project / "job.yaml").write_text(FILE)
    return project


@pytest.fixture
def ended(run: Run, quick: Emulator, v1_project: Path) -> Emulator:
    """An emulator with the job `sum`, which has completed."""
    assert run("v1", "job", "submit", "job.yaml").exit_code == 0
    return quick


def test_a_request_is_submitted_and_followed(run: Run, quick: Emulator, v1_project: Path) -> None:
    done = run("v1", "job", "submit", "job.yaml")

    assert done.exit_code == 0, done.stderr
    assert "lr 0.10\ntrained\n" in done.stdout, "a hyperparameter is sent as it is written"
    assert "sum/V0001" in done.stderr


def test_a_name_that_is_taken_gets_a_suffix_unless_it_has_to_be_exact(run: Run, ended: Emulator) -> None:
    assert run("v1", "job", "submit", "job.yaml", "--exact-name").exit_code == 6

    done = run("v1", "job", "submit", "job.yaml", "--detach")

    assert "The name sum is taken." in done.stderr
    assert done.stdout.startswith("sum-")


def test_results_are_downloaded(run: Run, ended: Emulator, v1_project: Path) -> None:
    ended.objects.put("obs://work/out/model.bin", "weights")

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
