"""The runs that have not ended, as the tables have them: a cache, which may be dropped at any time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from modelarts_emulator.jobs import lifecycle
from modelarts_emulator.jobs.phases import is_terminal
from modelarts_emulator.jobs.runs import Run
from modelarts_emulator.jobs.scheduler import Queue, Schedule

__all__ = ["RunCache"]


class RunCache:
    """Unfinished runs, and which of them need attention.

    What it holds of a run follows from the run as it was given last, and from nothing else.
    `nodes` and `max_running` are those of the queue.
    """

    def __init__(self, runs: Iterable[Run], nodes: Mapping[str, int], max_running: int) -> None:
        self.queue = Queue(nodes, max_running)
        self.launched: dict[str, Run] = {}
        self.deadlines = Schedule()
        self._runs: dict[str, Run] = {}
        self._arrivals: dict[str, Run] = {}
        self._unseen: set[str] = set()
        for run in runs:
            self.update(run)

    def get(self, run_id: str) -> Run | None:
        """The run; None if it has ended or was removed."""
        return self._runs.get(run_id)

    def update(self, run: Run) -> None:
        """Take the run as it is now; one that has ended is not kept."""
        self._drop(run.id)
        self.queue.update(run)
        if is_terminal(run.phase):
            return
        self._runs[run.id] = run
        if (moment := lifecycle.deadline(run)) is not None:
            self.deadlines.set(run.id, moment)
        if run.launched:
            self.launched[run.id] = run
            self._unseen.add(run.id)
        elif run.phase != "Pending":
            self._arrivals[run.id] = run

    def remove(self, run_id: str) -> None:
        """The run was removed; its room stays taken until the queue releases it, because its processes may run."""
        self._drop(run_id)
        self.queue.withdraw(run_id)

    def unseen(self) -> set[str]:
        """The launched runs that have changed since this was called last."""
        unseen, self._unseen = self._unseen, set()
        return unseen

    def due(self, now: int) -> list[Run]:
        """The runs that change although no task reports anything, in the order in which they came."""
        moments = [*self._arrivals, *self.deadlines.take(now)]
        return [self._runs[run_id] for run_id in moments if run_id in self._runs]

    def _drop(self, run_id: str) -> None:
        for known in (self._runs, self._arrivals, self.launched):
            known.pop(run_id, None)
        self.deadlines.discard(run_id)
        self._unseen.discard(run_id)
