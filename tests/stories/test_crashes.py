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

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self.mark, self.gate = name, folder / f"{name}.runs", folder / f"{name}.gate"

    def submit(self, ma: ModelArts, submit: Any) -> Any:
        job = submit(ma, self.name, PATIENT, MARK=str(self.mark), GATE=str(self.gate))
        eventually(self.mark.exists, "the script runs")
        return job

    def open(self, exit_status: int) -> None:
        draft = self.gate.with_suffix(".draft")
        draft.write_text(str(exit_status))
        draft.rename(self.gate)

    @property
    def pids(self) -> list[int]:
        return [int(line) for line in self.mark.read_text().split()]


def exit_codes(ma: ModelArts, job: Any) -> dict[str, int]:
    """How a job has failed."""
    with pytest.raises(JobFailed) as failure:
        ma.jobs.get(job).wait(timeout=300)
    return dict(failure.value.exit_codes)


@pytest.mark.parametrize("emulator_process", [("--max-running-jobs", "4")], ids=["four at once"], indirect=True)
def test_every_job_ends_truthfully_and_once_although_the_emulator_is_killed(
    emulator_process: EmulatorProcess, tmp_path: Path, submit: Any
) -> None:
    """One outlives the emulator, two end while it is down, and one is killed with it, as after a power cut."""
    gates = [Gate(tmp_path, name) for name in ("lasting", "completed", "failed", "killed")]
    lasting, completed, failed, killed = gates
    with ModelArts() as ma:
        jobs = {gate: gate.submit(ma, submit) for gate in gates}
        emulator_process.end(signal.SIGKILL)
        completed.open(0)
        failed.open(3)
        kill_with_parents(killed.pids[0])
        ended = [gate.pids[0] for gate in (completed, failed, killed)]
        eventually(lambda: not any(map(is_alive, ended)), "three scripts have ended")
        assert [is_alive(pid) for pid in lasting.pids] == [True]
        emulator_process.start()

        assert ma.v2.training_jobs.show_training_job_details(jobs[lasting].id).status.phase == "Running"
        lasting.open(0)
        job = ma.jobs.get(jobs[lasting]).wait(timeout=300)
        lines = list(ma.jobs.get(job).logs(follow=True))
        assert (job.phase, ma.jobs.get(jobs[completed]).wait(timeout=300).phase) == ("Completed", "Completed")
        assert exit_codes(ma, jobs[failed]) == {"worker-0": 3}
        assert exit_codes(ma, jobs[killed]) == {"worker-0": 137}  # nobody is left to write down how it ended

    assert [line for line in lines if "gate" in line] == ["waiting at the gate", "through the gate"]
    assert [len(gate.pids) for gate in gates] == [1] * 4


def kill_with_parents(pid: int) -> None:
    """Kill the script and the controller above it, the controller first."""
    import psutil

    script = psutil.Process(pid)
    family = [parent for parent in script.parents() if "controller" in " ".join(parent.cmdline())]
    for process in [*family, script]:
        process.kill()
    psutil.wait_procs(family)
