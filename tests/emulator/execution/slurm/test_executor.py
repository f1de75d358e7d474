"""What the Slurm executor does beside what every executor promises, on a real cluster."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emulator.execution.reading import log_of, reports_of
from tests.emulator.execution.stages import FOREVER, SlurmStage, ended
from tests.slurm import SlurmCluster, free_ports

from modelarts_emulator.execution.local.records import TaskPlace, read_exit
from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.slurm import places, request
from modelarts_emulator.execution.slurm.attempt_ends import ask_for_end, conclude
from modelarts_emulator.execution.slurm.commands import SlurmRejectedError, SlurmUnavailableError
from modelarts_emulator.execution.slurm.executor import SlurmExecutor
from modelarts_emulator.execution.slurm.flavors import SlurmFlavor
from modelarts_emulator.execution.slurm.queue import job_name

pytestmark = pytest.mark.engine


@pytest.fixture
def stage(slurm: SlurmCluster, tmp_path: Path) -> Iterator[SlurmStage]:
    stage = SlurmStage(tmp_path)
    yield stage
    stage.close()


def _events(stage: SlurmStage, job: JobSpec) -> str:
    return "\n".join(event.message for report in reports_of(stage.executor, job.job_id) for event in report.events)


def _start(stage: SlurmStage, job: JobSpec) -> JobSpec:
    """Submit the job and wait until its tasks have printed their line."""
    stage.executor.submit(job)
    tasks = [f"worker-{index}" for index in range(job.node_count)]
    stage.wait_for(lambda: all("a line" in log_of(stage.executor, job.job_id, task) for task in tasks))
    return job


def _is_noted(stage: SlurmStage, job: JobSpec, text: str) -> Callable[[], bool]:
    def claim() -> bool:
        return text in _events(stage, job)

    return claim


def _slurm_id(stage: SlurmStage, job: JobSpec) -> str:
    return str(places.read_record(places.submission(_place(stage, job)))["job"])


def _place(stage: SlurmStage, job: JobSpec) -> TaskPlace:
    return TaskPlace(stage.folder / "jobs", job.job_id, job.attempt, "worker-0")


def _of_flavor(job: JobSpec, flavor_id: str) -> JobSpec:
    return replace(job, resources=Resources(flavor_id))


def test_a_job_that_was_being_submitted_when_the_emulator_died_is_found_and_not_submitted_again(
    stage: SlurmStage, slurm: SlurmCluster
) -> None:
    """The record of its submission is missing, as if the emulator had been killed right after sbatch."""
    job = _start(stage, stage.job("a line", FOREVER, (0,), 1, ""))
    slurm_id = _slurm_id(stage, job)
    places.submission(_place(stage, job)).unlink()
    stage.renew()
    stage.wait_for(lambda: reports_of(stage.executor, job.job_id) and places.submission(_place(stage, job)).exists())
    stage.executor.submit(job)

    assert _slurm_id(stage, job) == slurm_id
    assert slurm.run("squeue", "--noheader", f"--name={job_name(job.job_id, 0)}", "--format=%i").split() == [slurm_id]


def test_an_attempt_that_was_submitted_twice_runs_once(stage: SlurmStage, slurm: SlurmCluster) -> None:
    job = _start(stage, stage.job("a line", 2, (0,), 1, ""))
    script = request.batch_script(job, stage.folder / "jobs", stage.folder / "again.log", sys.executable)
    slurm.run("sbatch", "--wait", "--parsable", "--mem=64M", "--output=/dev/null", text=script)
    (report,) = ended(stage, job)

    assert report.exit_code == 0
    assert log_of(stage.executor, job.job_id).count("a line\n") == 1


def test_a_job_that_slurm_does_not_take_ends_with_the_reason(stage: SlurmStage) -> None:
    job = _of_flavor(stage.job("a line", 1, (0,), 1, ""), "nowhere")
    stage.executor.submit(job)
    (report,) = ended(stage, job)

    assert (report.exit_code, report.started_at) == (1, None)
    assert report.message is not None
    assert report.message.startswith("Slurm does not take the job: ")
    assert "invalid partition specified: nowhere" in report.message


def test_a_job_for_which_no_node_is_free_says_why_it_waits_and_can_be_stopped(
    stage: SlurmStage, slurm: SlurmCluster
) -> None:
    nodes = ",".join(slurm.nodes)
    slurm.run("scontrol", "update", f"nodename={nodes}", "state=drain", "reason=a test")
    try:
        job, other = stage.job("a line", 0.1, (0,), 1, ""), stage.job("a line", 0.1, (0,), 1, "")
        for waiting in (job, other):
            stage.executor.submit(waiting)
        stage.wait_for(_is_noted(stage, job, "the nodes that it needs are down, drained or reserved"))
        assert [report.state for report in reports_of(stage.executor, job.job_id)] == ["queued"]
        stage.executor.cancel(other.job_id)
        (stopped,) = ended(stage, other)
    finally:
        slurm.run("scontrol", "update", f"nodename={nodes}", "state=resume")
    (report,) = ended(stage, job)

    assert (stopped.exit_code, stopped.message, stopped.started_at) == (143, "stopped before it started", None)
    assert report.exit_code == 0


def test_a_job_waits_while_slurm_does_not_respond(stage: SlurmStage, slurm: SlurmCluster) -> None:
    slurm.stop_controller()
    try:
        job = stage.job("a line", 0.1, (0,), 1, "")
        stage.executor.submit(job)
        stage.wait_for(_is_noted(stage, job, "The job waits, because Slurm does not respond: "))
    finally:
        slurm.start_controller()
    (report,) = ended(stage, job)

    assert report.exit_code == 0
    assert log_of(stage.executor, job.job_id).count("a line\n") == 1


def test_a_job_that_slurm_preempts_is_reported_as_preempted(stage: SlurmStage, slurm: SlurmCluster) -> None:
    job = _start(stage, stage.job("a line", FOREVER, (0,), 2, ""))
    urgent = slurm.run(
        "sbatch", "--parsable", "--partition=urgent", "--nodes=3", "--exclusive", "--output=/dev/null", "--wrap=true"
    )
    reports = ended(stage, job)

    assert [(report.exit_code, report.failure) for report in reports] == [(143, "preempted")] * 2
    assert reports[0].message == "it was preempted by a job with a higher priority"
    slurm.run("scancel", urgent.strip())


def test_a_job_that_slurm_requeues_is_preempted_and_does_not_run_again(stage: SlurmStage, slurm: SlurmCluster) -> None:
    """Its next run is another attempt, if the emulator decides on one."""
    job = _start(stage, stage.job("a line", FOREVER, (0,), 1, ""))
    slurm_id = _slurm_id(stage, job)
    slurm.run("scontrol", "update", f"jobid={slurm_id}", "requeue=1")
    slurm.run("scontrol", "requeue", slurm_id)
    (report,) = ended(stage, job)
    shown = ["squeue", "--noheader", "--states=all", f"--jobs={slurm_id}", "--format=%T"]
    stage.wait_for(lambda: slurm.run(*shown).strip() in ("CANCELLED", "COMPLETED"))

    assert (report.exit_code, report.failure) == (143, "preempted")
    assert log_of(stage.executor, job.job_id).count("a line\n") == 1


def test_a_job_that_is_cancelled_at_slurm_says_so(stage: SlurmStage, slurm: SlurmCluster) -> None:
    job = _start(stage, stage.job("a line", FOREVER, (0,), 1, ""))
    slurm.run("scancel", _slurm_id(stage, job))
    (report,) = ended(stage, job)

    assert (report.exit_code, report.failure, report.message) == (143, None, "it was cancelled at Slurm")


def test_a_job_that_was_deleted_before_its_submission_was_known_ends(stage: SlurmStage, slurm: SlurmCluster) -> None:
    """Slurm may have taken it while it did not respond: nobody knows its id there, and it ends by itself."""
    job = _start(stage, stage.job("a line", FOREVER, (0,), 1, ""))
    slurm_id = _slurm_id(stage, job)
    (stage.folder / "jobs" / ".records" / job.job_id).rename(stage.folder / "deleted")

    stage.wait_for(lambda: not slurm.run("squeue", "--noheader", "--states=RUNNING", f"--jobs={slurm_id}").strip())


def test_only_jobs_that_are_there_are_looked_at(stage: SlurmStage) -> None:
    """One that was deleted while it waited for Slurm is not, nor one of the time before another front end took over."""
    executor, job = stage.executor, stage.job("a line", FOREVER, (0,), 1, "")
    assert isinstance(executor, SlurmExecutor)
    with executor._lock:
        executor._begin_attempt(job)
    executor.delayed((job.job_id, 0), SlurmUnavailableError("timed out"))
    assert executor.send(("deleted", 0)) is None
    executor.rejected(("deleted", 0), SlurmRejectedError("invalid partition"))

    assert executor.changed_jobs() == {job.job_id}
    executor.forget()
    assert executor.changed_jobs() == set()


def test_a_lost_node_ends_the_job_and_its_next_attempt_runs_elsewhere(stage: SlurmStage, slurm: SlurmCluster) -> None:
    job = _start(stage, stage.job("a line", FOREVER, (0, 0), 2, ""))
    claims = [
        places.read_claim(place) for place in TaskPlace(stage.folder / "jobs", job.job_id, 0, "worker-0").tasks(2)
    ]
    assert claims[1] is not None
    slurm.lose_node(claims[1].node)
    try:
        first, second = ended(stage, job)
        again = stage.attempt(job, 1)
        _start(stage, again)
        last = [places.read_claim(place) for place in _place(stage, again).tasks(2)]
        stage.executor.cancel(job.job_id)
        ended(stage, job)
    finally:
        slurm.start_node(claims[1].node)

    assert (second.exit_code, second.failure) == (137, "node_lost")
    assert first.failure is None
    assert claims[1].node not in [claim.node for claim in last if claim is not None]
    slurm.wait_until_idle()


def test_the_queue_is_read_once_per_interval_however_many_jobs_wait(stage: SlurmStage, slurm: SlurmCluster) -> None:
    slurm.run("scontrol", "update", "partitionname=main", "state=down")
    try:
        jobs = [stage.job("a line", 0.1, (0,), 1, "") for _ in range(20)]
        for job in jobs:
            stage.executor.submit(job)
        stage.wait_for(_is_noted(stage, jobs[-1], "its partition is down"))
        executor = stage.executor
        assert isinstance(executor, SlurmExecutor)
        before, began_at = executor.status_calls, time.monotonic()
        stage.wait_for(lambda: executor.changed_jobs() is None or executor.status_calls >= before + 2)
        elapsed_s = time.monotonic() - began_at
    finally:
        slurm.run("scontrol", "update", "partitionname=main", "state=up")

    assert elapsed_s > 1


def test_the_node_of_a_batch_script_that_lacks_the_folder_is_named_as_the_reason(
    stage: SlurmStage, slurm: SlurmCluster
) -> None:
    script = request.batch_script(stage.job("", 1, (0,), 1, ""), Path("/no/such"), Path("/no/such/log"), sys.executable)
    job = stage.job("a line", 1, (0,), 1, "")
    place = _place(stage, job)
    place.folder.mkdir(parents=True)
    command = ["sbatch", "--parsable", "--wait", "--mem=64M", "--output=/dev/null"]
    with pytest.raises(AssertionError):
        slurm.run(*command, text=script)
    newest = slurm.run("squeue", "--noheader", "--states=FAILED", "--sort=-i", "--format=%i").split()[0]
    conclude([place], ask_for_end("FAILED", "", newest), newest)

    end = read_exit(place)
    assert end is not None
    assert (end.exit_code, end.started_at) == (1, None)
    assert "let all nodes share both folders" in (end.message or "")


def test_what_a_flavor_is_at_slurm_is_asked_for(stage: SlurmStage, slurm: SlurmCluster) -> None:
    assert SlurmFlavor(partition="short").options(Resources("x", 2, 64 << 20)) == [
        "--partition=short",
        "--cpus-per-task=2",
        "--mem=64M",
    ]
    job = _of_flavor(stage.job("a line", FOREVER, (0,), 1, ""), "short")
    _start(stage, job)
    shown = slurm.run("scontrol", "show", "job", "--oneliner", _slurm_id(stage, job))

    assert "Partition=short" in shown
    assert "NumCPUs=2" in shown


def test_a_bucket_that_a_node_does_not_reach_is_named_with_the_node(
    slurm: SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ACCESS_KEY", "SECRET_KEY"):
        monkeypatch.setenv(f"MODELARTS_EMULATOR_OBJECTS_{name}", "key")
    stage = SlurmStage(tmp_path, f"s3://bucket/prefix?endpoint=http://127.0.0.1:{free_ports(1)[0]}")
    job = stage.job("a line", 1, (0,), 1, "")
    stage.executor.submit(job)
    (report,) = ended(stage, job)
    stage.close()

    assert (report.exit_code, report.started_at) == (1, None)
    assert (report.message or "").startswith("node node")
    assert "code directory: cannot fetch /data/code/: " in (report.message or "")
