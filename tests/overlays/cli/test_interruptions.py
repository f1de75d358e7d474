"""Signals that a command remembers, in a process of its own whose clock is moved by hand."""

import subprocess
import sys

import pytest

PROGRAM = """\
import signal, time
from signal import SIGHUP, SIGINT, SIGTERM, raise_signal as raise_
from modelarts_toolkit.cli.interruptions import Interrupted, Interruptions
now = 100.0
time.monotonic = lambda: now
signal.signal(SIGHUP, signal.SIG_IGN)
signal.signal(SIGINT, signal.SIG_DFL)
signal.signal(SIGTERM, signal.SIG_DFL)
def check():
    try:
        interruptions.check()
        print("goes on", flush=True)
    except Interrupted as error:
        print("interrupted", error.status, flush=True)
"""


@pytest.mark.parametrize(
    ("steps", "status", "printed"),
    [
        ("check(); raise_(SIGINT); check(); check()", 0, "goes on\ninterrupted 130\ngoes on\n"),
        ("raise_(SIGTERM); check()", 0, "interrupted 143\n"),
        ("raise_(SIGINT); now = 101.0; raise_(SIGINT); check(); check()", 0, "interrupted 130\ngoes on\n"),
        ("raise_(SIGINT); now = 101.1; raise_(SIGTERM); check()", 143, "Interrupted.\n"),
        ("raise_(SIGHUP); check()", 0, "goes on\n"),
    ],
    ids=["once", "SIGTERM", "twice at once", "again later", "ignored as by nohup"],
)
def test_the_first_signal_interrupts_once_and_a_later_one_ends_the_process(
    steps: str, status: int, printed: str
) -> None:
    """Some programs send a signal twice: within a second, the other one counts for the same."""
    program = f"{PROGRAM}\nwith Interruptions() as interruptions:\n    {steps}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)

    assert (done.returncode, done.stdout + done.stderr) == (status, printed)
