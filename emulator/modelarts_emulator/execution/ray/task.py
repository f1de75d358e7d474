"""The process of a task on a node of Ray: the controller of one machine, which reads in records what it is to do.

The actor that starts it holds its standard input. When that ends, the actor or its node is lost, and nothing of the
task may remain: it may run elsewhere soon.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.local import process_tree, records
from modelarts_emulator.execution.local.controller import Controller, run_task
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import KILLED

__all__ = ["main"]

INTERVAL_S = 0.2
"""Between two looks at the records."""


class RayController(Controller):
    """A controller that delivers and records nothing once its task is given up: the task may run elsewhere soon."""

    def __init__(self, place: TaskPlace, spec: dict[str, Any], hosts: Sequence[str]) -> None:
        super().__init__(place, spec, hosts)
        self.is_given_up = threading.Event()

    def record(self, end: records.Exit) -> None:
        """Write the exit record; raises OSError as `Controller.record`."""
        self._stop_if_given_up()
        super().record(end)

    def _execute(self) -> tuple[int, str | None]:
        found = super()._execute()
        self._stop_if_given_up()
        return found

    def _stop_if_given_up(self) -> None:
        while self.is_given_up.is_set():  # until this process ends
            time.sleep(INTERVAL_S)


class Watch:
    """Lets the controller know what its records ask of it; ends it when its actor has ended or the job was deleted."""

    def __init__(self, place: TaskPlace, controller: RayController) -> None:
        self._place = place
        self._controller = controller
        self._seen: set[object] = set()

    def run(self) -> None:
        """Look until this process ends."""
        stdin = select.poll()
        stdin.register(sys.stdin.fileno(), select.POLLIN)
        while not stdin.poll(INTERVAL_S * 1000) and self._place.spec.exists():
            kind = records.read_failure(self._place)
            if kind == "node_lost":
                break
            if kind is not None:  # first: a task that is stopped because it hangs ends as hung
                self._signal(kind, signal.SIGTERM if kind == "preempted" else signal.SIGUSR1)
            if self._place.stop.exists():
                self._signal("stop", signal.SIGTERM)
        self._controller.is_given_up.set()
        process_tree.kill_all(process_tree.own_descendants)
        os._exit(KILLED)

    def _signal(self, what: object, number: signal.Signals) -> None:
        """Send this process a signal, once for everything that it is asked."""
        if what not in self._seen:
            self._seen.add(what)
            os.kill(os.getpid(), number)


def main(arguments: list[str]) -> int:
    """Run the task that is named, on these hosts, unless another controller has claimed it; 0 if it was recorded."""
    jobs, job_id, attempt, task, *hosts = arguments
    place = TaskPlace(Path(jobs), job_id, int(attempt), task)

    def new_controller(place: TaskPlace, spec: dict[str, Any]) -> Controller:
        controller = RayController(place, spec, hosts)
        threading.Thread(target=Watch(place, controller).run, daemon=True).start()
        return controller

    return run_task(place, {}, new_controller)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
