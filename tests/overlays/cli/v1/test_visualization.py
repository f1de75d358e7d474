"""`modelarts v1 visualization`, with a simulated tool."""

import json

import click
import httpx
import pytest
from click.exceptions import Exit
from tests.overlays.cli.conftest import Run

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.cli.v1.visualization import show_running, visualization


@pytest.fixture
def logs(emulator: Emulator, emulator_environment: dict[str, str]) -> str:
    """A folder of object storage with something to show."""
    emulator.objects.put("obs://work/logs/events", "")
    return "obs://work/logs/"


def test_a_tool_is_started_opened_stopped_and_started_again(
    run: Run, logs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(click, "launch", opened.append)

    started = run("v1", "visualization", "start", logs, "--name", "curves", "--hours", 2, "--open")

    assert started.exit_code == 0, started.stderr
    address = started.stdout.strip()
    assert address.startswith("http")
    assert run("v1", "visualization", "open", "curves").stdout.strip() == address
    assert opened == [address, address]
    assert run("v1", "visualization", "stop", "curves").exit_code == 0
    stopped = run("v1", "visualization", "open", "curves")
    assert (stopped.exit_code, stopped.stdout) == (3, "")
    assert "modelarts v1 visualization restart curves starts it again" in stopped.stderr
    assert run("v1", "visualization", "restart", "curves").stdout.startswith("http")


def test_a_tool_that_cannot_run_says_why(
    capsys: pytest.CaptureFixture[str], emulator_environment: dict[str, str]
) -> None:
    """The job's own message, such as a library that the emulator lacks, rather than its status."""
    job = {"job_id": 7, "job_name": "curves", "status": 11, "error_message": "TensorBoard is not installed"}
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=job))
    client = ModelArts(endpoint="http://127.0.0.1:1", token="t", project_id="p", transport=transport)

    with client as ma, click.Context(visualization), pytest.raises(Exit) as ended:
        show_running(Terminal(quiet=True), ma, 7, is_opened=False)

    assert ended.value.exit_code == 3
    assert "curves does not run: TensorBoard is not installed; " in capsys.readouterr().err


def test_jobs_are_listed_shown_and_deleted(run: Run, logs: str) -> None:
    run("v1", "visualization", "start", logs, "--detach")

    (job,) = json.loads(run("v1", "visualization", "list", "-o", "json").stdout)

    assert job["train_url"] == "/work/logs/"
    assert f"Id       {job['job_id']}" in run("v1", "visualization", "get", job["job_name"]).stdout
    assert run("v1", "visualization", "delete", job["job_id"], "--yes").exit_code == 0
    assert run("v1", "visualization", "list").stderr == "No visualization jobs found.\n"


def test_a_job_that_does_not_exist_is_rejected(run: Run, logs: str) -> None:
    done = run("v1", "visualization", "get", "curves")

    assert done.exit_code == 6
    assert 'there is no visualization job "curves"' in done.stderr
