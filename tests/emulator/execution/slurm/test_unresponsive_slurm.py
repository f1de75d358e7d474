"""What is done while Slurm's commands hang or fail; shell scripts stand for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.emulator.execution.conftest import wait_for
from tests.emulator.execution.reading import reports_of

from modelarts_emulator.execution.local.json_files import write
from modelarts_emulator.execution.local.recorded_executor import controller_settings
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import JobSpec
from modelarts_emulator.execution.slurm import commands, executor, removals, submitter
from modelarts_emulator.execution.slurm.executor import SlurmExecutor
from modelarts_emulator.execution.slurm.queue import QueueReader
from modelarts_emulator.storage.folder import FolderStore

COMMAND = """#!/bin/sh
name=${0##*/}
printf '%s\\n' "$name $*" >> "$FOLDER/calls"
while [ -e "$FOLDER/$name.hangs" ]; do sleep 0.01; done
if [ -e "$FOLDER/$name.fails" ]; then
  echo "$name: error: Unable to contact slurm controller (connect failure)" >&2
  exit 1
fi
[ ! -e "$FOLDER/$name.prints" ] || cat "$FOLDER/$name.prints"
"""
A = JobSpec("a", "a", command="true")
B = JobSpec("b", "b", command="true")


class Slurm:
    """Commands that do as the files in `folder` say, and an executor that runs them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in commands.COMMANDS:
            path = folder / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(COMMAND.replace("$FOLDER", str(folder)))
            path.chmod(0o755)
        self.prints("sbatch", "7")
        self.store = FolderStore(folder / "objects")
        self.executors: list[SlurmExecutor] = []

    def new_executor(self) -> SlurmExecutor:
        """An executor on the same folder, as after a restart."""
        settings = controller_settings(self.store)
        self.executors.append(SlurmExecutor(self.folder / "jobs", settings, {}, queue=QueueReader(0.02)))
        return self.executors[-1]

    def prints(self, name: str, text: str) -> None:
        (self.folder / f"{name}.prints").write_text(text + "\n")

    def shows(self, job: JobSpec, state: str, nodes: str = "") -> None:
        """Let the queue have this job only."""
        self.prints("squeue", f"modelarts-{job.job_id}-0|7|{state}|1|1|{nodes}|main|None")

    def hangs(self, name: str) -> Path:
        """Let the command hang until the file is removed."""
        return self._flag(f"{name}.hangs")

    def fails(self, name: str) -> Path:
        """Let the command fail, as if Slurm did not respond, until the file is removed."""
        return self._flag(f"{name}.fails")

    def _flag(self, name: str) -> Path:
        (self.folder / name).touch()
        return self.folder / name

    def calls(self, name: str) -> list[str]:
        """The arguments of all calls of the command."""
        path = self.folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.partition(" ")[2] for line in lines if line.startswith(f"{name} ")]

    def place(self, job: JobSpec) -> TaskPlace:
        return TaskPlace(self.folder / "jobs", job.job_id, 0, "worker-0")

    def close(self) -> None:
        for each in self.executors:
            each.close()


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slurm]:
    slurm = Slurm(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(executor, "RECORD_TIMEOUT_S", 0.0)
    monkeypatch.setattr(submitter, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(removals, "INTERVAL_S", 0.02)
    yield slurm
    for path in (*tmp_path.glob("*.hangs"), *tmp_path.glob("*.fails")):
        path.unlink()
    slurm.close()


def _submitted(slurm: Slurm, *jobs: JobSpec) -> SlurmExecutor:
    """An executor that has submitted these jobs."""
    made = slurm.new_executor()
    for job in jobs:
        made.submit(job)
        wait_for(lambda job=job: slurm.place(job).spec.with_name("slurm.json").exists())  # type: ignore[misc]
    return made


def _is_called(slurm: Slurm, name: str, text: str = "") -> Callable[[], bool]:
    return lambda: any(text in call for call in slurm.calls(name))


@pytest.mark.parametrize(
    ("state", "command", "printed"), [("NODE_FAIL", "sinfo", "node1 down"), ("FAILED", "scontrol", "ExitCode=66:0")]
)
def test_other_jobs_are_looked_at_while_slurm_is_asked_how_one_ended(
    slurm: Slurm, state: str, command: str, printed: str
) -> None:
    slurm.prints(command, printed)
    hanging = slurm.hangs(command)
    made = _submitted(slurm, A)
    if state == "NODE_FAIL":
        write(slurm.place(A).claim, {"pid": 1, "start_id": "1", "node": "node1", "time": 1.0})
    slurm.shows(A, state, "node1")

    def is_asked() -> bool:
        made.advance(["a"])
        return bool(slurm.calls(command))

    wait_for(is_asked)
    made.submit(B)
    assert made.advance(["a", "b"]) == {}
    assert [report.state for job in (A, B) for report in reports_of(made, job.job_id)] == [
        "queued" if state == "FAILED" else "preparing",
        "queued",
    ]
    assert len(slurm.calls(command)) == 1

    hanging.unlink()
    wait_for(slurm.place(A).exit.exists)
    (report,) = reports_of(made, "a")
    assert (report.exit_code, report.failure) == ((137, "node_lost") if state == "NODE_FAIL" else (1, None))


def test_an_end_is_asked_for_again_if_slurm_did_not_respond(slurm: Slurm) -> None:
    slurm.prints("scontrol", "ExitCode=66:0")
    failing = slurm.fails("scontrol")
    made = _submitted(slurm, A)
    slurm.shows(A, "FAILED")

    def is_asked_twice() -> bool:
        made.advance(["a"])
        return len(slurm.calls("scontrol")) > 1

    wait_for(is_asked_twice)
    assert not slurm.place(A).exit.exists()
    failing.unlink()
    wait_for(lambda: (made.advance(["a"]), slurm.place(A).exit.exists())[1])
    assert "let all nodes share both folders" in (reports_of(made, "a")[0].message or "")


def test_jobs_are_deleted_although_slurm_does_not_respond_and_killed_when_it_does(slurm: Slurm) -> None:
    """Nobody waits for that."""
    made = _submitted(slurm, A, B)
    hanging = slurm.hangs("scancel")

    assert made.delete(["a", "b", "unknown"]) == {}
    assert made.poll(["a", "b"]) == {}
    wait_for(_is_called(slurm, "scancel"))
    hanging.unlink()
    wait_for(lambda: not list((slurm.folder / "jobs/.slurm/removals").iterdir()))
    assert slurm.calls("scancel")[-1] == "--quiet 7"


def test_a_job_that_was_deleted_is_killed_after_a_restart(slurm: Slurm) -> None:
    made = _submitted(slurm, A)
    failing = slurm.fails("scancel")
    made.delete(["a"])
    wait_for(_is_called(slurm, "scancel"))
    made.close()
    failing.unlink()
    (slurm.folder / "calls").unlink()
    slurm.new_executor()

    wait_for(_is_called(slurm, "scancel", "--quiet 7"))


@pytest.mark.parametrize("end", ["cancel", "delete"])
def test_a_job_that_ends_while_its_submission_is_repeated_does_not_stay_in_the_queue(slurm: Slurm, end: str) -> None:
    """Slurm may have taken it although sbatch failed; what it shows later is killed."""
    slurm.fails("sbatch")
    slurm.fails("squeue")
    made = slurm.new_executor()
    made.submit(A)
    wait_for(lambda: "Slurm does not respond" in str(reports_of(made, "a")))
    if end == "cancel":
        made.cancel("a")
        (report,) = reports_of(made, "a")
        assert (report.state, report.exit_code, report.message) == ("ended", 143, "stopped before it started")
    else:
        assert made.delete(["a"]) == {}
    slurm.shows(A, "PENDING")
    (slurm.folder / "squeue.fails").unlink()

    wait_for(_is_called(slurm, "scancel", "--quiet 7"))
    assert len(slurm.calls("sbatch")) == 1


def test_a_job_whose_removal_could_not_be_written_down_does_not_stay_in_the_queue(slurm: Slurm) -> None:
    """The removal is repeated, and then still knows that Slurm may have the job."""
    slurm.fails("sbatch")
    slurm.fails("squeue")
    made = slurm.new_executor()
    made.submit(A)
    wait_for(lambda: "Slurm does not respond" in str(reports_of(made, "a")))
    obstacle = slurm.folder / "jobs/.slurm"
    obstacle.touch()
    assert list(made.delete(["a"])) == ["a"]
    obstacle.unlink()
    assert made.delete(["a"]) == {}
    slurm.shows(A, "PENDING")
    (slurm.folder / "squeue.fails").unlink()

    wait_for(_is_called(slurm, "scancel", "--quiet 7"))


def test_what_does_not_appear_in_the_queue_is_not_looked_for_any_more(
    slurm: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the submission of the attempt cannot be under way any more."""
    monkeypatch.setattr(removals, "SUBMISSION_S", 0.0)
    slurm.fails("sbatch")
    made = slurm.new_executor()
    made.submit(A)
    wait_for(lambda: "Slurm does not respond" in str(reports_of(made, "a")))
    made.cancel("a")

    wait_for(lambda: not list((slurm.folder / "jobs/.slurm/removals").iterdir()))
    assert slurm.calls("scancel") == []


def test_a_job_whose_specification_cannot_be_read_fails(slurm: Slurm) -> None:
    failing = slurm.fails("sbatch")
    made = slurm.new_executor()
    made.submit(A)
    wait_for(lambda: "Slurm does not respond" in str(reports_of(made, "a")))
    slurm.place(A).spec.write_text("{")
    failing.unlink()

    wait_for(slurm.place(A).exit.exists)
    (report,) = reports_of(made, "a")
    assert report.exit_code == 1
    assert report.message == "the job's specification was altered or damaged: submit the job again"


def test_what_another_front_end_supervises_now_is_not_submitted(slurm: Slurm) -> None:
    """An executor that forgets its jobs submits nothing of what it was given before."""
    failing = slurm.fails("sbatch")
    made = slurm.new_executor()
    made.submit(A)
    wait_for(lambda: "Slurm does not respond" in str(reports_of(made, "a")))
    made.forget()
    count = len(slurm.calls("sbatch"))
    failing.unlink()
    _submitted(slurm, B)

    assert len(slurm.calls("sbatch")) == count + 1
