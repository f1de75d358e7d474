"""The process that owns one task on a node of a Slurm allocation; the batch script starts it, on several nodes by srun.

It does what the controller of one machine does. An allocation takes an attempt as a whole, so that an attempt that was
submitted twice, or that Slurm starts again, runs once.
SIGURG asks it to look at the records; SIGTERM comes from Slurm, which ends the allocation.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.local import json_files, records
from modelarts_emulator.execution.local.controller import FAILED, Controller, run_task
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import STOPPED
from modelarts_emulator.execution.slurm import places

__all__ = ["SlurmController", "main", "node_addresses"]

NODES, HOSTS = "MODELARTS_NODES", "MODELARTS_HOSTS"
"""Variables of the batch script: a line `name=address` for each node, and the names in the order of the tasks."""
_SIGNALS_S = 1.0
"""For how long the processes of a step get Slurm's signal one after the other."""
_PAUSE_S = 0.01


class SlurmController(Controller):
    """One task of an allocation, from its claim to its exit record."""

    def handle_sigterm(self) -> None:
        """End the task because Slurm ends the allocation, unless the service wants it anyway."""
        if not self._is_asked_to_end():
            self._request_stop(places.INTERRUPTED)

    def apply_failure(self) -> None:
        """End the task if the records say so, else apply the failure in its record to its processes."""
        if not self._is_asked_to_end():
            super().apply_failure()

    def _is_asked_to_end(self) -> bool:
        """Begin to end the task if its records say so; whether they do."""
        failure = records.read_failure(self._place)
        if self._place.stop.exists():
            self._failure = failure  # the signal that says so may have come with the one to stop
            self._request_stop("stopped")
        elif failure == "preempted":
            self._request_stop("preempted")
        else:
            return False
        return True

    def run(self) -> records.Exit:
        """Everything; returns how it went, with outputs and log delivered."""
        node = os.environ.get("SLURMD_NODENAME", "")
        self._report_event(f"The task is on node {node}, in job {os.environ.get('SLURM_JOB_ID')} of Slurm.")
        end = super().run()
        if end.started_at is None and end.exit_code == FAILED and end.message:
            return replace(end, message=f"node {node}: {end.message}")
        return end

    def move_aside(self) -> Path | None:
        """Put the container's directories aside, unless the task has got another end: they may be in use again."""
        return None if self._place.exit.exists() else super().move_aside()

    def _watch_peers(self) -> None:
        """End the task, too, if it is to end, or if it was given up or deleted while it ran on."""
        if self._stopping is None and self._is_given_up():
            self._request_stop("stopped because the task has been given up")
        if self._stopping is None:
            self._is_asked_to_end()
        super()._watch_peers()

    def _execute(self) -> tuple[int, str | None]:
        """Run the user's process to its end; if SIGTERM ended it, the controller may get the same signal after it."""
        code, message = super()._execute()
        give_up = time.monotonic() + _SIGNALS_S
        while code == STOPPED and self._stopping is None and time.monotonic() < give_up:
            time.sleep(_PAUSE_S)
            self._handle_signals()
        return code, self._stopping or message

    def _deliver(self, code: int, message: str | None) -> tuple[int, str | None]:
        """Upload the outputs, unless another attempt may be doing so, or nobody wants them."""
        return (code, message) if self._is_given_up() else super()._deliver(code, message)

    def _is_given_up(self) -> bool:
        """Whether the task has got another end, or was deleted; both may be done where its node is not reached."""
        try:
            self._place.spec.stat()
        except FileNotFoundError:
            return True
        except OSError:  # the folder does not respond now
            return False
        return self._place.exit.exists()


def node_addresses(environ: Mapping[str, str]) -> list[str]:
    """The addresses of the allocation's nodes in the order of the tasks; empty for one node."""
    known = dict(line.split("=", 1) for line in environ.get(NODES, "").split() if "=" in line)
    return [known.get(name, name) for name in environ.get(HOSTS, "").split()]


def main(arguments: list[str]) -> int:
    """Run the node's task of the attempt that is named, unless another allocation has it; 0 if all was written down."""
    jobs, job_id, attempt = arguments
    place = TaskPlace(Path(jobs), job_id, int(attempt), f"worker-{os.environ.get('SLURM_PROCID', '0')}")
    allocation = {name: os.environ.get(name, "") for name in ("SLURM_JOB_ID", "SLURM_RESTART_COUNT")}
    try:
        is_first = json_files.write_once(places.allocation(place), allocation)
    except FileNotFoundError:
        return 0  # removed before it began
    if not is_first and json_files.read(places.allocation(place)) != allocation:
        return 0
    claim = {"node": os.environ.get("SLURMD_NODENAME", ""), "time": time.time()}
    hosts = node_addresses(os.environ)

    def new_controller(place: TaskPlace, spec: dict[str, Any]) -> Controller:
        return SlurmController(place, spec, hosts)

    return run_task(place, claim, new_controller, signal.SIGURG)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
