"""What a job asks of Slurm: the words of its sbatch command, and the batch script."""

from __future__ import annotations

import math
import shlex
from pathlib import Path

from modelarts_emulator.execution.protocol import JobSpec
from modelarts_emulator.execution.slurm.flavors import SlurmFlavor
from modelarts_emulator.execution.slurm.queue import job_name

__all__ = ["NOT_SHARED", "batch_script", "sbatch_command"]

NOT_SHARED = 66
"""Exit code of a batch script whose node lacks the emulator's folder or Python."""
MAX_PRIORITY = 3
NICE_PER_PRIORITY = 100
TIME_RESERVE_MINUTES = 2
"""By how much Slurm's time limit is later than the job's own, at which the emulator stops the job."""


def sbatch_command(job: JobSpec, flavor: SlurmFlavor) -> list[str]:
    """The command that submits the job's attempt; the batch script is its input."""
    command = [
        "sbatch",
        "--parsable",
        f"--job-name={job_name(job.job_id, job.attempt)}",
        f"--nodes={job.node_count}",
        f"--ntasks={job.node_count}",
        "--ntasks-per-node=1",
        # A restart is another attempt, with records of its own, and not the same one again.
        "--no-requeue",
        "--chdir=/",
        "--output=/dev/null",
        f"--nice={NICE_PER_PRIORITY * (MAX_PRIORITY - job.priority)}",
        *flavor.options(job.resources),
    ]
    if job.max_duration_s is not None:
        command.append(f"--time={math.ceil(job.max_duration_s / 60) + TIME_RESERVE_MINUTES}")
    return command


def batch_script(job: JobSpec, jobs_dir: Path, log: Path, python: str) -> str:
    """The script that runs a controller on each node of the allocation.

    The controller of a job with one node takes the place of the script, which saves a step of Slurm.
    """
    controller = [python, "-m", f"{__package__}.controller", str(jobs_dir), job.job_id, str(job.attempt)]
    lines = [
        "#!/bin/sh",
        f"[ -d {shlex.quote(str(jobs_dir))} ] && [ -x {shlex.quote(python)} ] || exit {NOT_SHARED}",
        f"exec >>{shlex.quote(str(log))} 2>&1",
    ]
    if job.node_count > 1:
        lines += [
            'MODELARTS_NODES=$(sinfo --noheader --Node --nodes="$SLURM_JOB_NODELIST" --format="%N=%o") || exit 1',
            'MODELARTS_HOSTS=$(scontrol show hostnames "$SLURM_JOB_NODELIST") || exit 1',
            "export MODELARTS_NODES MODELARTS_HOSTS",
            f"set -- --nodes={job.node_count} --ntasks={job.node_count} --ntasks-per-node=1 --kill-on-bad-exit=0",
            'exec srun "$@" --cpus-per-task="$SLURM_CPUS_PER_TASK" --cpu-bind=none --mpi=none '
            + shlex.join(controller),
        ]
    else:
        lines.append(f"exec {shlex.join(controller)}")
    return "\n".join([*lines, ""])
