"""The supervisor of visualization jobs: starts and stops their tools, and writes how far the jobs are.

The rows in the database say which jobs are active; a tool without such a row is ended, and an active job without a tool
gets one. So jobs that were active when the emulator ended, however it ended, go on when it serves again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.exc import OperationalError

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.leadership import LeadershipLost
from modelarts_emulator.engine.runs import ACTIVE
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.visualization import jobs
from modelarts_emulator.visualization.jobs import VisualizationJob
from modelarts_emulator.visualization.tool import StartTool, Tool, ToolState

__all__ = ["VisualizationSupervisor"]

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.2  # between two looks at the tools
RETRY_INTERVAL_S = 1.0  # between two steps, after one that failed


class VisualizationSupervisor:
    """Moves every visualization job through its phases; `clock` is in seconds since 1970.

    `start_tool` starts a job's tool, of which at most `capacity` run at once: the other jobs wait in Pending. Each tool
    may use a folder of its own below `folder`. No tool runs while another process is the leader.
    `account_of` gives the id of a project's account; no tool starts on a bucket of another one.
    """

    def __init__(
        self,
        database: Database,
        store: Store,
        start_tool: StartTool,
        folder: Path,
        clock: Callable[[], float],
        capacity: int,
        account_of: Callable[[str], str] = lambda _project_id: "",
    ) -> None:
        self._database = database
        self._store = store
        self._start_tool = start_tool
        self._folder = folder
        self._clock = clock
        self._capacity = capacity
        self._leadership = database.leadership
        self._account_of = account_of
        self._tools: dict[int, Tool] = {}
        self._states: dict[int, ToolState] = {}
        self._deadlines: list[float] = []
        self._wake = asyncio.Event()
        self._turn = asyncio.Lock()
        self._is_finished = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def url(self, job: VisualizationJob) -> str:
        """Where the job's tool serves; empty while it does not."""
        if job.phase != "Running":
            return ""
        # After a crash the row still names the tool of the process that was killed.
        if self._leadership.is_leader:
            return self._states[job.id].url if job.id in self._states else ""
        return job.url

    def wake(self) -> None:
        """Look at the jobs now: one was stored, changed or removed. May be called from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake.set)

    def finish(self) -> None:
        """Let `run` return."""
        self._is_finished = True
        self.wake()

    async def run(self) -> None:
        """Work until `finish` is called, then end all tools; their jobs stay active."""
        self._loop = asyncio.get_running_loop()
        try:
            while not self._is_finished:
                self._wake.clear()
                if not self._leadership.is_leader:
                    await self._end_tools(set())
                    await self._wake.wait()
                    continue
                try:
                    await self.step()
                except (OperationalError, LeadershipLost):  # the supervisor of training jobs says what is wrong
                    await asyncio.sleep(RETRY_INTERVAL_S)
                    continue
                except Exception:
                    log.exception("the visualization jobs could not be looked at; it will be tried again")
                    await asyncio.sleep(RETRY_INTERVAL_S)
                    continue
                await self._wait_for_change()
        finally:
            await asyncio.to_thread(_close, list(self._tools.values()))
            self._tools.clear()

    async def settle(self) -> None:
        """Work until nothing changes by itself at the present moment."""
        while await self.step():
            pass

    def next_deadline(self) -> float | None:
        """The next moment, in seconds since 1970, at which a job changes by the clock; None if none will."""
        return min(self._deadlines, default=None)

    async def step(self) -> bool:
        """Do what there is to do now; whether that changed any job."""
        async with self._turn:
            found = await asyncio.to_thread(self._active)
            await self._end_tools({job.id for job in found})
            await self._start_tools(found)
            self._states = await asyncio.to_thread(_look, dict(self._tools))
            now_ms = round(self._clock() * 1000)
            changes = [(job, self._next(job, now_ms)) for job in found]
            over = await asyncio.to_thread(
                self._store_changes, [change for change in changes if change[0] != change[1]]
            )
            self._deadlines = self._moments([job for _, job in changes if job.phase in ACTIVE])
            await asyncio.to_thread(_close, over)
            return any(before != after for before, after in changes)

    def _active(self) -> list[VisualizationJob]:
        with self._database.reading() as connection:
            return jobs.active(connection)

    async def _wait_for_change(self) -> None:
        """Wait until a request or the clock changes a job, or a tool has something new to say."""
        while self._tools:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), POLL_INTERVAL_S)
                return
            async with self._turn:
                if any(moment <= self._clock() for moment in self._deadlines):
                    return
                if self._states != await asyncio.to_thread(_look, dict(self._tools)):
                    return
            if self._leadership.is_shared:
                return
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), POLL_INTERVAL_S if self._leadership.is_shared else None)

    async def _end_tools(self, wanted: set[int]) -> None:
        """End the tools of jobs that are no longer active, such as deleted ones."""
        if over := [self._tools.pop(job_id) for job_id in self._tools.keys() - wanted]:
            await asyncio.to_thread(_close, over)

    async def _start_tools(self, found: list[VisualizationJob]) -> None:
        """Give every job a tool that needs one, as long as there is room."""
        for job in found:
            if job.id not in self._tools and job.phase != "Terminating" and len(self._tools) < self._capacity:
                bucket, key = parse_obs_url(job.train_url)
                prefix = f"{key.rstrip('/')}/" if key else ""
                folder = self._folder / str(job.id)
                try:
                    known = await asyncio.to_thread(self._store.head_bucket, bucket)
                    known.check_owner(self._account_of(job.project_id))
                    self._tools[job.id] = await asyncio.to_thread(self._start_tool, self._store, bucket, prefix, folder)
                except (OSError, StoreError) as error:
                    self._tools[job.id] = _FailedTool(f"{job.tool} could not be started: {error}")

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
            return job.serving_at("") if job.phase == "Running" else job.waiting()
        if state.phase == "ended":
            log.warning("visualization job %s failed: %s", job.name, state.error)
            return job.ended("Failed", now, state.error)
        return job.running(now).serving_at(state.url) if state.phase == "serving" else job.serving_at("")

    def _store_changes(self, changes: list[tuple[VisualizationJob, VisualizationJob]]) -> list[Tool]:
        """Store the jobs that changed, but those that a request has changed or removed meanwhile.

        Returns the tools of those that have ended, which are to be closed.
        """
        if not changes:
            return []
        over = []
        with self._database.writing_as_leader() as connection:
            for before, after in changes:
                if jobs.find(connection, before.project_id, before.id) == before:
                    jobs.save(connection, after)
                    over += [after.id] if after.phase not in ACTIVE else []
        return [self._tools.pop(job_id) for job_id in over if job_id in self._tools]

    def _moments(self, found: list[VisualizationJob]) -> list[float]:
        """When jobs change by the clock alone, in seconds since 1970."""
        deadlines = [job.deadline / 1000 for job in found if job.deadline is not None]
        changes = [tool.next_change() for tool in self._tools.values()]
        return [*deadlines, *(moment for moment in changes if moment is not None)]


class _FailedTool:
    """A tool that could not be started."""

    def __init__(self, error: str) -> None:
        self._error = error

    def look(self) -> ToolState:
        return ToolState("ended", error=self._error)

    def stop(self) -> None:
        pass

    def next_change(self) -> float | None:
        return None

    def close(self) -> None:
        pass


def _look(tools: dict[int, Tool]) -> dict[int, ToolState]:
    return {job_id: tool.look() for job_id, tool in tools.items()}


def _close(tools: list[Tool]) -> None:
    for tool in tools:
        tool.close()
