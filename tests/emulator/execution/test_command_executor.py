"""The executor in `examples/`, beyond what the suite of all executors says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from tests.accelerators import Gpu, Machine
from tests.emulator.conftest import serve
from tests.emulator.execution.conftest import is_gone
from tests.emulator.execution.stages import (
    CommandStage,
    ControllerStage,
    NamespaceStage,
    ProcessStage,
    SimulatedStage,
    SlurmStage,
    installed_example,
)
from tests.suites.executor_suite import FOREVER_S, ExecutorSuite, ScriptStage, ended, reports_of

from modelarts_emulator.execution.protocol import NOT_MEASURED, Channel, JobSpec

EXAMPLE = Path(__file__).parents[3] / "examples" / "command-executor"
MAX_LINES = 150


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[CommandStage]:
    stage = CommandStage(tmp_path)
    yield stage
    stage.close()


def test_the_example_is_small() -> None:
    """Whoever writes an executor can read it in a few minutes."""
    assert len((EXAMPLE / "command_executor.py").read_text("utf-8").splitlines()) <= MAX_LINES


@pytest.mark.parametrize("chosen", ["stopped", pytest.param("", marks=pytest.mark.soak)])
def test_the_example_keeps_what_every_executor_promises(chosen: str) -> None:
    """Its own tests pass, which are those of every executor."""
    options = ["-q", "-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", "-k", chosen]
    command = [sys.executable, "-m", "pytest", *options]
    environ = {**os.environ, "PYTHONPATH": str(EXAMPLE.parents[1])}
    done = subprocess.run(command, cwd=EXAMPLE, env=environ, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


def test_a_job_runs_on_an_emulator_with_the_example(tmp_path: Path) -> None:
    """Its inputs reach the script, and its outputs the object store."""
    script = b"""
import os, pathlib, sys
data_url, train_url = (argument.partition("=")[2] for argument in sys.argv[1:])
text = pathlib.Path(data_url, "digits.csv").read_text()
pathlib.Path(train_url, "result").write_text(text.upper() + os.environ["VC_TASK_INDEX"])
"""
    with installed_example(tmp_path), serve(tmp_path / "data", executor="command") as api:
        api.store.put(api.bucket, "own/train.py", script)
        api.store.put(api.bucket, "in/digits.csv", b"abc")
        body = api.job_body(
            code_dir=f"/{api.bucket}/own/",
            boot_file=f"/{api.bucket}/own/train.py",
            inputs=[{"name": "data_url", "remote": {"obs": {"obs_url": f"/{api.bucket}/in/"}}}],
            outputs=[{"name": "train_url", "remote": {"obs": {"obs_url": f"/{api.bucket}/out/"}}}],
        )
        job_id = api.create_job(body)["metadata"]["id"]
        job = api.wait_for_phase(job_id, "Completed", "Failed", "Abnormal")

        assert job["status"]["phase"] == "Completed", api.emulator.data_dir
        assert api.store.read(api.bucket, "out/result") == b"ABC0"


def test_a_machine_that_cannot_be_reached_fails_the_task(stage: CommandStage, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the exit code and the message of the command."""
    monkeypatch.setattr(CommandStage, "command", "sh -c 'echo no route to host >&2; exit 255'")
    stage.renew()
    job = JobSpec("unreachable", "unreachable", command="true")
    stage.executor.submit(job)
    (report,) = ended(stage, job)

    assert report.exit_code == 255
    assert stage.executor.logs("unreachable", "worker-0") == b"no route to host\n"
    stage.executor.delete(["unreachable"])


def test_a_task_whose_runner_was_killed_has_ended(stage: CommandStage, tmp_path: Path) -> None:
    """It is not started a second time."""
    job = stage.job("a line", FOREVER_S, [0], 1, "")
    stage.executor.submit(job)
    stage.wait_for(lambda: reports_of(stage.executor, job.job_id)[0].state == "running")
    stage.wait_for(lambda: _pids(job.job_id))
    (runner,) = [process for process in psutil.process_iter() if _is_runner(process, job.job_id)]
    runner.kill()
    (report,) = ended(stage, job)

    assert (report.exit_code, report.message) == (137, f"see {tmp_path}/jobs/{job.job_id}/0/worker-0.err")
    stage.executor.submit(job)
    assert reports_of(stage.executor, job.job_id) == [report]
    os.killpg(_pids(job.job_id)[0], 9)


def test_a_deleted_job_s_processes_end(stage: CommandStage) -> None:
    """Although nothing is left that names them but their runner."""
    job = stage.job("a line", FOREVER_S, [0], 1, "")
    stage.executor.submit(job)
    stage.wait_for(lambda: _pids(job.job_id))
    (pid,) = _pids(job.job_id)
    stage.executor.delete([job.job_id])

    stage.wait_for(lambda: is_gone(pid))


def test_outputs_that_cannot_be_delivered_fail_the_task(stage: CommandStage) -> None:
    """The message names the output and its address."""
    job = JobSpec(
        "lost",
        "lost",
        command="echo 1 >$train_url/x",
        outputs=(Channel("train_url", "/nowhere/out/", access_method="env"),),
    )
    stage.executor.submit(job)
    (report,) = ended(stage, job)

    assert report.exit_code == 1
    assert report.message is not None
    assert report.message.startswith("output train_url: cannot upload to /nowhere/out/")
    stage.executor.delete(["lost"])


def test_outputs_that_are_links_arrive_or_are_named(stage: CommandStage) -> None:
    """A link leads to where the task ran; what is no file keeps nothing else from its place."""
    command = (
        "echo 1 >$out/a; ln -s $out/a $out/b; ln -s a $out/c; ln $out/a $out/d; ln -s /nowhere $out/e; mkfifo $out/f"
    )
    job = JobSpec("links", "links", command=command, outputs=(Channel("out", "/data/out/", access_method="env"),))
    stage.executor.submit(job)
    (report,) = ended(stage, job)

    assert report.exit_code == 1
    assert "2 file(s) could not be uploaded: e: it is a link to /nowhere" in (report.message or "")
    assert [stage.store.read("data", f"out/{name}") for name in "abcd"] == [b"1\n"] * 4
    stage.executor.delete(["links"])


def _is_runner(process: psutil.Process, job_id: str) -> bool:
    with suppress(psutil.Error):
        command = process.cmdline()  # empty once the process is a zombie
        return bool(command) and command[-1].endswith(f"/{job_id}/0/worker-0")
    return False


def _pids(job_id: str) -> list[int]:
    """The program of the job, as the machine that runs it has noted."""
    return [int(text) for path in Path("/tmp").glob(f"modelarts-{job_id}-*/pid") if (text := path.read_text())]


class ControllerSuite(ExecutorSuite):
    """What the executors whose tasks have controllers promise beside."""

    def test_what_a_task_leaves_arrives_or_is_named(self, stage: ScriptStage) -> None:
        """Links are followed as the task sees them; one that leads to nothing fails the task."""
        command = 'echo 1 > "$out/a"; ln -s "$out/a" "$out/b"; ln -s ../.. "$out/c"; ln -s /nowhere "$out/d"'
        outputs = (Channel("out", "/data/out/", access_method="env"),)
        job = replace(stage.job("", 0, (0,), 1, ""), code_dir=None, boot_file=None, command=command, outputs=outputs)
        stage.executor.submit(job)
        (report,) = ended(stage, job)

        assert report.exit_code == 1, report
        assert "2 file(s) could not be uploaded: c: it is a link to" in (report.message or "")
        assert "d: it is a link to /nowhere" in (report.message or "")
        assert [stage.store.read("data", f"out/{name}") for name in "ab"] == [b"1\n", b"1\n"]

    def test_a_task_measures_its_own_cards(
        self, stage: ControllerStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The machine has another one, which is busier."""
        stage.metrics_period = 0.4
        stage.renew()
        job = stage.with_cards(stage.job("a line", FOREVER_S, (0,), 1, ""), 1)
        own = job.devices[0][0].id if job.devices is not None else "GPU-0"
        cards = [Gpu(own, memory_mib=1000, used_mib=250, utilization=30), Gpu("GPU-other", utilization=90)]
        monkeypatch.setenv("PATH", Machine(tmp_path / "machine", cards).path)
        stage.executor.submit(job)
        found: dict[str, set[float]] = {"gpuUtil": set(), "gpuMemUsage": set()}

        def is_measured() -> bool:
            stage.executor.advance([job.job_id])
            usage = stage.executor.usage(job.job_id, "worker-0") or {}
            for name, values in found.items():
                values.update(value for value in usage.get(name, []) if value != NOT_MEASURED)
            return all(found.values())

        stage.wait_for(is_measured)

        assert found == {"gpuUtil": {30}, "gpuMemUsage": {25}}


class TestProcess(ControllerSuite):
    stage_class = ProcessStage


class TestNamespace(ControllerSuite):
    stage_class = NamespaceStage


class TestSimulated(ExecutorSuite):
    stage_class = SimulatedStage
    test_a_task_sees_its_own_cards_only = None  # type: ignore[assignment] # no script runs that could see cards


@pytest.mark.engine
@pytest.mark.usefixtures("slurm")
class TestSlurm(ControllerSuite):
    stage_class = SlurmStage
