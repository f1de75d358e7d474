"""A schedule: the moment at which each job is due, with the earliest first."""

from __future__ import annotations

import heapq

__all__ = ["Schedule"]


class Schedule:
    """One moment per job, in any unit; setting, discarding and taking cost O(log n)."""

    def __init__(self) -> None:
        self._moments: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def __bool__(self) -> bool:
        return bool(self._moments)

    def set(self, job_id: str, moment: float) -> None:
        """Make the job due at this moment instead of any other."""
        if self._moments.get(job_id) != moment:
            self._moments[job_id] = moment
            heapq.heappush(self._heap, (moment, job_id))

    def discard(self, job_id: str) -> None:
        """Forget the job, if it is known."""
        self._moments.pop(job_id, None)

    def next(self) -> float | None:
        """The earliest moment, or None if there is none."""
        while self._heap:
            moment, job_id = self._heap[0]
            if self._moments.get(job_id) == moment:
                return moment
            heapq.heappop(self._heap)  # it was discarded, or given another moment
        return None

    def take(self, now: float) -> list[str]:
        """Forget the jobs that are due by now, and return them in the order of their moments."""
        due = []
        while (moment := self.next()) is not None and moment <= now:
            _, job_id = heapq.heappop(self._heap)
            del self._moments[job_id]
            due.append(job_id)
        return due
