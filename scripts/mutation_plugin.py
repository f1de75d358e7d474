"""A pytest plugin for `mutation.py`: ends tests that do not end by themselves, and spends no time on small examples.

A mutant that loops uses processor time: after CPU_LIMIT_S of one test the process exits with LOOPED.
One that only waits, or a machine that is busy, shows in the time of the clock: after WALL_LIMIT_S, with TIMED_OUT.
Hypothesis does not shrink the examples that it finds, which would take most of the time.
"""

import os
import signal
import sys
from collections.abc import Generator

import pytest
from hypothesis import Phase, settings

CPU_LIMIT_S = 8
WALL_LIMIT_S = 300
LOOPED, TIMED_OUT = 24, 36

settings.register_profile("mutation", phases=[Phase.explicit, Phase.generate], database=None)
settings.load_profile("mutation")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run the test with its fixtures under both limits."""

    def exit_with(status: int, limit: str) -> None:
        print(f"{item.nodeid} took longer than {limit}", file=sys.__stderr__, flush=True)
        os._exit(status)

    signal.signal(signal.SIGPROF, lambda *_: exit_with(LOOPED, f"{CPU_LIMIT_S} s of processor time"))
    signal.signal(signal.SIGALRM, lambda *_: exit_with(TIMED_OUT, f"{WALL_LIMIT_S} s"))
    signal.setitimer(signal.ITIMER_PROF, CPU_LIMIT_S)
    signal.setitimer(signal.ITIMER_REAL, WALL_LIMIT_S)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
