"""Plans that were put in place before the jobs they are for."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.simulated.plan import PlanError, check
from modelarts_emulator.storage.files import replace_file

__all__ = ["Plans"]

MAX_PLANS = 1000


class Plans:
    """Plans by patterns of jobs' names (`*`, `?`, `[...]`); of several that fit, a member of the newest counts.

    They are kept in the file `path`, None for in memory only. A job keeps the plan that it started with.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._plans: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        if path is not None and path.exists():
            self._plans = json.loads(path.read_text("utf-8"))

    def add(self, /, **members: Any) -> dict[str, Any]:
        """Put a plan in place: the member `job` is the pattern, the others are the plan's; raises PlanError."""
        pattern = members.get("job", "*")
        if not isinstance(pattern, str) or not pattern:
            raise PlanError('job: give a pattern of names, as "train-*"')
        plan = check({name: value for name, value in members.items() if name != "job"})
        with self._lock:
            if len(self._plans) >= MAX_PLANS:
                raise PlanError(f"there are {MAX_PLANS} plans already: clear them first")
            self._keep([*self._plans, {"job": pattern, **plan}])
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
            self._keep([])

    def _keep(self, plans: Sequence[dict[str, Any]]) -> None:
        if self._path is not None and plans != self._plans:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self._path, json.dumps(plans).encode(), is_durable=False)
        self._plans = list(plans)

    def _copy(self) -> Sequence[dict[str, Any]]:
        with self._lock:
            return [dict(plan) for plan in self._plans]
