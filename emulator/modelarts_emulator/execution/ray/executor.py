"""Runs jobs on a Ray cluster whose nodes share the data folder, and the emulator's Python, with this machine.

An attempt is a placement group with a node for each task, and on each node an actor that hosts the task's controller.
Both are detached and named after the attempt, so that the next emulator finds them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.container import INHERITED
from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.cluster import (
    UNREADABLE_SPEC,
    ClusterExecutor,
    end_as_failed,
    end_as_lost,
    printed,
)
from modelarts_emulator.execution.local.recorded_executor import (
    ControllerSettings,
    controller_command,
    controller_environment,
)
from modelarts_emulator.execution.local.records import TaskPlace, have_ended
from modelarts_emulator.execution.protocol import Resources, spec_from_json
from modelarts_emulator.execution.ray.connection import (
    ADDRESS,
    PYTHON,
    Connection,
    RayUnreachableError,
    check_address,
    check_python,
)

INTERVAL_S = 0.1
"""Between two looks at Ray while attempts are there."""
WAIT_S = 1.0
"""For how long an attempt waits before its events say so."""
RETRY_S = 1.0
"""Before a cluster that cannot be reached is tried again."""
SUBMISSIONS_PER_CALL = 200
"""Ray takes these well within the time limit of a response."""


class RayExecutor(ClusterExecutor):
    """The executor of a Ray cluster: jobs below `jobs_dir`, which all nodes see under the same path.

    The cluster is that of `RAY_ADDRESS`, the Python that has Ray that of `MODELARTS_EMULATOR_RAY_PYTHON`, by default
    the emulator's own. Raises EmulatorError if it has no Ray, or the address is none.
    """

    submission_s = 0.0

    def __init__(
        self,
        jobs_dir: Path,
        settings: ControllerSettings,
        interpreter: Callable[[Mapping[str, str] | None], str] = lambda _: sys.executable,
    ) -> None:
        python = os.environ.get(PYTHON) or sys.executable
        address = os.environ.get(ADDRESS, "")
        check_python(python)
        check_address(address)
        super().__init__(jobs_dir, settings, interpreter, "ray")
        self._connection = Connection(python, address)
        # Of the thread alone.
        self._known: set[str] = set()  # by the gateway
        self._waiting_since: dict[str, float] = {}
        self._swept_at = float("-inf")
        self._retry_at = 0.0

    def close(self) -> None:
        """Let go of the cluster; jobs there go on."""
        super().close()
        self._connection.close()

    # The thread

    def _look(self) -> float | None:
        if (delay := self._retry_at - time.monotonic()) > 0:
            return delay
        try:
            is_needed = self._look_at_ray()
        except RayUnreachableError as error:
            with self._lock:
                waiting = [places for places in self._attempts.values() if not places[0].claim.exists()]
            for places in waiting:
                self._add_event(places, f"The job is waiting: {error}.")
            self._retry_at = time.monotonic() + RETRY_S
            return INTERVAL_S
        return INTERVAL_S if is_needed else None

    def _look_at_ray(self) -> bool:
        """Submit attempts, record what Ray reports, and remove those that have ended; False if none is left."""
        with self._lock:
            attempts = dict(self._attempts)
        began_at = time.monotonic()
        ended = [name for name, places in attempts.items() if have_ended(places)]
        looked = {name: places for name, places in attempts.items() if name not in ended} if self._is_supervised else {}
        is_swept = self._swept_at >= self._sweep_until
        if not (looked or ended) and is_swept:
            return False
        look = self._requests(looked)
        response = self._connection.call({"look": look, "remove": ended, "list": not is_swept})
        self._known |= set(look)
        for name in ended:
            with self._lock:
                self._attempts.pop(name, None)
            self._known.discard(name)
            self._waiting_since.pop(name, None)
        for name, found in response["attempts"].items():
            self._take_over(name, looked[name], found)
        if not is_swept:
            self._sweep(response["names"])
            self._swept_at = began_at
        return True

    def _sweep(self, names: Sequence[str]) -> None:
        """Remove the attempts that no job needs any more; the names may include those of other emulators."""
        with self._lock:
            attempts = set(self._attempts)
        gone = [
            name for name in names
            if name.startswith(self._prefix) and name not in attempts and not self._is_wanted(name)
        ]  # fmt: skip
        if gone:
            self._connection.call({"look": {}, "remove": gone, "list": False})
        self._known.difference_update(gone)

    def _requests(self, attempts: Mapping[str, list[TaskPlace]]) -> dict[str, dict[str, Any] | None]:
        """The request for each attempt: None if the gateway knows it. A limited number of new ones is submitted."""
        found: dict[str, dict[str, Any] | None] = {name: None for name in attempts if name in self._known}
        most = len(found) + SUBMISSIONS_PER_CALL
        for name, places in attempts.items():
            if len(found) == most:
                break
            if name not in self._known:
                if (spec := records.read_spec(places[0])) is not None:
                    found[name] = self._request(places, spec)
                else:
                    self._give_up(name, places)
        return found

    def _give_up(self, name: str, places: list[TaskPlace]) -> None:
        """End an attempt that has no specification, unless it was removed meanwhile."""
        with self._lock:
            self._attempts.pop(name, None)
            end_as_failed(places, UNREADABLE_SPEC)

    def _request(self, places: list[TaskPlace], spec: Mapping[str, Any]) -> dict[str, Any]:
        """What Ray is asked for: nodes, and on each of them the controller of a task."""
        tasks = [
            {
                "command": controller_command(place, "--tied"),
                "log": str(place.controller_log),
                "exit": str(place.exit),
                "has_begun": place.claim.exists(),
                "has_ended": place.exit.exists(),
            }
            for place in places
        ]  # fmt: skip
        return {
            "node_count": len(places),
            "resources": _bundle(spec_from_json(spec["job"]).resources),
            "tasks": tasks,
            "environment": controller_environment(),
            "inherited": sorted(INHERITED),
        }

    def _take_over(self, name: str, places: list[TaskPlace], found: Mapping[str, Any]) -> None:
        """Record what Ray reports of an attempt."""
        if found["state"] == "waiting":
            if time.monotonic() > self._waiting_since.setdefault(name, time.monotonic()) + WAIT_S:
                self._add_event(places, f"The job is waiting for resources: {found['reason']}.")
        elif found["state"] == "unknown":
            self._known.discard(name)
        elif found["state"] == "error":
            self._known.discard(name)
            self._add_event(places, f"The job is waiting: Ray rejected it: {found['reason']}")
        for index, outcome in found.get("ends", {}).items():
            place = places[int(index)]
            if place.exit.exists() or not place.spec.exists():
                continue
            if "error" in outcome:
                reason = f"{outcome['error']}; let all nodes share {place.jobs} and {sys.executable}"
                end_as_failed([place], f"the controller cannot be started on its node: {reason}")
            elif outcome.get("lost"):
                end_as_lost(place, f"the node of {place.task}, or its actor, was lost")
            else:
                end_as_lost(place, f"the task's controller process was killed{printed(place)}")


def _bundle(resources: Resources) -> dict[str, float]:
    """What the placement group has for each node."""
    bundle: dict[str, float] = {"CPU": resources.cpu_cores or 1}
    if resources.gpu_count:
        bundle["GPU"] = resources.gpu_count
    if resources.memory_bytes:
        bundle["memory"] = resources.memory_bytes
    return bundle
