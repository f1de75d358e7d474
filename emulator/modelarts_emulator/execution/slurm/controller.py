"""The process that owns one task on a node of a Slurm allocation; the batch script starts it, on several nodes by srun.

An allocation takes an attempt as a whole, so that an attempt that was submitted twice, or that Slurm starts again, runs
once. SIGTERM comes from Slurm, which ends the allocation.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from modelarts_emulator.execution.protocol import FAILED, STOPPED
from modelarts_emulator.execution.slurm.ends import INTERRUPTED, allocation
from modelarts_emulator.execution.task import records
from modelarts_emulator.execution.task.controller import Controller, Waker, run_task
from modelarts_emulator.execution.task.records import AttemptSpec, TaskPlace

NODES, HOSTS = "MODELARTS_NODES", "MODELARTS_HOSTS"
"""Variables of the batch script: a line `name=address` for each node, and the names in the order of the tasks."""
_SIGNALS_S = 1.0
"""Seconds within which Slurm signals all processes of a step."""
_PAUSE_S = 0.01


class SlurmController(Controller):
    """One task of an allocation, from its claim to its exit record."""

    interruption: ClassVar[str] = INTERRUPTED

    def __init__(self, place: TaskPlace, spec: AttemptSpec, waker: Waker, hosts: Sequence[str]) -> None:
        job = spec.job
        # Slurm hides no cards from a job that has none: it does not set CUDA_VISIBLE_DEVICES, or unsets it.
        if not (job.resources.gpu_count or job.resources.npu_count or "SLURM_JOB_GPUS" in os.environ):
            job = replace(job, devices=((),) * job.node_count)
        super().__init__(place, AttemptSpec(job, spec.settings), waker, hosts)

    def run(self) -> records.Exit:
        """Everything; returns how it went, with outputs and log delivered."""
        node = os.environ.get("SLURMD_NODENAME", "")
        self._report_event(f"The task is on node {node}, in job {os.environ.get('SLURM_JOB_ID')} of Slurm.")
        end = super().run()
        if end.started_at is None and end.exit_code == FAILED and end.message:
            return replace(end, message=f"node {node}: {end.message}")
        return end

    def _execute(self) -> tuple[int, str | None]:
        """Run the user's process to its end; if SIGTERM ended it, the controller may get the same signal after it."""
        code, message = super()._execute()
        give_up = time.monotonic() + _SIGNALS_S
        while code == STOPPED and self._stopping is None and time.monotonic() < give_up:
            time.sleep(_PAUSE_S)
            self._obey()
        return code, self._stopping or message


def node_addresses(environ: Mapping[str, str]) -> list[str]:
    """The addresses of the allocation's nodes in the order of the tasks; empty for one node."""
    known = dict(line.split("=", 1) for line in environ.get(NODES, "").split() if "=" in line)
    return [known.get(name, name) for name in environ.get(HOSTS, "").split()]


def main(arguments: list[str]) -> int:
    """Run the node's task of the attempt that is named, unless another allocation has it; 0 if all was written down."""
    jobs, job_id, attempt = arguments
    place = TaskPlace(Path(jobs), job_id, int(attempt), f"worker-{os.environ.get('SLURM_PROCID', '0')}")
    mine = {name: os.environ.get(name, "") for name in ("SLURM_JOB_ID", "SLURM_RESTART_COUNT")}
    try:
        if not records.write_once(allocation(place), mine) and records.read(allocation(place)) != mine:
            return 0
    except FileNotFoundError:
        return 0  # removed before it began
    hosts = node_addresses(os.environ)
    claim = {"node": os.environ.get("SLURMD_NODENAME", "")}
    return run_task(place, claim, partial(SlurmController, hosts=hosts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
