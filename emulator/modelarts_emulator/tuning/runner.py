"""Runs searches: makes their trials, reads what these print, and ends a search; the engine's supervisor calls it.

A trial is a run of its own: the supervisor starts, restarts and ends it as any other, and it takes nodes as any other.
The values of a trial depend on earlier results alone, never on which trial is faster. Trial n is proposed when all
trials before it, except the last `CONCURRENT - 1`, have ended, and only from their results. So the same seed gives the
same search. All is read from the tables at each step, and what a step changes is one transaction.
"""

from __future__ import annotations

import copy
import logging
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from modelarts_emulator.engine import events, lifecycle, runs
from modelarts_emulator.engine.database import Database
from modelarts_emulator.engine.events import Event, clean_text
from modelarts_emulator.engine.leadership import LeadershipLost
from modelarts_emulator.engine.logs import Logs, log_name, search_log
from modelarts_emulator.engine.runs import STOPPABLE, Run, is_terminal
from modelarts_emulator.engine.worker import Retries
from modelarts_emulator.execution import staging
from modelarts_emulator.execution.protocol import FAILED, STOPPED, TaskReport, task_names
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.protocol import AccountStore
from modelarts_emulator.tuning import proposals, state
from modelarts_emulator.tuning.state import Search, Trial, text_of

log = logging.getLogger(__name__)

CONCURRENT = 2  # trials that run at once
MAX_REPORTS = 1000  # of one trial that are kept
CHUNK = 1 << 17  # of a log that a step reads
MAX_LINE = 8192  # of which more is not searched
MAX_VALUE = 256
MATCH_TIMEOUT_S = 0.5  # of processor time, for the regular expressions of one chunk


@dataclass(slots=True)
class _Step:
    """One search as it was read, and what becomes of it;"""

    run: Run
    search: Search
    trials: list[Trial]
    runs: Mapping[str, Run]
    events: list[Event] = field(default_factory=list)
    proposal: dict[str, float] | None = None
    is_over: bool = False

    @property
    def is_ending(self) -> bool:
        return self.run.phase == "Terminating" or bool(self.search.failure)

    def note(self, message: str, at: int) -> None:
        self.events.append(Event(self.run.id, at, f"[worker-0] {message}", "Task"))


@dataclass(slots=True)
class SearchRunner:
    """Moves every search on; the joint logs of their trials lie below the folder of `logs`, `log_limit` bytes each.

    `clock` is in seconds since 1970.
    """

    database: Database
    logs: Logs
    store_of: Callable[[str], AccountStore]
    clock: Callable[[], float]
    log_limit: int
    is_idle: bool = False
    next_deadline: int | None = None
    _retries: Retries = field(default_factory=Retries, init=False)

    def drop_cached_state(self) -> None:
        """Look for searches in the next step."""
        self.is_idle = False

    def step(self, is_woken: bool = True) -> bool:
        """Do what there is to do now; whether that changed anything."""
        if self.is_idle and not is_woken:
            return False
        self._remove_logs()
        with self.database.reading() as connection:
            found = [run.id for run in runs.searches(connection)]
        self.is_idle = not found
        changed = [self._try(run_id) for run_id in found if self._retries.is_due(run_id)]
        return any(changed)

    def _try(self, run_id: str) -> bool:
        """Move the search on; what fails for one search is retried for this search alone."""
        try:
            changed = self._advance(run_id)
        except (LeadershipLost, OperationalError):
            raise
        except Exception as error:
            log.error("search %s cannot go on yet: %s", run_id, clean_text(error))
            self._retries.failed(run_id, error)
            return False
        self._retries.succeeded(run_id)
        return changed

    def _remove_logs(self) -> None:
        """Delete the logs of searches that were removed."""
        folder = self.logs.searches
        names = {path.name for path in folder.iterdir()} if folder.exists() else set()
        with self.database.reading() as connection:
            kept = {run.id for run in runs.by_ids(connection, names)}
        for name in names - kept:
            shutil.rmtree(folder / name, ignore_errors=True)

    @property
    def _now(self) -> int:
        return round(self.clock() * 1000)

    def _advance(self, run_id: str) -> bool:
        """Do for the search what is due; whether that changed anything."""
        with self.database.reading() as connection:
            step = _load(connection, run_id)
        if step is None or step.run.phase == "Creating":
            return False
        before = copy.deepcopy((step.search, step.trials))
        for trial in step.trials:
            if not trial.is_done:
                self._follow(step, trial, step.runs.get(trial.run_id))
        self._decide(step)
        changed = [trial for trial, old in zip(step.trials, before[1], strict=True) if trial != old]
        to_stop = [run for run in step.runs.values() if step.is_ending and run.phase in STOPPABLE]
        if not (changed or to_stop or step.proposal or step.is_over or step.search != before[0]):
            return False
        with self.database.writing_as_leader() as connection:
            return self._store_step(connection, step, changed)

    def _follow(self, step: _Step, trial: Trial, run: Run | None) -> None:
        """Take over how far the trial's run is, and what it has printed."""
        if run is None:
            trial.status = "ERROR"
            return
        config = ", ".join(f"{name}={text_of(value)}" for name, value in trial.config.items())
        if trial.status == "PENDING" and run.start_time:
            trial.status = "RUNNING"
            step.note(f"Trial {trial.trial_id} started: {config}.", run.start_time)
            return  # that it runs is seen before its log is read, which can take a while
        is_over = is_terminal(run.phase)
        is_read = True
        for index, task in enumerate(task_names(run.node_count)):
            is_read &= self._read(step, trial, run, task, is_searched=index == 0)
        if not (is_over and is_read):
            return
        trial.status = "TERMINATED" if run.phase in ("Completed", "Terminated") else "ERROR"
        found = f"{step.search.policy.rewards[0].name} {trial.latest[0]}" if trial.latest[0] else "no result"
        step.note(f"Trial {trial.trial_id} ended with {found}. Exit code {_exit_code(run)}.", run.end_time)

    def _read(self, step: _Step, trial: Trial, run: Run, task: str, *, is_searched: bool) -> bool:
        """Copy what the task has printed into the joint log, and find the metrics in it; whether all is read."""
        offset, is_over = trial.read_bytes.get(task, 0), is_terminal(run.phase)
        data = self.logs.read(run, task, offset, CHUNK) if run.was_launched else b""
        is_last = len(data) < CHUNK
        end = data.rfind(b"\n") + 1
        if (is_over and is_last) or (not end and not is_last):
            end = len(data)
        if end:
            lines = data[:end].removesuffix(b"\n").split(b"\n")
            self._append(step.search, task, trial.trial_id, lines)
            if is_searched and not step.is_ending:
                self._match(step, trial, run, lines)
            trial.read_bytes = {**trial.read_bytes, task: offset + end}
        return is_last

    def _append(self, search: Search, task: str, trial_id: str, lines: Sequence[bytes]) -> None:
        """Append the lines to the joint log. What follows its size, for example after a crash, is cut off."""
        path, size = search_log(self.logs.searches, search.run_id, task), search.sizes.get(task, 0)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        merged = b"".join(b"[%s] %s\n" % (trial_id.encode(), line) for line in lines)[: self.log_limit - size]
        with path.open("ab") as stream:
            stream.truncate(size)
            stream.write(merged)
        search.sizes = {**search.sizes, task: size + len(merged)}

    def _match(self, step: _Step, trial: Trial, run: Run, lines: Sequence[bytes]) -> None:
        """Find the metrics in the lines: the last match in a line counts, of it the first group if there is one."""
        policy, deadline = step.search.policy, time.process_time() + MATCH_TIMEOUT_S
        try:
            for line in lines:
                found = [_last_match(reward.regex, line, deadline) for reward in policy.rewards]
                trial.latest = [new or old for new, old in zip(found, trial.latest, strict=True)]
                if found[0]:
                    trial.iterations += 1
                    best = policy.better(trial.best, found[0])
                    elapsed = max((run.end_time or self._now) - run.start_time, 0) / 1000
                    trial.reports = [*trial.reports[1 - MAX_REPORTS :], [elapsed, best, *trial.latest]]
        except TimeoutError:
            step.search.failure = (
                "the search failed: the regular expressions of the metrics cannot be applied to the log:"
                " it takes too long"
            )

    def _decide(self, step: _Step) -> None:
        """Propose values for the next trial, if one may start, or end the search, if all have ended."""
        policy, trials = step.search.policy, step.trials
        known = len(trials) - CONCURRENT + 1
        if not step.is_ending and len(trials) < policy.samples:
            if all(trial.is_done for trial in trials[: max(known, 0)]):
                try:
                    step.proposal = proposals.propose(policy, trials, known)
                except Exception as error:
                    step.search.failure = f"the search failed: {type(error).__name__}: {clean_text(error)}"
        elif all(trial.is_done for trial in trials):
            step.is_over = True
            if step.is_ending:
                return
            if not any(trial.result is not None for trial in trials):
                step.search.failure = "no trial ended well and with a result in its log"
            else:
                self._analyse(step)

    def _analyse(self, step: _Step) -> None:
        try:
            step.search.analysis = proposals.importances(step.search.policy, step.trials)
        except (ArithmeticError, RuntimeError, ValueError) as error:  # the results of the trials stay valid
            step.note(f"The hyperparameters cannot be analysed: {type(error).__name__}: {clean_text(error)}", self._now)

    def _export(self, step: _Step, name: str, log: Path) -> None:
        """Store the log below the job's log path, if it has one."""
        if url := step.run.required_spec.log_export_url:
            try:
                staging.export(self.store_of(step.run.project_id), url, name, log)
            except (OSError, StoreError) as error:
                step.note(f"{name} cannot be exported to {url}: {clean_text(error)}", self._now)

    def _store_step(self, connection: Connection, step: _Step, changed: Sequence[Trial]) -> bool:
        """Store all that the step changes, unless the search was removed or stopped meanwhile."""
        again = _load(connection, step.run.id)
        if again is None or again.run.phase != step.run.phase:
            return True
        run, now = again.run, self._now
        state.save(connection, step.search, changed)
        for trial_run in again.runs.values() if step.is_ending else ():
            if trial_run.phase in STOPPABLE:
                events.add(connection, lifecycle.stop(trial_run, now))
                runs.save(connection, [trial_run])
        if step.proposal is not None:
            state.add(connection, *state.new_trial(step.search, run, len(step.trials), step.proposal, now))
        moved = lifecycle.apply_reports(run, now, self._reports(step, again.runs.values()))
        events.add(connection, [*sorted(step.events, key=lambda event: event.time), *moved])
        runs.save(connection, [run])
        return True

    def _reports(self, step: _Step, trial_runs: Sequence[Run] | Any) -> list[TaskReport]:
        """What the search's tasks would report: they run from the first trial's start to the last one's end."""
        run, now = step.run, self._now / 1000
        starts = [trial.start_time for trial in trial_runs if trial.start_time]
        members: dict[str, Any] = {"state": "running" if starts else "preparing", "attempt": run.attempt}
        members["started_at"] = min(starts) / 1000 if starts else None
        if step.is_over:
            for task in task_names(run.node_count):
                if step.search.sizes.get(task):
                    self._export(step, f"{log_name(run.id, task)}", search_log(self.logs.searches, run.id, task))
            code, message = 0, step.search.failure
            if run.phase == "Terminating":
                code, message = STOPPED, "stopped"
            elif message:
                codes = [_exit_code(trial) for trial in trial_runs if trial.phase != "Terminated"]
                code = next((code for code in codes if code), FAILED)
            members |= {"state": "ended", "ended_at": now, "exit_code": code, "message": message or None}
        return [TaskReport(task, **members) for task in task_names(run.node_count)]


def _load(connection: Connection, run_id: str) -> _Step | None:
    """The search as it is stored; None if it was removed."""
    run, search = runs.get(connection, run_id), state.find_search(connection, run_id)
    if run is None or search is None:
        return None
    found = {trial.id: trial for trial in runs.trials(connection, run)}
    return _Step(run, search, state.find_trials(connection, run_id), found)


def _exit_code(run: Run) -> int | None:
    """The exit code of the first task that has one other than 0."""
    codes = [status["exit_code"] for status in run.task_statuses]
    return next((code for code in codes if code), codes[0] if codes else None)


def _last_match(pattern: str, line: bytes, deadline: float) -> str | None:
    """The value that the pattern finds in the line; raises TimeoutError after the deadline."""
    import regex

    text, found = line[:MAX_LINE].decode("utf-8", "replace"), None
    left_s = max(deadline - time.process_time(), 0.001)
    compiled = regex.compile(pattern)
    for match in compiled.finditer(text, timeout=left_s, concurrent=True):
        found = match.group(1 if compiled.groups else 0)
    return (found or "")[:MAX_VALUE] or None
