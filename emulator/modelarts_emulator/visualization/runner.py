"""Runs the tools of visualization jobs, and writes how far the jobs are; the engine's supervisor calls it.

The database says which jobs are active. A tool without an active job is ended; an active job without a tool gets one.
So jobs that were active when the emulator ended, or was killed, continue when it starts again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.runs import ACTIVE
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import AccountStore
from modelarts_emulator.visualization import jobs
from modelarts_emulator.visualization.jobs import VisualizationJob
from modelarts_emulator.visualization.tools import FailedTool, Tool, ToolState

log = logging.getLogger(__name__)


class VisualizationRunner:
    """Moves every visualization job through its phases; `clock` is in seconds since 1970.

    `start_tool` starts a tool that shows what lies in a bucket below a prefix; it may use a folder below `folder`. At
    most `capacity` tools run at once: the other jobs wait in Pending. `store_of` gives the store as the account of a
    project sees it.
    """

    def __init__(
        self,
        database: Database,
        store_of: Callable[[str], AccountStore],
        start_tool: Callable[[AccountStore, str, str, Path], Tool],
        folder: Path,
        clock: Callable[[], float],
        capacity: int,
    ) -> None:
        self._database = database
        self._store_of = store_of
        self._start_tool = start_tool
        self._folder = folder
        self._clock = clock
        self._capacity = capacity
        self._tools: dict[int, Tool] = {}
        self._states: Mapping[int, ToolState] = {}
        self._must_look = True
        self.next_deadline: int | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing happens until a request changes a job."""
        return not self._tools and self.next_deadline is None and not self._must_look

    def url(self, job: VisualizationJob) -> str:
        """Where the job's tool serves; empty while it does not."""
        if job.phase != "Running":
            return ""
        # After a crash the row still names the tool of the process that was killed.
        if self._database.leadership.is_leader:
            return self._states[job.id].url if job.id in self._states else ""
        return job.url

    def step(self, is_woken: bool = True) -> bool:
        """Do what there is to do now; whether that changed any job.

        Unless the runner `is_woken`, no request has changed anything since the last step.
        """
        now = round(self._clock() * 1000)
        is_late = self.next_deadline is not None and self.next_deadline <= now
        if not (is_woken or self._must_look or is_late or self._states != self._look()):
            return False
        self._must_look = True
        with self._database.reading() as connection:
            found = jobs.active(connection)
        self._close(self._tools.keys() - {job.id for job in found})
        self._start_tools(found)
        self._states = self._look()
        after = {job: self._next(job, now) for job in found}
        has_changed = self._save({job: changed for job, changed in after.items() if job != changed})
        self.next_deadline = self._next_deadline(list(after.values()))
        self._must_look = has_changed
        return has_changed

    def drop_cached_state(self) -> None:
        """End all tools, whose jobs stay active: another process may be the leader now, or may have been."""
        self._close(set(self._tools))
        self._must_look = True

    close = drop_cached_state

    def _look(self) -> dict[int, ToolState]:
        return {job_id: tool.look() for job_id, tool in self._tools.items()}

    def _close(self, job_ids: set[int]) -> None:
        for tool in [self._tools.pop(job_id) for job_id in job_ids if job_id in self._tools]:
            tool.close()

    def _start_tools(self, found: Sequence[VisualizationJob]) -> None:
        """Give every job a tool that needs one, as long as there is room."""
        for job in found:
            if job.id not in self._tools and job.phase != "Terminating" and len(self._tools) < self._capacity:
                bucket, key = parse_obs_url(job.train_url)
                try:
                    store = self._store_of(job.project_id)
                    store.head_bucket(bucket)
                    prefix, folder = f"{key.rstrip('/')}/" if key else "", self._folder / str(job.id)
                    self._tools[job.id] = self._start_tool(store, bucket, prefix, folder)
                except (OSError, StoreError) as error:
                    self._tools[job.id] = FailedTool(f"{job.tool} could not be started: {error}")

    def _next(self, job: VisualizationJob, now: int) -> VisualizationJob:
        """The job as it is now, by what its tool says; asks the tool to stop where the job is to end."""
        tool, state = self._tools.get(job.id), self._states.get(job.id)
        if job.phase == "Terminating":
            if tool is not None and state is not None and state.phase != "ended":
                tool.stop()
                return job
            return job.ended("Terminated", now)
        if job.deadline is not None and now >= job.deadline:
            return job.ended("Completed", job.deadline)
        if state is None:
            return replace(job, phase="Running" if job.phase == "Running" else "Pending", url="")
        if state.phase == "ended":
            log.warning("visualization job %s failed: %s", job.name, state.error)
            return job.ended("Failed", now, state.error)
        if state.phase == "serving":
            return replace(job, phase="Running", start_time=job.start_time or now, url=state.url)
        return replace(job, url="")

    def _save(self, changes: Mapping[VisualizationJob, VisualizationJob]) -> bool:
        """Store the jobs that changed, except those that a request has changed meanwhile; end tools of ended jobs."""
        if not changes:
            return False
        with self._database.writing_as_leader() as connection:
            stored = set(jobs.active(connection))
            for before, after in changes.items():
                if before in stored:
                    jobs.save(connection, after)
        self._close({after.id for after in changes.values() if after.phase not in ACTIVE})
        return True

    def _next_deadline(self, found: Sequence[VisualizationJob]) -> int | None:
        """When jobs change by the clock alone, in milliseconds since 1970; None if none will."""
        deadlines = [job.deadline for job in found if job.phase in ACTIVE and job.deadline is not None]
        changes = [round(moment * 1000) for tool in self._tools.values() if (moment := tool.next_change()) is not None]
        return min((*deadlines, *changes), default=None)
