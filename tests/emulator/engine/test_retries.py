"""What failed for one job is tried again ever less often, and for a limited time."""

from __future__ import annotations

import errno
import sqlite3

import pytest
from sqlalchemy.exc import OperationalError

from modelarts_emulator.engine.retries import FIRST_DELAY_S, GIVE_UP_S, LONGEST_DELAY_S, Retries, is_transient
from modelarts_emulator.storage.errors import NoSuchBucket, ServiceUnavailable


class Timer:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_delays_double_up_to_five_seconds() -> None:
    """From a tenth of a second on; a success begins anew."""
    timer = Timer()
    retries = Retries(timer)
    delays = []
    for _ in range(8):
        retries.failed("j", ValueError())
        assert not retries.is_due("j")
        before = timer.now
        while not retries.is_due("j"):
            timer.now += 0.05
        delays.append(round(timer.now - before, 1))

    assert (FIRST_DELAY_S, LONGEST_DELAY_S) == (0.1, 5)
    assert delays == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert retries.is_due("another")
    retries.succeeded("j")
    assert not retries.jobs


@pytest.mark.parametrize(("seconds", "is_given_up"), [(59.9, False), (60.0, True)])
def test_a_job_is_given_up_after_a_minute_with_its_last_error(seconds: float, is_given_up: bool) -> None:
    """Counted from the first failure of a row."""
    timer = Timer()
    retries = Retries(timer)
    retries.failed("j", ValueError("first"))
    timer.now += seconds
    retries.failed("j", ValueError("last"))

    assert GIVE_UP_S == 60
    error = retries.exhausted("j")
    assert (str(error) == "last") == is_given_up
    assert retries.exhausted("another") is None


@pytest.mark.parametrize(
    ("error", "is_of_the_machine"),
    [
        (OSError(errno.ENOSPC, ""), True),
        (OSError(errno.EMFILE, ""), True),
        (OSError(errno.ENOENT, ""), False),
        (OperationalError("", None, sqlite3.OperationalError("database is locked")), True),
        (ServiceUnavailable("busy"), True),
        (NoSuchBucket("gone"), False),
        (ValueError(), False),
    ],
)
def test_what_the_machine_lacks_gives_up_no_job(error: Exception, is_of_the_machine: bool) -> None:
    """However long it lasts."""
    timer = Timer()
    retries = Retries(timer)
    retries.failed("j", error)
    timer.now += 1e6

    assert is_transient(error) == is_of_the_machine
    assert (retries.exhausted("j") is None) == is_of_the_machine


def test_an_outage_of_the_machine_does_not_count_towards_giving_up() -> None:
    """The minute begins with the first error that is the job's own."""
    timer = Timer()
    retries = Retries(timer)
    retries.failed("j", OSError(errno.ENOSPC, ""))
    timer.now += 150
    retries.failed("j", ValueError("first"))
    assert retries.exhausted("j") is None

    timer.now += 59.9
    retries.failed("j", OSError(errno.ENOSPC, ""))
    retries.failed("j", ValueError("last"))
    assert retries.exhausted("j") is None
    timer.now += 0.1
    assert str(retries.exhausted("j")) == "last"
