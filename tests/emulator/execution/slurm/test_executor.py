"""What the Slurm executor does beside what every executor promises, on a real cluster."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from tests.emulator.execution.stages import SlurmStage
from tests.slurm import CARDS, SlurmCluster
from tests.suites.executor_suite import FOREVER_S, ended, log_of, reports_of, seen_cards

from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.slurm import commands
from modelarts_emulator.execution.slurm.commands import SlurmFlavor
from modelarts_emulator.execution.task.records import TaskPlace, read_claim

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
    return lambda: text in _events(stage, job)


def _slurm_id(stage: SlurmStage, job: JobSpec) -> str:
    """Slurm's number of a job that has begun."""
    return str(json.loads(_place(stage, job).spec.with_name("allocation.json").read_text())["SLURM_JOB_ID"])


def _place(stage: SlurmStage, job: JobSpec) -> TaskPlace:
    return TaskPlace(stage.folder / "jobs", job.job_id, job.attempt, "worker-0")


def test_an_attempt_that_was_submitted_twice_runs_once(stage: SlurmStage, slurm: SlurmCluster) -> None:
    job = _start(stage, stage.job("a line", 2, (0,), 1, ""))
    script = commands.batch_script(job, stage.folder / "jobs", sys.executable)
    slurm.run("sbatch", "--wait", "--parsable", "--mem=64M", "--output=/dev/null", text=script)
    (report,) = ended(stage, job)

    assert report.exit_code == 0
    assert log_of(stage.executor, job.job_id).count("a line\n") == 1


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


class OneNodeStage(SlurmStage):
    """All jobs run on one node; those of a flavor ask for a card by an option of their own."""

    own: ClassVar = ("--mem=64M", "--nodelist=node1")
    flavors: ClassVar = {"": SlurmFlavor(own), "options": SlurmFlavor((*own, "--gres=gpu:1"))}


def test_jobs_share_no_card_of_a_node_and_one_for_which_none_is_free_says_what_it_waits_for(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    with closing(OneNodeStage(tmp_path)) as stage:
        two = _start(stage, stage.with_cards(stage.job("a line", FOREVER_S, (0,), 1, ""), CARDS - 1))
        one = replace(stage.job("a line", FOREVER_S, (0,), 1, ""), resources=Resources("options"))
        _start(stage, one)
        waiting = stage.with_cards(stage.job("a line", 0.1, (0,), 1, ""), CARDS)
        stage.executor.submit(waiting)
        stage.wait_for(_is_noted(stage, waiting, "memory or cards that it needs are in use (Resources)"))
        held = [seen_cards(stage, job) for job in (two, one)]
        for job in (two, one):
            stage.executor.cancel(job.job_id)
        (report,) = ended(stage, waiting)
        found = seen_cards(stage, waiting)

    cards = [str(number) for number in range(CARDS)]
    assert sorted(each for ((own,),) in held for each in own) == cards
    assert (report.exit_code, found) == (0, [[cards]])


def test_a_job_that_slurm_preempts_is_reported_as_preempted(stage: SlurmStage, slurm: SlurmCluster) -> None:
    job = _start(stage, stage.job("a line", FOREVER_S, (0,), 2, ""))
    urgent = slurm.run(
        "sbatch", "--parsable", "--partition=urgent", "--nodes=3", "--exclusive", "--output=/dev/null", "--wrap=true"
    )
    reports = ended(stage, job)

    assert [report.exit_code for report in reports] == [143, 143]
    preempted = [report for report in reports if report.failure == "preempted"]
    assert preempted  # the other task may have ended because this one had
    assert preempted[0].message == "it was preempted by a job with a higher priority"
    slurm.run("scancel", urgent.strip())


def test_a_job_that_slurm_requeues_is_preempted_and_does_not_run_again(stage: SlurmStage, slurm: SlurmCluster) -> None:
    """Its next run is another attempt, if the emulator decides on one."""
    job = _start(stage, stage.job("a line", FOREVER_S, (0,), 1, ""))
    slurm_id = _slurm_id(stage, job)
    slurm.run("scontrol", "update", f"jobid={slurm_id}", "requeue=1")
    slurm.run("scontrol", "requeue", slurm_id)
    (report,) = ended(stage, job)
    shown = ["squeue", "--noheader", "--states=all", f"--jobs={slurm_id}", "--format=%T"]
    stage.wait_for(lambda: slurm.run(*shown).strip() in ("CANCELLED", "COMPLETED"))

    assert (report.exit_code, report.failure) == (143, "preempted")
    assert log_of(stage.executor, job.job_id).count("a line\n") == 1


def test_what_a_node_lacks_is_the_reason_of_a_failure(stage: SlurmStage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket, or the Python, in which case no controller begins."""
    shutil.rmtree(stage.folder / "objects" / "data")
    job = stage.job("a line", 1, (0,), 1, "")
    stage.executor.submit(job)
    (report,) = ended(stage, job)

    assert (report.exit_code, report.started_at) == (1, None)
    assert (report.message or "").startswith("node node")
    assert "code directory: cannot fetch /data/code/: " in (report.message or "")

    job = stage.job("a line", 1, (0,), 1, "")
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    stage.executor.submit(job)
    (report,) = ended(stage, job)

    assert (report.exit_code, report.started_at, report.failure) == (1, None, None)
    assert (report.message or "").startswith("no controller began on its node: ")
    assert "/no/such/python: not found" in (report.message or "")


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_killed_controller_ends_all_tasks_at_once_as_a_lost_node_does(stage: SlurmStage, nodes: int) -> None:
    """The kernel kills it for want of memory, say; its peers do not wait for their own end."""
    job = _start(stage, stage.job("a line", FOREVER_S, (0,), nodes, ""))
    claim = read_claim(_place(stage, job).tasks(nodes)[-1])
    assert claim is not None
    os.kill(claim.pid, signal.SIGKILL)
    reports = ended(stage, job)

    last = f"worker-{nodes - 1}"
    assert [(report.exit_code, report.failure) for report in reports] == [(143, None), (137, "node_lost")][-nodes:]
    assert "controller process was killed" in (reports[-1].message or "")
    assert nodes == 1 or reports[0].message == f"stopped because the controller of {last} was killed"


def test_what_slurm_forgot_is_submitted_again_or_lost(stage: SlurmStage, slurm: SlurmCluster) -> None:
    """Its controller lost its state: of what waits nothing was done; of what ran nobody knows how far it came.

    Slurm counts from 1 again, and no job of somebody else is cancelled because it has the number of one of ours.
    """
    running = _start(stage, stage.job("a line", FOREVER_S, (0,), 1, ""))
    slurm.run("scontrol", "update", "partitionname=main", "state=down")
    waiting = stage.job("another line", 0.1, (0,), 1, "")
    stage.executor.submit(waiting)
    stage.wait_for(_is_noted(stage, waiting, "its partition is down"))
    slurm.lose_state()
    others = slurm.run("sbatch", "--parsable", "--hold", "--wrap=true", "--output=/dev/null", "--array=1-50")
    try:
        (lost,) = ended(stage, running)
        (again,) = ended(stage, waiting)
        stage.executor.delete([running.job_id, waiting.job_id])
        states = slurm.run("squeue", "--noheader", f"--jobs={others.strip()}", "--format=%T").split()
    finally:
        slurm.run("scancel", others.strip())

    assert lost.failure == "node_lost"
    assert "Slurm does not know job" in (lost.message or "")
    assert again.exit_code == 0
    assert set(states) == {"PENDING"}
    slurm.wait_until_idle()


def test_a_task_that_slurm_kills_for_its_memory_says_so(stage: SlurmStage, slurm: SlurmCluster) -> None:
    """The daemon of a node prints why into the log of the job's controllers, and Slurm knows only that it failed."""
    job = _start(stage, stage.job("a line", FOREVER_S, (0,), 1, ""))
    line = "slurmstepd: error: StepId=7.batch exceeded memory limit (350011392 > 268435456), being killed\n"
    with _place(stage, job).controller_log.open("a") as printed:
        printed.write(line)
    claim = read_claim(_place(stage, job))
    assert claim is not None
    os.kill(claim.pid, signal.SIGKILL)
    (report,) = ended(stage, job)

    assert (report.exit_code, report.failure) == (137, "out_of_memory")
    assert (report.message or "").startswith("it used more memory than its flavor has")
