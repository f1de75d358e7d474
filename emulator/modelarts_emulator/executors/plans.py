"""Plans that were put in place before the jobs they are for."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from .plan import PlanError, check

__all__ = ["Plans"]

MOST = 1000


class Plans:
    """Plans by patterns of jobs' names (`*`, `?`, `[...]`); of several that fit, a member of the newest counts.

    They live in memory. A job keeps the plan that it started with.
    """

    def __init__(self) -> None:
        self._plans: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def add(self, /, **members: Any) -> dict[str, Any]:
        """Put a plan in place: the member `job` is the pattern, the others are the plan's; raises PlanError."""
        pattern = members.get("job", "*")
        if not isinstance(pattern, str) or not pattern:
            raise PlanError('job: give a pattern of names, as "train-*"')
        plan = check({name: value for name, value in members.items() if name != "job"})
        with self._lock:
            if len(self._plans) >= MOST:
                raise PlanError(f"there are {MOST} plans already: clear them first")
            self._plans.append({"job": pattern, **plan})
            return dict(self._plans[-1])

    def of(self, name: str) -> list[dict[str, Any]]:
        """The plans for a job of this name, oldest first."""
        return [
            {member: value for member, value in plan.items() if member != "job"}
            for plan in self._copy()
            if fnmatchcase(name, plan["job"])
        ]

    def list(self) -> Sequence[dict[str, Any]]:
        """All plans, oldest first."""
        return self._copy()

    def clear(self) -> None:
        """Forget all plans; jobs that have started keep theirs."""
        with self._lock:
            self._plans.clear()

    def _copy(self) -> Sequence[dict[str, Any]]:
        with self._lock:
            return [dict(plan) for plan in self._plans]
