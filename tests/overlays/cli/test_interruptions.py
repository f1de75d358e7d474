"""Signals that a command remembers, in a process of its own whose clock is moved by hand."""

import subprocess
import sys

import pytest

PROGRAM = """\
import signal, sys, time
from modelarts_toolkit.cli.interruptions import Interrupted, Interruptions
now = 100.0
time.monotonic = lambda: now
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
def check():
    try:
        interruptions.check()
        print("goes on", flush=True)
    except Interrupted as error:
        print("interrupted", error.status, flush=True)
"""


def run(text: str) -> tuple[int, str]:
    """The exit status of the program, and what it printed."""
    command = [sys.executable, "-c", PROGRAM + text]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_interrupts_once_and_soon_after_it_another_one_counts_for_the_same(number: str, status: int) -> None:
    """Some programs send it twice."""
    text = f"""
with Interruptions() as interruptions:
    check()
    signal.raise_signal(signal.{number})
    now = 101.0
    signal.raise_signal(signal.{number})
    check()
    check()
"""
    assert run(text) == (0, f"goes on\ninterrupted {status}\ngoes on\n")


def test_a_second_signal_later_ends_the_process_at_once() -> None:
    text = """
with Interruptions() as interruptions:
    signal.raise_signal(signal.SIGINT)
    now = 101.1
    signal.raise_signal(signal.SIGTERM)
    check()
"""
    assert run(text) == (143, "Interrupted.\n")


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    """As below nohup."""
    text = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with Interruptions() as interruptions:
    signal.raise_signal(signal.SIGHUP)
    check()
"""
    assert run(text) == (0, "goes on\n")
