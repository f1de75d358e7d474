"""Slurm's commands: what jobs ask of sbatch, how commands fail, and the queue as squeue prints it."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.container import inherited
from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.execution.slurm.ends import WORDS

COMMANDS = ("sbatch", "scancel", "squeue")
TIMEOUT_S = 60.0
"""Longer than Slurm's commands wait for a controller that does not respond."""

# What Slurm says of a request that it never takes, as sbatch and slurm_strerror(3) have it. Anything else may pass: a
# full disk of the controller, a partition in maintenance, a text of another version of Slurm.
_FINAL = re.compile("|".join(WORDS["final"]), re.IGNORECASE)
_LIMIT = re.compile(r"\b(?:Assoc|QOS)\w*Submit\w*Limit\b")
"""Limits of an account or a quality of service to how many jobs may be there at once, as Slurm names them."""
_SEPARATOR = "|"
_FORMAT = _SEPARATOR.join(("%j", "%i", "%T", "%Q", "%P", "%N", "%r"))


class SlurmError(Exception):
    """A command of Slurm failed; the message is what it said."""


class SlurmUnavailableError(SlurmError):
    """Slurm does not respond, or takes no job at the moment; the request may or may not have been carried out."""


class SlurmDelayError(SlurmError):
    """Slurm does not take this job now, and may take it, or others, at any time; the message says why."""


class SlurmRejectedError(SlurmError):
    """Slurm rejects the request; to repeat it does not help."""


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

    Raises SlurmUnavailableError or SlurmDelayError if that may be repeated, else SlurmRejectedError.
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
        raise SlurmDelayError(f"a limit at Slurm is reached: {limit[0]}")
    said = _message(command[0], done.stderr) or f"{command[0]} ended with exit code {done.returncode}"
    if any(text in done.stderr for text in WORDS["unavailable"]):
        raise SlurmUnavailableError(said)
    raise SlurmRejectedError(said) if _FINAL.search(done.stderr) else SlurmDelayError(f"Slurm does not take it: {said}")


def _message(command: str, text: str) -> str:
    """The lines of an error without the command's prefix, in one line."""
    lines = (line.removeprefix(f"{command}: ") for line in text.splitlines())
    return "; ".join(filter(None, (line.removeprefix("error: ").removeprefix("fatal: ").strip() for line in lines)))


class QueuedJob(NamedTuple):
    """A job as Slurm shows it."""

    slurm_id: str
    state: str
    priority: str
    partition: str
    nodes: str
    """Those that it has, or had; empty as long as it waits."""
    reason: str

    @property
    def stage(self) -> Literal["waiting", "running", "ended"]:
        """Where the job is, by what its state means."""
        found: Literal["waiting", "running", "ended"] = WORDS["states"].get(self.state, "running")
        return found


def read_queue(prefix: str) -> dict[str, QueuedJob]:
    """The user's jobs whose names begin so, by name; of two under one name the one that runs, or waits.

    Raises SlurmError.
    """
    text = run("squeue", "--noheader", "--me", "--states=all", f"--format={_FORMAT}")
    found: dict[str, QueuedJob] = {}
    for line in text.splitlines():
        name, *values = line.split(_SEPARATOR, 6)
        if len(values) == 6 and name.startswith(prefix):
            # Thousands of waiting jobs have the same state and reason: each text is kept in memory once.
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


MAX_PRIORITY = 3
NICE_PER_PRIORITY = 100
TIME_RESERVE_MINUTES = 2
"""By how much Slurm's time limit is later than the job's own, at which the emulator stops the job."""
_OWN_OPTIONS = frozenset({
    "array", "chdir", "error", "input", "job-name", "nice", "no-requeue", "nodes", "ntasks", "ntasks-per-node",
    "open-mode", "output", "parsable", "requeue", "test-only", "time", "wait", "wrap",
})  # fmt: skip
"""What the emulator itself says of every job."""


@dataclass(frozen=True, slots=True)
class SlurmFlavor:
    """What a flavor is at Slurm, as the member `slurm` of the catalogue's flavor says.

    `options` are words of sbatch, which stand after those that ask for the flavor's cores, memory and cards; `prolog`
    is run by the shell of the first node before the tasks begin.
    """

    options: tuple[str, ...] = ()
    prolog: str = ""


def read_flavors(flavors: Mapping[str, Mapping[str, Any]]) -> dict[str, SlurmFlavor]:
    """Of every flavor of a catalogue what it is at Slurm; raises EmulatorError for an option of the emulator's own."""
    found: dict[str, SlurmFlavor] = {}
    for flavor_id, flavor in flavors.items():
        member = flavor.get("slurm", {})
        found[flavor_id] = SlurmFlavor(tuple(member.get("options", [])), member.get("prolog", ""))
        for option in found[flavor_id].options:
            if option[2:].partition("=")[0] in _OWN_OPTIONS:
                where = f"flavor {flavor_id}: slurm.options has {option!r}"
                raise EmulatorError(f"{where}, which the emulator sets itself: remove it")
    return found


def sbatch_command(name: str, job: JobSpec, flavor: SlurmFlavor, log: Path) -> list[str]:
    """The command that submits the job's attempt under this name; the batch script is its input."""
    command = [
        "sbatch",
        "--parsable",
        f"--job-name={name}",
        f"--comment={job.name}",
        f"--nodes={job.node_count}",
        f"--ntasks={job.node_count}",
        "--ntasks-per-node=1",
        # A restart is another attempt, with records of its own, and not the same one again.
        "--no-requeue",
        "--chdir=/",
        f"--output={str(log).replace('%', '%%')}",  # sbatch replaces words that begin with %
        "--open-mode=append",
        f"--nice={NICE_PER_PRIORITY * (MAX_PRIORITY - job.priority)}",
    ]
    if job.max_duration_s is not None:
        command.append(f"--time={math.ceil(job.max_duration_s / 60) + TIME_RESERVE_MINUTES}")
    return [*command, *_resources(job.resources), *flavor.options]


def _resources(resources: Resources) -> Sequence[str]:
    """The options that ask for one such node."""
    options = [f"--cpus-per-task={math.ceil(resources.cpu_cores or 1)}"]
    if resources.memory_bytes:
        options.append(f"--mem={math.ceil(resources.memory_bytes / 2**20)}M")
    counts = {"gpu": resources.gpu_count, "npu": resources.npu_count}
    if cards := [f"{name}:{count}" for name, count in counts.items() if count]:
        options.append(f"--gres={','.join(cards)}")
    return options


def batch_script(job: JobSpec, jobs_dir: Path, python: str, prolog: str = "") -> str:
    """The script that runs a controller on each node of the allocation.

    The controller of a job with one node takes the place of the script, which saves a step of Slurm. Of several, none
    continues without the others: srun ends all as soon as one has ended in another way than by itself.
    """
    controller = [python, "-m", f"{__package__}.controller", str(jobs_dir), job.job_id, str(job.attempt)]
    lines = ["#!/bin/sh", *([prolog] if prolog else [])]
    if job.node_count > 1:
        lines += [
            'MODELARTS_NODES=$(sinfo --noheader --Node --nodes="$SLURM_JOB_NODELIST" --format="%N=%o") || exit 1',
            'MODELARTS_HOSTS=$(scontrol show hostnames "$SLURM_JOB_NODELIST") || exit 1',
            "export MODELARTS_NODES MODELARTS_HOSTS",
            f"set -- --nodes={job.node_count} --ntasks={job.node_count} --ntasks-per-node=1 --kill-on-bad-exit=1",
            'exec srun "$@" --cpus-per-task="$SLURM_CPUS_PER_TASK" --cpu-bind=none --mpi=none '
            + shlex.join(controller),
        ]
    else:
        lines.append(f"exec {shlex.join(controller)}")
    return "\n".join([*lines, ""])
