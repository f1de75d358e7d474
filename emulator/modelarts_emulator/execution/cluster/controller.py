"""The controller of a task on another machine, which no signal of the emulator reaches: it looks at its records."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Sequence
from typing import Any

from modelarts_emulator.execution.local import process_tree, records
from modelarts_emulator.execution.local.controller import Controller
from modelarts_emulator.execution.local.records import TaskPlace
from modelarts_emulator.execution.protocol import KILLED

__all__ = ["ClusterController"]

INTERVAL_S = 0.2
"""Between two looks at the records."""
BEAT_S, MISSED_BEATS = 10.0, 6
"""Between two signs of life; and after how many of its own, without one of a peer, a controller takes that for lost."""


class ClusterController(Controller):
    """A controller that does what its records ask, and delivers nothing once the task is given up.

    That is so if the job was deleted, or somebody else has written down the end of the task: it may run elsewhere.
    A controller gives signs of life by its claim, and writes down the end of a peer that gives none: not every engine
    notices that a node was started anew. It counts its own signs, so that a folder that does not respond is no silence.
    """

    def __init__(self, place: TaskPlace, spec: dict[str, Any], hosts: Sequence[str]) -> None:
        super().__init__(place, spec, hosts)
        self._is_given_up = threading.Event()
        self._is_recording = False
        self._seen: set[str] = set()
        self._beat_due = time.monotonic() + BEAT_S
        self._silences: dict[TaskPlace, tuple[float, int]] = {}
        threading.Thread(target=self._watch_records, daemon=True).start()

    def record(self, end: records.Exit) -> None:
        """Write the exit record; raises OSError as `Controller.record`."""
        self._wait_if_given_up()
        self._is_recording = True
        super().record(end)

    def _execute(self) -> tuple[int, str | None]:
        found = super()._execute()
        self._wait_if_given_up()
        return found

    def _wait_if_given_up(self) -> None:
        while self._is_given_up.is_set():  # until this process ends
            time.sleep(INTERVAL_S)

    def _watch_records(self) -> None:
        """Look until this process ends."""
        while not self._pause() and not self._has_been_given_up():
            kind = records.read_failure(self._place)
            if kind is not None:  # first: a task that is stopped because it hangs ends as hung
                self._ask(kind, signal.SIGTERM if kind == "preempted" else signal.SIGUSR1)
            if self._place.stop.exists():
                self._ask("stop", signal.SIGTERM)
            if time.monotonic() >= self._beat_due:
                with contextlib.suppress(OSError):
                    self._beat()
                self._beat_due = time.monotonic() + BEAT_S
        self._is_given_up.set()
        process_tree.kill_all(process_tree.own_descendants)
        os._exit(0)

    def _beat(self) -> None:
        """Give a sign of life, and look for those of the peers that run."""
        os.utime(self._place.claim)
        for peer in self._place.tasks(self._container.job.node_count):
            if peer != self._place and peer.claim.exists() and not peer.exit.exists():
                moment = peer.claim.stat().st_mtime
                before, count = self._silences.get(peer, (moment, 0))
                self._silences[peer] = (moment, count + 1 if moment == before else 0)
                if self._silences[peer][1] > MISSED_BEATS:
                    message = f"the node of {peer.task} gives no sign of life; {records.NOT_DELIVERED}"
                    records.write_exit(peer, records.Exit(None, time.time(), KILLED, message, "node_lost"))

    def _pause(self) -> bool:
        """Wait for a moment; whether what has started this process has ended."""
        time.sleep(INTERVAL_S)
        return False

    def _has_been_given_up(self) -> bool:
        try:
            self._place.spec.stat()
        except FileNotFoundError:
            return True
        except OSError:  # the folder does not respond now
            return False
        return self._place.exit.exists() and not self._is_recording

    def _ask(self, what: str, number: signal.Signals) -> None:
        """Send this process a signal, once for everything that it is asked."""
        if what not in self._seen:
            self._seen.add(what)
            os.kill(os.getpid(), number)
