"""The process of a task on a node of Ray, which ends with its actor: that one holds the process's standard input."""

from __future__ import annotations

import select
import sys
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.cluster.controller import INTERVAL_S, ClusterController
from modelarts_emulator.execution.local.controller import Controller, run_task
from modelarts_emulator.execution.local.records import TaskPlace

__all__ = ["main"]


class RayController(ClusterController):
    """A task is also given up when its actor, or its node, is lost: it may run elsewhere soon."""

    def _pause(self) -> bool:
        stdin = select.poll()
        stdin.register(sys.stdin.fileno(), select.POLLIN)
        return bool(stdin.poll(INTERVAL_S * 1000))


def main(arguments: list[str]) -> int:
    """Run the task that is named, on these hosts, unless another controller has claimed it; 0 if it was recorded."""
    jobs, job_id, attempt, task, *hosts = arguments

    def new_controller(place: TaskPlace, spec: dict[str, Any]) -> Controller:
        return RayController(place, spec, hosts)

    return run_task(TaskPlace(Path(jobs), job_id, int(attempt), task), {}, new_controller)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
