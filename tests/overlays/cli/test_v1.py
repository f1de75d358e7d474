"""`modelarts v1`."""

from pathlib import Path

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
