"""Runs the tools of visualization jobs, and writes how far the jobs are; the engine's supervisor calls it.

A tool is a TensorBoard process. A simulated tool has no process, and serves and ends at once.
The database says which jobs are active: a process without an active job is ended, an active job without a process gets
one. So jobs that were active when the emulator ended, or was killed, continue when it starts again.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.runs import ACTIVE
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import AccountStore
from modelarts_emulator.visualization import jobs
from modelarts_emulator.visualization.jobs import VisualizationJob
from modelarts_emulator.visualization.tensorboard import TensorBoard, TensorBoardError

log = logging.getLogger(__name__)

MAX_PROCESSES = 8  # each takes about 100 MB
SIMULATED_HOST = "visualization.invalid"  # RFC 6761: a name that no machine ever has


@dataclass(slots=True)
class VisualizationRunner:
    """Moves every visualization job through its phases; `clock` is in seconds since 1970.

    `store_of` gives the store as the account of a project sees it; processes may use folders below `folder`. At most
    `capacity` run at once: the other jobs wait in Pending.
    """

    database: Database
    store_of: Callable[[str], AccountStore]
    folder: Path
    clock: Callable[[], float]
    is_simulated: bool
    capacity: int = MAX_PROCESSES
    next_deadline: int | None = None
    _processes: dict[int, TensorBoard] = field(default_factory=dict, init=False)
    _must_look: bool = field(default=True, init=False)

    @property
    def is_idle(self) -> bool:
        """Whether nothing happens until a request changes a job."""
        return not self._processes and self.next_deadline is None and not self._must_look

    def step(self, is_woken: bool = True) -> bool:
        """Do what there is to do now; whether that changed any job.

        Unless the runner `is_woken`, no request has changed anything since the last step.
        """
        now = round(self.clock() * 1000)
        is_late = self.next_deadline is not None and self.next_deadline <= now
        if not (is_woken or self._must_look or is_late or self._processes):
            return False
        self._must_look = True
        with self.database.reading() as connection:
            found = jobs.active(connection)
        self._close(self._processes.keys() - {job.id for job in found})
        after = {job: self._next(job, now) for job in found}
        has_changed = self._save({job: changed for job, changed in after.items() if job != changed})
        deadlines = [job.deadline for job in after.values() if job.phase in ACTIVE and job.deadline is not None]
        self.next_deadline = min(deadlines, default=None)
        self._must_look = has_changed
        return has_changed

    def drop_cached_state(self) -> None:
        """End all processes, whose jobs stay active: another process may be the leader now, or may have been."""
        self._close(set(self._processes))
        self._must_look = True

    close = drop_cached_state

    def _close(self, job_ids: set[int]) -> None:
        for process in [self._processes.pop(job_id) for job_id in job_ids if job_id in self._processes]:
            process.close()

    def _next(self, job: VisualizationJob, now: int) -> VisualizationJob:
        """The job as it is now."""
        if job.phase == "Terminating":
            return job.ended("Terminated", now)
        if job.deadline is not None and now >= job.deadline:
            return job.ended("Completed", job.deadline)
        if self.is_simulated:
            return job.serving(now, job.url or f"https://{SIMULATED_HOST}/{secrets.token_hex(16)}/")
        if job.id not in self._processes and len(self._processes) >= self.capacity:
            return replace(job, phase="Pending" if job.phase == "Creating" else job.phase, url="")
        try:
            url = self._process(job).url()
        except (OSError, StoreError, TensorBoardError) as error:
            reason = str(error) if isinstance(error, TensorBoardError) else f"{job.tool} could not be started: {error}"
            log.warning("visualization job %s failed: %s", job.name, reason)
            return job.ended("Failed", now, reason)
        return job.serving(now, url) if url else replace(job, url="")

    def _process(self, job: VisualizationJob) -> TensorBoard:
        """The job's process, which is started if there is none."""
        if job.id not in self._processes:
            bucket, key = parse_obs_url(job.train_url)
            logs = self.store_of(job.project_id).local_folder(bucket, f"{key.rstrip('/')}/" if key else "")
            self._processes[job.id] = TensorBoard(logs, self.folder / str(job.id))
        return self._processes[job.id]

    def _save(self, changes: Mapping[VisualizationJob, VisualizationJob]) -> bool:
        """Store the jobs that changed, except those that a request has changed meanwhile.

        Tools are ended first: nobody sees a job that has ended and still responds.
        """
        if not changes:
            return False
        self._close({after.id for after in changes.values() if after.phase not in ACTIVE})
        with self.database.writing_as_leader() as connection:
            stored = set(jobs.active(connection))
            for before, after in changes.items():
                if before in stored:
                    jobs.save(connection, after)
        return True
