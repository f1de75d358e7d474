"""Slurm's commands: how they are run, and what they say when they fail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from modelarts_emulator.execution.container import inherited
from modelarts_emulator.http.errors import EmulatorError

__all__ = [
    "COMMANDS",
    "SlurmError",
    "SlurmLimitError",
    "SlurmRejectedError",
    "SlurmUnavailableError",
    "check_installed",
    "environment",
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
