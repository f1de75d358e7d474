"""Steps of the supervisor: what one of them changes, and how that is stored."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from modelarts_emulator.database.access import Database
from modelarts_emulator.jobs import events, lifecycle, runs
from modelarts_emulator.jobs.events import Event
from modelarts_emulator.jobs.phases import is_terminal
from modelarts_emulator.jobs.reports import clean_text
from modelarts_emulator.jobs.retries import is_transient
from modelarts_emulator.jobs.runs import Run

__all__ = ["Step"]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Step:
    """What one step changes: jobs, events, those of the jobs that came into the queue, and those to be started.

    `given_up` are the jobs that could not be stored, and whose tasks are to be stopped.
    """

    now: int
    changed: dict[str, Run] = field(default_factory=dict)
    told: list[Event] = field(default_factory=list)
    queued: dict[str, Run] = field(default_factory=dict)
    starts: dict[str, Run] = field(default_factory=dict)
    given_up: list[Run] = field(default_factory=list)

    def store(self, database: Database) -> bool:
        """Commit all changes in one transaction; False if that failed and they were committed job by job.

        A job that cannot be stored is given up. Raises errors of the database itself, of which no job is the cause.
        """
        if not self.changed and not self.told:
            return True
        try:
            with database.writing() as writer:
                runs.save(writer, list(self.changed.values()))
                events.add(writer, self.told)
        except Exception as error:
            if is_transient(error):
                raise
            self._store_one_by_one(database)
            return False
        return True

    def _store_one_by_one(self, database: Database) -> None:
        told: dict[str, list[Event]] = {job_id: [] for job_id in self.changed}
        for event in self.told:
            told.setdefault(event.run_id, []).append(event)
        for job_id, of_job in told.items():
            try:
                with database.writing() as writer:
                    runs.save(writer, [self.changed[job_id]] if job_id in self.changed else [])
                    events.add(writer, of_job)
            except Exception as error:
                if is_transient(error):
                    raise
                self._give_up(database, job_id, error)

    def _give_up(self, database: Database, job_id: str, error: Exception) -> None:
        log.error("job %s is given up, because it cannot be stored: %s", job_id, clean_text(error))
        self.starts.pop(job_id, None)
        with database.writing() as writer:
            job = runs.get(writer, job_id)
            if job is not None and not is_terminal(job.phase):
                told = lifecycle.give_up(job, self.now, error)
                runs.save(writer, [job])
                events.add(writer, told)
                self.given_up.append(job)
