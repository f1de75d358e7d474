"""Slurm's queue as squeue prints it, and how often it is asked."""

from __future__ import annotations

import threading

from modelarts_emulator.execution.slurm.commands import SlurmUnavailableError
from modelarts_emulator.execution.slurm.queue import QueuedJob, QueueReader, job_name, parse_queue, pause_s

QUEUE = """\
modelarts-c7-1-0|17|RUNNING|4294901758|1795343322|node1|main|None
modelarts-c7-1-1|18|PENDING|4294901757|N/A||main|Nodes required for job are DOWN, DRAINED or reserved | a|b
wrap|19|RUNNING|1|1795343322|node1|main|None
"""


def test_attempts_are_found_by_their_names_and_jobs_of_others_are_left_out() -> None:
    found = parse_queue(QUEUE)

    assert set(found) == {("c7-1", 0), ("c7-1", 1)}
    assert found["c7-1", 0] == QueuedJob("17", "RUNNING", 4294901758, 1795343322.0, "node1", "main", "None")
    assert (found["c7-1", 1].stage, found["c7-1", 1].start_s) == ("waiting", None)
    assert found["c7-1", 1].reason.endswith("| a|b")
    assert job_name("c7-1", 1) == "modelarts-c7-1-1"


def test_of_two_submissions_of_an_attempt_the_one_that_runs_counts() -> None:
    lines = [
        f"modelarts-a-0|{number}|{state}|1|1|n|p|None"
        for number, state in ((4, "PENDING"), (5, "RUNNING"), (3, "FAILED"))
    ]

    assert parse_queue("\n".join(lines))["a", 0].slurm_id == "5"


def test_every_state_is_a_stage() -> None:
    stages = {
        state: QueuedJob("1", state, 0, None, "", "", "").stage
        for state in ("CONFIGURING", "COMPLETING", "SUSPENDED", "OUT_OF_MEMORY", "REQUEUE_HOLD")
    }

    assert stages == {
        "CONFIGURING": "waiting",
        "COMPLETING": "running",
        "SUSPENDED": "running",
        "OUT_OF_MEMORY": "ended",
        "REQUEUE_HOLD": "waiting",
    }


class Script:
    """What squeue prints, one output after the other; the last one again and again."""

    def __init__(self, *outputs: str | Exception) -> None:
        self._outputs = list(outputs)
        self.calls = threading.Semaphore(0)

    def __call__(self) -> str:
        output = self._outputs.pop(0) if len(self._outputs) > 1 else self._outputs[0]
        self.calls.release()
        if isinstance(output, Exception):
            raise output
        return output

    def wait(self, number: int) -> None:
        for _ in range(number):
            assert self.calls.acquire(timeout=10)


def test_jobs_that_change_are_news_once_and_a_priority_that_changes_is_none() -> None:
    waiting = "modelarts-a-0|4|PENDING|{}|N/A||p|Priority\n"
    script = Script(waiting.format(1), waiting.format(2), "modelarts-a-0|4|RUNNING|2|5|n|p|None\n", "")
    queue = QueueReader(0.01, script)
    queue.ask()
    script.wait(2)
    first = queue.take_news()
    script.wait(4)
    queue.close()

    assert first == {"a"}
    assert queue.take_news() == {"a"}
    assert queue.find(("a", 0)) is None


def test_slurm_is_asked_less_often_if_that_takes_long_but_soon_again_if_it_did_not_respond() -> None:
    assert [pause_s(1.0, took_s, has_failed=False) for took_s in (0.05, 0.2, 2.0)] == [0.95, 1.8, 18.0]
    assert [pause_s(1.0, took_s, has_failed=True) for took_s in (0.05, 10.0)] == [1.0, 1.0]


def test_a_queue_that_cannot_be_read_stays_as_it_was_which_is_news_for_what_waits_in_it() -> None:
    first = "modelarts-a-0|4|PENDING|1|N/A||p|Priority\nmodelarts-b-0|5|RUNNING|1|1|n|p|None\n"
    script = Script(first, SlurmUnavailableError("connect failure"))
    queue = QueueReader(0.05, script)
    queue.ask()
    script.wait(1)
    while not (known := queue.take_news()):
        pass
    script.wait(3)
    queue.close()
    assert known == {"a", "b"}

    assert str(queue.error) == "connect failure"
    assert queue.find(("a", 0)) is not None
    assert queue.take_news() == {"a"}
