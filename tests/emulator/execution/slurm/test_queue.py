"""Slurm's queue as squeue prints it."""

from __future__ import annotations

import pytest

from modelarts_emulator.execution.slurm.queue import QueuedJob, parse_queue, pause_s
from modelarts_emulator.execution.slurm.reasons import describe_wait

PREFIX = "modelarts-0a1b2c3d-"
QUEUE = """\
modelarts-0a1b2c3d-c7-0|17|RUNNING|4294901758|main|None
modelarts-0a1b2c3d-c7-1|18|PENDING|4294901757|main|Nodes required for job are DOWN, DRAINED or reserved | a|b
modelarts-ffffffff-c8-0|20|RUNNING|1|main|None
wrap|19|RUNNING|1|main|None
"""


def test_attempts_are_found_by_their_names_and_jobs_of_others_are_left_out() -> None:
    """Another folder's jobs have another prefix."""
    found = parse_queue(QUEUE, PREFIX)

    assert set(found) == {f"{PREFIX}c7-0", f"{PREFIX}c7-1"}
    assert found[f"{PREFIX}c7-0"] == QueuedJob("17", "RUNNING", "4294901758", "main", "None")
    assert found[f"{PREFIX}c7-1"].stage == "waiting"
    assert found[f"{PREFIX}c7-1"].reason.endswith("| a|b")


def test_of_two_submissions_of_an_attempt_the_one_that_runs_counts() -> None:
    lines = [
        f"{PREFIX}a-0|{number}|{state}|1|p|None" for number, state in ((4, "PENDING"), (5, "RUNNING"), (3, "FAILED"))
    ]

    assert parse_queue("\n".join(lines), PREFIX)[f"{PREFIX}a-0"].slurm_id == "5"
    assert parse_queue("\n".join(lines[::2]), PREFIX)[f"{PREFIX}a-0"].slurm_id == "4"
    ended = [line.replace("PENDING", "FAILED") for line in lines[::2]]
    assert parse_queue("\n".join(ended), PREFIX)[f"{PREFIX}a-0"].slurm_id == "4"


def test_every_state_is_a_stage() -> None:
    stages = {
        state: QueuedJob("1", state, "", "", "").stage
        for state in ("CONFIGURING", "COMPLETING", "SUSPENDED", "OUT_OF_MEMORY", "REQUEUE_HOLD")
    }

    assert stages == {
        "CONFIGURING": "waiting",
        "COMPLETING": "running",
        "SUSPENDED": "running",
        "OUT_OF_MEMORY": "ended",
        "REQUEUE_HOLD": "waiting",
    }


def test_slurm_is_asked_less_often_if_that_takes_long() -> None:
    assert [pause_s(1.0, took_s) for took_s in (0.05, 0.2, 2.0)] == [0.95, 1.8, 18.0]


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("AssocGrpCpuLimit", "its account has reached a limit (AssocGrpCpuLimit)"),
        ("QOSMaxJobsPerUserLimit", "its quality of service has reached a limit (QOSMaxJobsPerUserLimit)"),
        ("PartitionConfig", "its partition has no node that is as large, or as many of them (PartitionConfig)"),
        ("Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
         "the nodes that it needs are down, drained or reserved (ReqNodeNotAvail)"),
        ("SomethingNew", "Slurm's reason is SomethingNew"),
    ],
)  # fmt: skip
def test_why_a_job_waits_is_said_in_words_and_with_slurm_s_own(reason: str, sentence: str) -> None:
    """The same reason is said in one way, however Slurm says it: two events of it would be two reasons."""
    assert describe_wait(reason) == sentence
