"""What a job asks of Slurm: the words of its sbatch command, and the batch script."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.protocol import JobSpec, Resources
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["SlurmFlavor", "batch_script", "read_flavors", "sbatch_command"]

MAX_PRIORITY = 3
NICE_PER_PRIORITY = 100
TIME_RESERVE_MINUTES = 2
"""By how much Slurm's time limit is later than the job's own, at which the emulator stops the job."""
_OPTION = re.compile(r"--([a-z][a-z-]*)(=.+)?", re.DOTALL)
_OWN_OPTIONS = frozenset({
    "array", "chdir", "error", "input", "job-name", "nice", "no-requeue", "nodes", "ntasks", "ntasks-per-node",
    "open-mode", "output", "parsable", "requeue", "test-only", "time", "wait", "wrap",
})  # fmt: skip
"""What the emulator itself says of every job."""


@dataclass(frozen=True, slots=True)
class SlurmFlavor:
    """What a flavor is at Slurm, as the member `slurm` of the catalogue's flavor says.

    `options` are words of sbatch, which stand after those that ask for the flavor's cores, memory and GPUs; `prolog` is
    run by the shell of the first node before the tasks begin.
    """

    options: tuple[str, ...] = ()
    prolog: str = ""

    @classmethod
    def read(cls, where: str, given: Mapping[str, Any]) -> SlurmFlavor:
        """The member `slurm`; raises EmulatorError that names the place if it is not one."""
        for name in given:
            if name not in ("options", "prolog"):
                raise EmulatorError(f"{where}: slurm has the unknown member {name}; known are: options, prolog")
        options, prolog = given.get("options", []), given.get("prolog", "")
        if not isinstance(prolog, str):
            raise EmulatorError(f"{where}: slurm.prolog must be a text, not {prolog!r}")
        if not isinstance(options, list):
            raise EmulatorError(f'{where}: slurm.options must be a list like ["--partition=gpu"], not {options!r}')
        for option in options:
            match = _OPTION.fullmatch(option) if isinstance(option, str) else None
            if match is None:
                raise EmulatorError(f'{where}: slurm.options has {option!r}: write it like "--partition=gpu"')
            if match[1] in _OWN_OPTIONS:
                raise EmulatorError(f"{where}: slurm.options has {option!r}, which the emulator sets itself: remove it")
        return cls(tuple(options), prolog)


def read_flavors(flavors: Mapping[str, Mapping[str, Any]]) -> dict[str, SlurmFlavor]:
    """Of every flavor of a catalogue what it is at Slurm; raises EmulatorError for a wrong member `slurm`."""
    return {
        flavor_id: SlurmFlavor.read(f"flavor {flavor_id}", flavor.get("slurm", {}))
        for flavor_id, flavor in flavors.items()
    }


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
        f"--output={_literal(log)}",
        "--open-mode=append",
        f"--nice={NICE_PER_PRIORITY * (MAX_PRIORITY - job.priority)}",
    ]
    if job.max_duration_s is not None:
        command.append(f"--time={math.ceil(job.max_duration_s / 60) + TIME_RESERVE_MINUTES}")
    return [*command, *_resources(job.resources), *flavor.options]


def _literal(path: Path) -> str:
    """The path as sbatch takes it without replacing parts of it."""
    return str(path).replace("%", "%%")


def _resources(resources: Resources) -> Sequence[str]:
    """The options that ask for one such node."""
    options = [f"--cpus-per-task={math.ceil(resources.cpu_cores or 1)}"]
    if resources.memory_bytes:
        options.append(f"--mem={math.ceil(resources.memory_bytes / 2**20)}M")
    if resources.gpu_count:
        options.append(f"--gres=gpu:{resources.gpu_count}")
    return options


def batch_script(job: JobSpec, jobs_dir: Path, python: str, prolog: str = "") -> str:
    """The script that runs a controller on each node of the allocation.

    The controller of a job with one node takes the place of the script, which saves a step of Slurm. Of several, none
    goes on without the others: srun ends all as soon as one has ended in another way than by itself.
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
