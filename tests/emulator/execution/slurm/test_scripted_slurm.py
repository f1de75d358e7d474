"""What is done while Slurm's commands hang, fail, reject and forget; a shell script stands for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emulator.execution.conftest import wait_for
from tests.suites.executor_suite import reports_of

from modelarts_emulator.execution.protocol import JobSpec, Resources, TaskReport
from modelarts_emulator.execution.slurm import commands, executor
from modelarts_emulator.execution.slurm.commands import SlurmFlavor
from modelarts_emulator.execution.slurm.executor import SlurmExecutor
from modelarts_emulator.execution.task.recorded_executor import ControllerSettings
from modelarts_emulator.execution.task.records import Exit, TaskPlace, write, write_exit
from modelarts_emulator.storage.folder import FolderStore

COMMAND = """#!/bin/sh
cd "$FOLDER" || exit 9
name=${0##*/}
printf '%s\\n' "$name $*" >> calls
while [ -e "$name.hangs" ]; do sleep 0.01; done
for word; do
  case $word in
    --job-name=* | --name=*) job=${word#*=} ;;
    --account=*) account=${word#*=} ;;
    [0-9]*) id=$word ;;
  esac
done
for file in "$name.fails" "$name.$account"; do
  if [ -e "$file" ]; then echo "$name: error: $(cat "$file")" >&2; exit 1; fi
done
case $name in
  squeue) cat queue ;;
  scancel) sed -i "s/^\\\\($job|$id|\\\\)[A-Z]*|/\\\\1CANCELLED|/" queue ;;
  sbatch)
    echo >> ids
    id=$(wc -l < ids)
    [ -e forgets ] || echo "$job|$id|PENDING|1|main||Priority" >> queue
    if [ -e sbatch.breaks ]; then echo "sbatch: error: Socket timed out on send/recv operation" >&2; exit 1; fi
    echo "$id" ;;
esac
"""
A, B, C = (JobSpec(name, name, command="true") for name in "abc")
UNREACHABLE = "Unable to contact slurm controller (connect failure)"
LIMIT = "AssocMaxSubmitJobLimit"
MEMORY, PREEMPTED = "it used more memory than its flavor has", "it was preempted by a job with a higher priority"
INTERRUPTED = "interrupted by Slurm"


class Slurm:
    """Commands that do as the files in `folder` say, and an executor that runs them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in commands.COMMANDS:
            path = folder / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(COMMAND.replace("$FOLDER", str(folder)))
            path.chmod(0o755)
        (folder / "queue").touch()
        self.executors: list[SlurmExecutor] = []

    def new_executor(self) -> SlurmExecutor:
        """An executor on the same folder, as after a restart."""
        settings = ControllerSettings(FolderStore(self.folder / "objects").url)
        flavors = {name: SlurmFlavor((f"--account={name}",)) for name in ("vision", "speech")}
        self.executors.append(SlurmExecutor(self.folder / "jobs", settings, flavors))
        return self.executors[-1]

    def name(self, job: JobSpec) -> str:
        """What Slurm calls the job, as it was submitted."""
        (call,) = {call for call in self.calls("sbatch") if f"-{job.job_id}-0 " in call}
        return next(word.partition("=")[2] for word in call.split() if word.startswith("--job-name="))

    def shows(self, job: JobSpec, state: str) -> None:
        """Let the queue have this job only."""
        self.queue(f"{self.name(job)}|7|{state}|1|main|node1|None\n")

    def forgets(self) -> None:
        """Lose the queue."""
        self.queue("")

    def queue(self, text: str) -> None:
        """Replace the queue at once, because it may be read at any moment."""
        (self.folder / "queue.new").write_text(text)
        (self.folder / "queue.new").replace(self.folder / "queue")

    def hangs(self, name: str) -> Path:
        """Let the command hang until the file is removed."""
        (self.folder / f"{name}.hangs").touch()
        return self.folder / f"{name}.hangs"

    def fails(self, name: str, text: str = UNREACHABLE) -> Path:
        """Let the command fail, of an account if one is named, until the file is removed."""
        path = self.folder / (name if "." in name else f"{name}.fails")
        path.write_text(text)
        return path

    def calls(self, name: str) -> list[str]:
        """The arguments of all calls of the command."""
        path = self.folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.partition(" ")[2] for line in lines if line.startswith(f"{name} ")]

    def place(self, job: JobSpec) -> TaskPlace:
        return TaskPlace(self.folder / "jobs", job.job_id, 0, "worker-0")

    def begins(self, job: JobSpec) -> None:
        """Let a controller have begun, which is not there any more."""
        self.shows(job, "RUNNING")
        made = self.executors[-1]
        looks = made.status_calls
        wait_for(lambda: made.advance([job.job_id]) == {} and made.status_calls > looks + 2)
        write(self.place(job).claim, {"pid": 1, "start_id": "1", "node": "node1"})

    def close(self) -> None:
        for path in (*self.folder.glob("*.hangs"), *self.folder.glob("*.fails")):
            path.unlink()
        for each in self.executors:
            each.close()


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slurm]:
    slurm = Slurm(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setattr(executor, "RECORD_TIMEOUT_S", 0.0)
    monkeypatch.setattr(executor, "READ_INTERVAL_S", 0.02)
    yield slurm
    slurm.close()


def _submitted(slurm: Slurm, *jobs: JobSpec) -> SlurmExecutor:
    """An executor that has submitted these jobs."""
    made = slurm.new_executor()
    for job in jobs:
        made.submit(job)
        wait_for(_is_noted(made, job, "of Slurm."))
    return made


def _events(made: SlurmExecutor, job: JobSpec) -> str:
    return "\n".join(event.message for report in reports_of(made, job.job_id) for event in report.events)


def _is_noted(made: SlurmExecutor, job: JobSpec, text: str) -> Callable[[], bool]:
    return lambda: text in _events(made, job)


def _ended(made: SlurmExecutor, job: JobSpec) -> TaskReport:
    wait_for(lambda: all(report.state == "ended" for report in reports_of(made, job.job_id)))
    return reports_of(made, job.job_id)[0]


def _of(account: str, job: JobSpec) -> JobSpec:
    return replace(job, resources=Resources(account))


def test_a_job_that_slurm_could_not_begin_is_submitted_again_but_not_for_ever(slurm: Slurm) -> None:
    """Such as one on two nodes, of which one's daemon is just being started; or one whose nodes lack the Python.

    Slurm shows some of them as cancelled, but with nodes; one that its user cancels while it waits has none, and ends.
    """
    made = _submitted(slurm, A)
    for number, state in ((1, "CANCELLED"), (2, "FAILED"), (3, "FAILED")):
        wait_for(_is_noted(made, A, f"The job is job {number} of Slurm."))
        queue = (slurm.folder / "queue").read_text()
        slurm.queue(queue.replace("|PENDING|1|main||", f"|{state}|1|main|node1|"))
    report = _ended(made, A)

    assert (report.exit_code, report.failure) == (1, None)
    assert "let all nodes share" in (report.message or "")
    assert len(slurm.calls("sbatch")) == 3
    _submitted(slurm, B)
    slurm.queue((slurm.folder / "queue").read_text().replace("|PENDING|", "|CANCELLED|"))
    assert "it was cancelled at Slurm" in (_ended(slurm.executors[-1], B).message or "")


def test_a_limit_of_one_account_holds_up_no_other(slurm: Slurm) -> None:
    """Not even another job of that account which is rejected for good."""
    room = slurm.fails("sbatch.vision", f"{LIMIT}\nsbatch: error: Job violates accounting/QOS policy")
    made = slurm.new_executor()
    for number in range(5):
        made.submit(_of("vision", replace(A, job_id=f"v{number}")))
    wait_for(lambda: slurm.calls("sbatch"))
    made.submit(_of("speech", B))
    wait_for(_is_noted(made, B, "of Slurm."))
    wait_for(_is_noted(made, replace(A, job_id="v0"), f"a limit at Slurm is reached: {LIMIT}."))
    room.unlink()

    for number in range(5):
        wait_for(_is_noted(made, replace(A, job_id=f"v{number}"), "of Slurm."))


def test_a_job_that_slurm_rejects_fails_at_once_with_its_sentence(slurm: Slurm) -> None:
    slurm.fails("sbatch.vision", LIMIT)
    slurm.fails("sbatch.speech", "Invalid account or account/partition combination specified")
    made = slurm.new_executor()
    made.submit(_of("vision", A))
    made.submit(_of("speech", B))
    made.submit(C)
    report = _ended(made, B)

    assert (report.exit_code, report.failure) == (1, None)
    assert report.message == ("Slurm does not take the job: Invalid account or account/partition combination specified")
    wait_for(_is_noted(made, C, "of Slurm."))


def test_a_job_waits_while_slurm_does_not_take_it_or_does_not_respond_and_is_submitted_once(slurm: Slurm) -> None:
    """Its event has the sentence of Slurm, such as that of a partition in maintenance."""
    sentence = "Required partition not available (inactive or drain)"
    maintenance = slurm.fails("sbatch.vision", sentence)
    failing, silent = slurm.fails("sbatch"), slurm.fails("squeue")
    made = slurm.new_executor()
    made.submit(_of("vision", A))
    wait_for(_is_noted(made, A, f"The job waits, because Slurm does not respond: {UNREACHABLE}."))
    failing.unlink()
    silent.unlink()
    wait_for(_is_noted(made, A, f"The job waits, because Slurm does not take it: {sentence}."))
    maintenance.unlink()
    wait_for(_is_noted(made, A, "of Slurm."))
    assert (slurm.folder / "queue").read_text().count("-a-0|") == 1


def test_a_job_that_sbatch_did_not_confirm_is_looked_for_before_it_is_submitted_again(slurm: Slurm) -> None:
    (slurm.folder / "sbatch.breaks").touch()
    made = slurm.new_executor()
    made.submit(A)

    wait_for(_is_noted(made, A, "The job is job 1 of Slurm."))
    assert "Slurm does not respond: Socket timed out" in _events(made, A)
    assert len(slurm.calls("sbatch")) == 1


@pytest.mark.parametrize("is_restarted", [True, False])
def test_what_was_deleted_is_cancelled_by_name_and_number_as_soon_as_slurm_responds(
    slurm: Slurm, is_restarted: bool
) -> None:
    """Nobody waits for that; and a number alone may be another job's, after Slurm lost its state."""
    made = _submitted(slurm, A, B)
    name, failing = slurm.name(A), slurm.fails("scancel")
    assert made.delete(["a", "unknown"]) == {}
    assert made.poll(["a"]) == {}
    wait_for(lambda: slurm.calls("scancel"))
    if is_restarted:
        made.close()
    failing.unlink()
    if is_restarted:
        slurm.new_executor().advance(["b"])
    wait_for(lambda: f"{name}|1|CANCELLED|" in (slurm.folder / "queue").read_text())

    assert set(slurm.calls("scancel")) == {f"--quiet --name={name} 1"}


@pytest.mark.parametrize("end", ["cancel", "delete"])
def test_what_appears_at_slurm_long_after_its_end_is_cancelled(
    slurm: Slurm, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its submission was under way, and nobody asks for anything any more; another one is cancelled meanwhile."""
    made = _submitted(slurm, B)
    hanging = slurm.hangs("sbatch")
    made.submit(A)
    wait_for(lambda: len(slurm.calls("sbatch")) == 2)
    for job in (A, B):
        if end == "cancel":
            made.cancel(job.job_id)
            (report,) = reports_of(made, job.job_id)
            assert (report.state, report.exit_code, report.message) == ("ended", 143, "stopped before it started"), job
        else:
            assert made.delete([job.job_id]) == {}, job
    monkeypatch.setattr(executor, "SUPERVISED_S", 0.0)
    made.advance([])
    wait_for(lambda: slurm.calls("scancel") == [f"--quiet --name={slurm.name(B)} 1"])
    looks = len(slurm.calls("squeue"))
    wait_for(lambda: len(slurm.calls("squeue")) > looks + 5)
    hanging.unlink()

    wait_for(lambda: slurm.calls("scancel")[1:] == [f"--quiet --name={slurm.name(A)} 2"])
    wait_for(lambda: (slurm.folder / "queue").read_text().count("|CANCELLED|") == 2)


def test_a_job_whose_specification_cannot_be_read_fails(slurm: Slurm) -> None:
    failing = slurm.fails("sbatch")
    made = slurm.new_executor()
    made.submit(A)
    wait_for(_is_noted(made, A, "Slurm does not respond"))
    slurm.place(A).spec.write_text("{")
    failing.unlink()

    assert _ended(made, A).message == "the job's specification was altered or damaged: submit the job again"


def test_what_another_front_end_supervises_now_is_not_submitted(slurm: Slurm) -> None:
    """An executor that forgets its jobs submits nothing of what it was given before."""
    failing = slurm.fails("squeue")
    made = slurm.new_executor()
    made.submit(A)
    wait_for(_is_noted(made, A, "Slurm does not respond"))
    made.forget()
    failing.unlink()
    _submitted(slurm, B)

    assert len(slurm.calls("sbatch")) == 1


@pytest.mark.parametrize(
    ("state", "recorded", "code", "failure", "message"),
    [
        ("CANCELLED", None, 143, None, "it was cancelled at Slurm"),
        ("TIMEOUT", INTERRUPTED, 143, None, "its time limit at Slurm was reached"),
        ("PREEMPTED", INTERRUPTED, 143, "preempted", PREEMPTED),
        ("PENDING", INTERRUPTED, 143, "preempted", PREEMPTED),  # somebody requeued it
        ("NODE_FAIL", None, 137, "node_lost", "the node of worker-0 was lost; "),
        ("NODE_FAIL", INTERRUPTED, 137, "node_lost", "a node of the job was lost"),
        ("FAILED", None, 137, "node_lost", "the task's controller process was killed; "),
        ("OUT_OF_MEMORY", None, 137, "out_of_memory", MEMORY),
        ("OUT_OF_MEMORY", "ended by signal SIGKILL", 137, "out_of_memory", MEMORY),
        ("COMPLETED", "ended by signal SIGKILL", 137, None, "ended by signal SIGKILL"),
    ],
)
def test_the_end_of_a_task_says_what_slurm_knows_of_it(
    slurm: Slurm, state: str, recorded: str | None, code: int, failure: str | None, message: str
) -> None:
    """Its controller knows only that it was interrupted, or that its script was killed; or it was killed itself."""
    made = _submitted(slurm, A)
    slurm.begins(A)
    if recorded is not None:
        write_exit(slurm.place(A), Exit(1.0, 2.0, 137 if "SIGKILL" in recorded else 143, recorded))
        write(slurm.place(A).process, {"started_at": 1.0})
        (report,) = reports_of(made, "a")
        assert (report.state, report.exit_code, report.message) == ("running", None, None)
    slurm.shows(A, state)
    report = _ended(made, A)

    assert (report.exit_code, report.failure) == (code, failure)
    assert (report.message or "").startswith(message)


def test_jobs_of_which_there_is_nothing_new_are_not_looked_at(slurm: Slurm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "RECENT_S", 0.0)
    made = _submitted(slurm, A, B)
    wait_for(_is_noted(made, B, "The job waits at Slurm"))
    wait_for(lambda: not made.changed_jobs())
    slurm.queue((slurm.folder / "queue").read_text().replace("1|main", "2|main"))
    looks = made.status_calls
    wait_for(lambda: made.advance(["a"]) == {} and made.status_calls > looks + 2)
    assert made.changed_jobs() == set()
    slurm.shows(B, "RUNNING")

    wait_for(lambda: "b" in made.changed_jobs())
