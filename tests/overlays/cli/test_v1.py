"""`modelarts v1`."""

import json
import re
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


def test_a_job_is_named_by_id_by_name_with_a_version_or_as_the_last(run: Run, ended: Emulator) -> None:
    job = shown(run)

    for word in ("sum", "sum/V0001", "sum/v0001", str(job["job_id"])):
        assert shown(run, word)["job_id"] == job["job_id"]


def test_the_files_of_a_log_have_names(run: Run, ended: Emulator) -> None:
    assert re.fullmatch(r"job\S*sum\S*\.0\n", run("v1", "job", "logs", "sum", "--link").stdout)
    assert run("v1", "job", "wait", "sum", "--until", "Running").exit_code == 0  # which it has passed


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["get", "summ"], 6, 'there is no job "summ"; did you mean sum?'),
        (["get", "sum/V0009"], 6, "job sum has no version V0009"),
        (["delete", "sum/V0001"], 2, "modelarts v1 version delete sum/V0001"),
        (["list", "--status", "dead"], 2, "is not one of"),
    ],
)
def test_what_does_not_exist_is_rejected_with_what_does(
    run: Run, ended: Emulator, arguments: list[str], status: int, said: str
) -> None:
    done = run("v1", "job", *arguments)

    assert done.exit_code == status
    assert said in done.stderr


def test_jobs_are_listed_with_the_status_of_their_newest_version(run: Run, ended: Emulator) -> None:
    lines = run("v1", "job", "list").stdout.splitlines()

    assert lines[0].split() == ["NAME", "ID", "PHASE", "CREATED", "RAN"]
    assert lines[1].split()[2] == "Completed"
    assert len(json.loads(run("v1", "job", "list", "--status", "completed", "-o", "json").stdout)) == 1
    assert run("v1", "job", "list", "--status", "running").stderr == "No jobs found.\n"


def test_a_job_that_is_waited_for_in_vain_is_stopped(run: Run, quick: Emulator, v1_project: Path) -> None:
    quick.plans.add(job="*", duration=3600)
    run("v1", "job", "submit", "job.yaml", "--detach")

    assert run("v1", "job", "wait", "sum", "--timeout", 0).exit_code == 5
    assert run("v1", "job", "stop", "sum", "--wait").stdout.rstrip().endswith("Terminated")
    assert "has already ended" in run("v1", "job", "stop", "sum").stderr


def test_results_are_downloaded(run: Run, ended: Emulator, v1_project: Path) -> None:
    ended.objects.put(f"obs:/{shown(run)['train_url']}model.bin", "weights")

    assert run("v1", "job", "download", "sum", "fetched", "--wait").exit_code == 0
    assert Path("fetched/train_url/model.bin").read_text() == "weights"


def test_a_version_runs_the_job_once_more_with_other_settings(run: Run, ended: Emulator) -> None:
    done = run("v1", "version", "create", "sum", "--parameter", "lr=0.7")

    assert done.exit_code == 0, done.stderr
    assert "lr 0.7" in done.stdout
    lines = run("v1", "version", "list", "sum").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["VERSION", "V0001", "V0002"]
    assert "lr 0.10" in run("v1", "job", "logs", "sum/V0001").stdout
    assert run("v1", "version", "delete", "sum/V0001", "--yes").exit_code == 0
    assert len(json.loads(run("v1", "version", "list", "sum", "-o", "json").stdout)) == 1
    assert "Deleted sum" in run("v1", "job", "delete", "sum", "--yes").stderr


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (SHORT + "config: {aap_url: x}\n", "job.yaml:9:10", "unknown field; did you mean 'app_url'?"),
        (SHORT + "env: {A: b}\n", "job.yaml:9:1: ", "env: version 1 of the API has no such setting"),
        (
            SHORT.replace("{data_url: data}", "{train: data}"),
            "job.yaml:6:10: ",
            "inputs.train: version 1 of the API has only data_url",
        ),
        (SHORT.replace(V1_ENGINE, "TF-1.8.0-python3"), "", "did you mean TF-1.8.0-python3.6?"),
        (SHORT.replace(V1_ENGINE, "'tf*'"), "", "fits several engines"),
    ],
)
def test_a_wrong_file_is_rejected_before_anything_is_sent(
    run: Run, quick: Emulator, v1_project: Path, text: str, place: str, said: str
) -> None:
    Path("job.yaml").write_text(text)

    done = run("v1", "job", "submit", "job.yaml")

    assert done.exit_code == 1, done.output
    assert place in done.stderr
    assert said in done.stderr
    assert list((quick.data_dir / "objects").glob("[!.]*")) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: sum", "name: sum\nnodes: 9", "job.yaml:2:1: config.worker_server_num: modelarts.vm.cpu.8u allows 1"),
        (V1_ENGINE, "TF-9", 'job.yaml:4:1: config.engine_id: no engine fits "TF-9"'),
        ("data_url: data", "data_url: obs://work/none/", "job.yaml:6:1: config.data_url: nothing is at /work/none/"),
    ],
)
def test_a_check_finds_what_the_service_does_not_have(
    run: Run, quick: Emulator, v1_project: Path, old: str, new: str, said: str
) -> None:
    quick.objects.put("obs://work/x", "")
    assert run("v1", "job", "check", "job.yaml").stdout == "sum: no problem found.\n"
    Path("job.yaml").write_text(SHORT.replace(old, new))

    done = run("v1", "job", "check", "job.yaml")

    assert done.exit_code == 1
    assert said in done.stderr
    assert run("v1", "job", "check", "job.yaml", "--offline").exit_code == 0
    assert json.loads(run("v1", "job", "check", "job.yaml", "-o", "json").stdout)[0]["field"].startswith("config.")


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
