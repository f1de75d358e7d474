"""Slurm's commands: how they are run, what they say when they fail, and the queue as squeue prints it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from modelarts_emulator.execution.container import inherited
from modelarts_emulator.http.errors import EmulatorError

__all__ = [
    "COMMANDS",
    "QueuedJob",
    "SlurmError",
    "SlurmLimitError",
    "SlurmRejectedError",
    "SlurmUnavailableError",
    "check_installed",
    "environment",
    "pause_s",
    "read_queue",
    "run",
]

COMMANDS = ("sbatch", "scancel", "squeue")
TIMEOUT_S = 60.0
"""Longer than Slurm's commands wait for a controller that does not respond."""

# What Slurm says of a controller that does not respond, or that cannot take more at this moment; slurm_strerror(3).
_TEMPORARY = (
    "Unable to contact slurm controller",
    "Socket timed out",
    "Zero Bytes were transmitted",
    "Transport endpoint is not connected",
    "Connection refused",
    "Connection timed out",
    "Communication connection failure",
    "Unexpected message received",
    "temporarily unable to accept job",
    "Slurm backup controller in standby mode",
    "Protocol authentication error",
    "Munge encode failed",
    "Resource temporarily unavailable",
    "configuration source",
)
_LIMIT = re.compile(r"\b(?:Assoc|QOS)\w*Submit\w*Limit\b")
"""Limits of an account or a quality of service to how many jobs may be there at once, as Slurm names them."""
_SEPARATOR = "|"
_FORMAT = _SEPARATOR.join(("%j", "%i", "%T", "%Q", "%P", "%r"))
_WAITING = frozenset(
    {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
)
_ENDED = frozenset({
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",
    "TIMEOUT",
})  # fmt: skip


class SlurmError(Exception):
    """A command of Slurm failed; the message is what it said."""


class SlurmUnavailableError(SlurmError):
    """Slurm cannot be asked now, or has no room for any job now; whether it did what it was asked is not known."""


class SlurmLimitError(SlurmError):
    """Slurm takes no more jobs of this account now; the message is the name of the limit."""


class SlurmRejectedError(SlurmError):
    """Slurm does not do this, however often it is asked."""


def check_installed() -> None:
    """Raise EmulatorError unless this machine has Slurm's commands."""
    missing = [name for name in COMMANDS if shutil.which(name) is None]
    if missing:
        raise EmulatorError(
            f"--executor slurm needs Slurm's commands, and there is no {', '.join(missing)} on the PATH:"
            " install them (Debian: apt-get install slurm-client) and let SLURM_CONF name the cluster's slurm.conf"
        )


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of a command: those that programs need, and where the cluster is.

    Without those that say what jobs ask for, such as SBATCH_PARTITION. The language stays the emulator's: jobs inherit
    it, and Slurm has no translations.
    """
    own = {name: environ[name] for name in ("SLURM_CONF", "SLURM_CONF_SERVER") if name in environ}
    return inherited(environ) | own


def run(*command: str, text: str = "", variables: Mapping[str, str] | None = None) -> str:
    """Run a command with this text as its input, and with more variables; returns what it prints.

    Raises SlurmUnavailableError or SlurmLimitError if that may be repeated, else SlurmRejectedError.
    """
    try:
        done = subprocess.run(  # noqa: S603 - one of COMMANDS, found on the PATH
            command,
            input=text,
            capture_output=True,
            text=True,
            errors="backslashreplace",
            env=environment(os.environ) | dict(variables or {}),
            cwd="/",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SlurmUnavailableError(f"{command[0]} did not end within {TIMEOUT_S:g} s") from error
    except OSError as error:
        raise SlurmUnavailableError(f"{command[0]} cannot be started: {error.strerror}") from error
    if done.returncode == 0:
        return done.stdout
    if limit := _LIMIT.search(done.stderr):
        raise SlurmLimitError(limit[0])
    said = _message(command[0], done.stderr) or f"{command[0]} ended with exit code {done.returncode}"
    raise (SlurmUnavailableError if any(text in done.stderr for text in _TEMPORARY) else SlurmRejectedError)(said)


def _message(command: str, text: str) -> str:
    """The lines of an error without the command's prefix, in one line."""
    prefixes: Sequence[str] = (f"{command}: error: ", f"{command}: fatal: ", f"{command}: ")
    lines = []
    for line in text.splitlines():
        prefix = next((prefix for prefix in prefixes if line.startswith(prefix)), "")
        lines.append(line.removeprefix(prefix).strip())
    return "; ".join(filter(None, lines))


class QueuedJob(NamedTuple):
    """A job as Slurm shows it."""

    slurm_id: str
    state: str
    priority: str
    partition: str
    reason: str

    @property
    def stage(self) -> Literal["waiting", "running", "ended"]:
        """Where the job is, by what its state means."""
        return "waiting" if self.state in _WAITING else "ended" if self.state in _ENDED else "running"


def read_queue(prefix: str) -> dict[str, QueuedJob]:
    """The user's jobs whose names begin so, by name; of two under one name the one that runs, or waits.

    Raises SlurmError.
    """
    text = run("squeue", "--noheader", "--me", "--states=all", f"--format={_FORMAT}")
    found: dict[str, QueuedJob] = {}
    for line in text.splitlines():
        name, *values = line.split(_SEPARATOR, 5)
        if len(values) == 5 and name.startswith(prefix):
            # Of ten thousand jobs that wait, all but the first two say the same: it is kept once.
            job = QueuedJob(values[0], *map(sys.intern, values[1:]))
            if name not in found or _rank(job) < _rank(found[name]):
                found[name] = job
    return found


def _rank(job: QueuedJob) -> tuple[int, int]:
    number = int(job.slurm_id) if job.slurm_id.isdecimal() else 0
    stage = ("running", "waiting", "ended").index(job.stage)
    return stage, -number if job.stage == "ended" else number


def pause_s(interval_s: float, took_s: float) -> float:
    """The seconds from the end of a reading that took so long to the next one.

    Reading a long queue keeps Slurm busy, so that it is left alone for nine times as long.
    """
    return max(interval_s - took_s, 9 * took_s)
