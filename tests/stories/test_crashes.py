"""The emulator is killed while a job runs: nothing is lost, nothing runs twice, every job ends truthfully."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from tests.stories.conftest import EmulatorProcess, eventually, is_alive

from modelarts_toolkit import JobFailed, ModelArts

PATIENT = """
    import os, pathlib, sys, time
    mark, gate = pathlib.Path(os.environ["MARK"]), pathlib.Path(os.environ["GATE"])
    with mark.open("a") as runs:
        runs.write(f"{os.getpid()}\\n")
    print("waiting at the gate", flush=True)
    while not gate.exists():
        time.sleep(0.05)
    print("through the gate", flush=True)
    sys.exit(int(gate.read_text()))
"""


class Gate:
    """A job that waits until it is let through, and the record of how often it was started."""

    def __init__(self, folder: Path) -> None:
        self.mark, self.gate = folder / "runs", folder / "gate"

    def submit(self, ma: ModelArts, submit: Any) -> Any:
        job = submit(ma, "patient", PATIENT, MARK=str(self.mark), GATE=str(self.gate))
        eventually(self.mark.exists, "the script runs")
        return job

    def open(self, exit_status: int) -> None:
        draft = self.gate.with_suffix(".draft")
        draft.write_text(str(exit_status))
        draft.rename(self.gate)

    @property
    def pids(self) -> list[int]:
        return [int(line) for line in self.mark.read_text().split()]


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


def test_a_job_outlives_the_emulator_and_completes_after_the_restart(
    emulator_process: EmulatorProcess, gate: Gate, submit: Any
) -> None:
    with ModelArts() as ma:
        job = gate.submit(ma, submit)
        emulator_process.end(signal.SIGKILL)
        assert [is_alive(pid) for pid in gate.pids] == [True]
        emulator_process.start()
        assert ma.v2.training_jobs.show_training_job_details(job.id).status.phase == "Running"
        gate.open(0)

        job = ma.jobs.wait(job, timeout=30)
        lines = list(ma.jobs.logs(job, follow=True))

    assert job.phase == "Completed"
    assert len(gate.pids) == 1
    assert [line for line in lines if "gate" in line] == ["waiting at the gate", "through the gate"]


@pytest.mark.parametrize("exit_status", [0, 3])
def test_a_job_that_ends_while_the_emulator_is_down_is_reported_as_it_ended(
    emulator_process: EmulatorProcess, gate: Gate, submit: Any, exit_status: int
) -> None:
    with ModelArts() as ma:
        job = gate.submit(ma, submit)
        emulator_process.end(signal.SIGKILL)
        gate.open(exit_status)
        eventually(lambda: not is_alive(gate.pids[0]), "the script has ended")
        emulator_process.start()

        if exit_status:
            with pytest.raises(JobFailed) as failure:
                ma.jobs.wait(job, timeout=30)
            assert failure.value.exit_codes == {"worker-0": exit_status}
        else:
            assert ma.jobs.wait(job, timeout=30).phase == "Completed"

    assert len(gate.pids) == 1


def test_a_job_whose_processes_are_killed_with_the_emulator_fails_and_does_not_run_again(
    emulator_process: EmulatorProcess, gate: Gate, submit: Any
) -> None:
    """As after a power cut: nobody is left to write down how the job ended."""
    with ModelArts() as ma:
        job = gate.submit(ma, submit)
        emulator_process.end(signal.SIGKILL)
        kill_with_parents(gate.pids[0])
        emulator_process.start()

        with pytest.raises(JobFailed) as failure:
            ma.jobs.wait(job, timeout=30)

    assert failure.value.exit_codes == {"worker-0": 137}
    assert len(gate.pids) == 1


def kill_with_parents(pid: int) -> None:
    """Kill the script and the controller above it, the controller first."""
    import psutil

    script = psutil.Process(pid)
    family = [parent for parent in script.parents() if "controller" in " ".join(parent.cmdline())]
    for process in [*family, script]:
        process.kill()
    psutil.wait_procs(family)
