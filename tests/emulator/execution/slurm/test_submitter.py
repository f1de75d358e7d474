"""Attempts are given to Slurm once, and again only after they were looked for."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable

import pytest

from modelarts_emulator.execution.slurm.commands import SlurmError, SlurmRejectedError, SlurmUnavailableError
from modelarts_emulator.execution.slurm.queue import Attempt, QueueReader
from modelarts_emulator.execution.slurm.submitter import Submitter

A: Attempt = ("a", 0)
FULL = "its records cannot be written: No space left on device"


class Slurm:
    """What becomes of submissions: an id, or the errors that are raised before."""

    def __init__(self, *errors: SlurmError) -> None:
        self.errors = list(errors)
        self.is_disk_full = False
        self.calls: list[tuple[str, object]] = []
        self.changed = threading.Condition()

    def send(self, attempt: Attempt) -> str | None:
        self._add("send", attempt)
        if self.errors:
            raise self.errors.pop(0)
        return "17"

    def sent(self, attempt: Attempt, slurm_id: str) -> None:
        self._add("sent", slurm_id)
        self._record()

    def rejected(self, attempt: Attempt, error: SlurmError) -> None:
        self._add("rejected", str(error))
        self._record()

    def delayed(self, attempt: Attempt, error: SlurmError) -> None:
        self._add("delayed", str(error))
        self._record()

    def _record(self) -> None:
        """Write the record, which fails for lack of space until an attempt was delayed twice."""
        if self.is_disk_full:
            self.is_disk_full = ("delayed", FULL) not in self.calls[:-1]
            raise OSError(errno.ENOSPC, "No space left on device")

    def _add(self, what: str, value: object) -> None:
        with self.changed:
            self.calls.append((what, value))
            self.changed.notify_all()

    def wait_for(self, claim: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(claim, 10), self.calls


@pytest.mark.parametrize(
    ("shown", "calls"), [("", ["send", "sent"]), ("modelarts-a-0|9|RUNNING|1|1|n|p|None", ["sent"])]
)
def test_an_attempt_that_may_be_there_is_looked_for_first(shown: str, calls: list[str]) -> None:
    slurm, queue = Slurm(), QueueReader(0.01, lambda: shown)
    submitter = Submitter(slurm, queue)
    submitter.add(A, may_be_there=True)
    slurm.wait_for(lambda: len(slurm.calls) == len(calls))
    submitter.close()
    queue.close()

    assert [what for what, _ in slurm.calls] == calls
    assert slurm.calls[-1] == ("sent", "9" if shown else "17")


def test_an_attempt_that_slurm_did_not_respond_to_is_looked_for_and_submitted_again() -> None:
    slurm, queue = Slurm(SlurmUnavailableError("timed out")), QueueReader(0.01, lambda: "")
    submitter = Submitter(slurm, queue)
    submitter.add(A, may_be_there=False)
    slurm.wait_for(lambda: ("sent", "17") in slurm.calls)
    submitter.close()
    queue.close()

    assert slurm.calls == [("send", A), ("delayed", "timed out"), ("send", A), ("sent", "17")]


def test_an_attempt_that_slurm_did_not_respond_to_is_known_until_it_is_repeated() -> None:
    """Slurm may have it, so that who withdraws it must be told so at any moment."""
    slurm, queue = Slurm(SlurmUnavailableError("timed out")), QueueReader(0.01, lambda: "")
    found: list[str] = []

    def timer() -> float:
        if slurm.calls and not found:
            found.append(submitter.withdraw(A))
        return time.monotonic()

    submitter = Submitter(slurm, queue, timer)
    submitter.add(A, may_be_there=False)
    slurm.wait_for(lambda: ("delayed", "timed out") in slurm.calls)
    submitter.close()
    queue.close()

    assert found == ["being submitted"]


def test_a_rejected_attempt_is_not_repeated() -> None:
    slurm, queue = Slurm(SlurmRejectedError("invalid partition")), QueueReader(0.01, lambda: "")
    submitter = Submitter(slurm, queue)
    submitter.add(A, may_be_there=False)
    slurm.wait_for(lambda: len(slurm.calls) == 2)
    submitter.close()
    queue.close()

    assert slurm.calls == [("send", A), ("rejected", "invalid partition")]


@pytest.mark.parametrize("last", [("sent", "17"), ("rejected", "invalid partition")])
def test_an_attempt_waits_until_its_records_can_be_written(
    last: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a job that Slurm took is not given up, and others are submitted afterwards."""
    monkeypatch.setattr("modelarts_emulator.execution.slurm.submitter.FIRST_PAUSE_S", 0.01)
    slurm, queue = Slurm(), QueueReader(0.01, lambda: "")
    slurm.is_disk_full = True
    slurm.errors = [SlurmRejectedError("invalid partition") for _ in range(3) if last[0] == "rejected"]
    submitter = Submitter(slurm, queue)
    submitter.add(A, may_be_there=False)
    slurm.wait_for(lambda: slurm.calls.count(last) == 3)
    submitter.add(("b", 0), may_be_there=False)
    slurm.wait_for(lambda: slurm.calls[-1] == ("sent", "17") and ("send", ("b", 0)) in slurm.calls)
    submitter.close()
    queue.close()

    assert slurm.calls[:9] == [("send", A), last, ("delayed", FULL)] * 2 + [("send", A), last, ("send", ("b", 0))]


def test_an_attempt_that_waits_can_be_withdrawn() -> None:
    slurm, queue = Slurm(), QueueReader(0.01, lambda: (_ for _ in ()).throw(SlurmUnavailableError("down")))
    submitter = Submitter(slurm, queue)
    submitter.add(A, may_be_there=True)

    assert submitter.withdraw(A) == "possibly submitted"
    assert submitter.withdraw(A) == "not submitted"
    submitter.close()
    queue.close()
    assert slurm.calls == []
