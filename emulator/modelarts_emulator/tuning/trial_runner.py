"""The runner of searches decides what comes next, from the stored state, the trials' reports and the advisor.

The values of a trial depend on earlier results alone, never on which trial is faster. Trial n is proposed when all
trials before it, except the last `CONCURRENT - 1`, have ended, and only from their results. So the same seed gives the
same search.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from modelarts_emulator.engine.lifecycle import root_cause
from modelarts_emulator.execution.local.task_process import LOG_LIMIT
from modelarts_emulator.execution.protocol import Executor, TaskReport, read_log
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.tuning.policy import Policy, read_policy
from modelarts_emulator.tuning.state import Search, State, Trial, text_of
from modelarts_emulator.tuning.suggestions import SuggestionClient, SuggestionError

CONCURRENT = 2  # trials that run at once
MAX_STEPS = 1000  # of one search before others have their turn
MAX_REPORTS = 1000  # of one trial that are kept
CHUNK = 1 << 20
PLOTS = "hyperparameter-analysis/fanova"


class TrialRunner:
    """Moves searches on; their logs lie below `folder`."""

    def __init__(
        self,
        inner: Executor,
        state: State,
        suggestions: SuggestionClient,
        store: Store,
        folder: Path,
        clock: Callable[[], float],
        algorithms: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self._inner = inner
        self._state = state
        self._suggestions = suggestions
        self._store = store
        self._folder = folder
        self._clock = clock
        self._algorithms = algorithms
        self._cancelled: set[tuple[str, int]] = set()
        self._has_changed = False

    def advance(self, search: Search, repeatedly: bool) -> bool:
        """Do what is to be done now, `repeatedly` until nothing is left; whether a trial hangs.

        It returns after a thousand steps, so that a search that always changes does not delay the others.
        """
        for _ in range(MAX_STEPS):
            self._has_changed = False
            is_hung = self._step(search)
            if search.outcome is not None or not repeatedly or not self._has_changed:
                break
        return is_hung

    def forget(self, job_id: str) -> None:
        """Forget a search that is removed."""
        self._suggestions.forget(job_id)
        self._cancelled = {key for key in self._cancelled if not key[0].startswith(job_id)}

    def _step(self, search: Search) -> bool:
        trials, is_hung = self._state.trials(search.job_id), False
        try:
            policy = read_policy(search.spec["search"], self._algorithms)
            for trial in trials:
                if not trial.is_done:
                    is_hung |= self._follow(search, policy, trial)
            if search.ending is None:
                self._start_trials(search, policy, trials)
        except (SuggestionError, ServiceError) as error:
            self._end(search, {"exit_code": 1, "message": f"the search failed: {error}"})
        if search.ending is not None and all(trial.is_done for trial in trials):
            self._conclude(search)
        return is_hung

    def _follow(self, search: Search, policy: Policy, trial: Trial) -> bool:
        """Start the trial if it has not started, and read what it reports; returns whether it hangs."""
        before = replace(trial, copied=dict(trial.copied))  # the others are replaced, never changed
        reports = self._poll(trial)
        if not reports or reports[0].attempt < trial.attempt:
            if search.ending is not None or trial.is_stopped:
                trial.status, trial.is_interrupted = "TERMINATED", search.ending is not None
                self._save(search, trial)
                return False
            self._inner.submit(search.spec_of(trial))
            reports = self._poll(trial)
        self._note_start(search, trial, reports)
        is_over = bool(reports) and all(report.state == "ended" for report in reports)
        if not is_over and (search.ending is not None or trial.is_stopped):
            self._stop(trial)
        is_read = self._read(search, policy, trial, reports, is_over)
        if is_over and is_read:
            self._finish(search, policy, trial, reports)
        if trial != before:
            self._save(search, trial)
        return any(report.failure == "hung" and report.state != "ended" for report in reports)

    def _poll(self, trial: Trial) -> Sequence[TaskReport]:
        """What the trial's tasks report, after doing what is due for them."""
        for error in self._inner.advance([trial.run_id]).values():
            raise error
        found = self._inner.poll([trial.run_id]).get(trial.run_id, ())
        if isinstance(found, Exception):
            raise found
        return found

    def _stop(self, trial: Trial) -> None:
        """Ask the trial to end, once per attempt and process."""
        if (trial.run_id, trial.attempt) not in self._cancelled:
            self._cancelled.add((trial.run_id, trial.attempt))
            self._inner.cancel(trial.run_id)

    def _note_start(self, search: Search, trial: Trial, reports: Sequence[TaskReport]) -> None:
        started = [report.started_at for report in reports if report.started_at is not None]
        if not started or trial.started_at is not None:
            return
        trial.started_at, trial.status = min(started), "RUNNING"
        if search.started_at is None:
            search.started_at = trial.started_at
            search.events.append([trial.started_at, "training started."])
        config = ", ".join(f"{name}={text_of(value)}" for name, value in trial.config.items())
        search.events.append([trial.started_at, f"Trial {trial.trial_id} started: {config}."])

    def _read(self, search: Search, policy: Policy, trial: Trial, reports: Sequence[TaskReport], is_over: bool) -> bool:
        """Copy the trial's logs, and find the metrics in the log of its first task; returns whether all is read."""
        is_read = True
        for index, report in enumerate(reports):
            source = self._log_file(search, trial, report.task)
            target, offset = log_path(self._folder, search.job_id, report.task), trial.copied.get(report.task, 0)
            trial.copied[report.task], search.sizes[report.task] = merge_log(
                source, offset, target, search.sizes.get(report.task, 0), trial.trial_id, is_over
            )
            size = source.stat().st_size if source.exists() else 0
            if search.ending is not None:
                trial.matched = size  # nothing is learned any more
            elif index == 0 and trial.matched < size:
                self._match(search, policy, trial, source, report)
            is_read &= trial.copied[report.task] >= size and (index > 0 or trial.matched >= size)
        return is_read

    def _log_file(self, search: Search, trial: Trial, task: str) -> Path:
        """The log of the trial's task: the executor's file, or a copy of what it says."""
        if (path := self._inner.log_file(trial.run_id, task)) is not None:
            return path
        copy_of = log_path(self._folder, search.job_id, task).with_name(f"{trial.trial_id}-{task}.log")
        copy_of.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with copy_of.open("ab") as stream:
            stream.write(read_log(self._inner, trial.run_id, task, stream.tell()))
        return copy_of

    def _match(self, search: Search, policy: Policy, trial: Trial, source: Path, report: TaskReport) -> None:
        regexes = [reward.regex for reward in policy.rewards]
        question = {"do": "match", "path": str(source), "offset": trial.matched, "regexes": regexes,
                    "is_complete": report.state == "ended"}  # fmt: skip
        try:
            response = self._suggestions.ask(search.job_id, question)
        except SuggestionError as error:
            reason = f"the regular expressions of the metrics cannot be applied to the log: {error}"
            self._end(search, {"exit_code": 1, "message": f"the search failed: {reason}"})
            return
        if response is None:
            return
        trial.matched = response["offset"]
        elapsed = max((report.ended_at or self._clock()) - trial.started_at, 0.0) if trial.started_at else 0.0
        for row in response["rows"]:
            trial.latest = [new or old for new, old in zip(row, trial.latest, strict=True)]
            if row[0]:
                trial.iterations += 1
                best = policy.better(trial.best, row[0])
                trial.reports = [*trial.reports[1 - MAX_REPORTS :], [elapsed, best, *trial.latest]]

    def _finish(self, search: Search, policy: Policy, trial: Trial, reports: Sequence[TaskReport]) -> None:
        bad = root_cause(reports)
        trial.exit_code = bad.exit_code
        trial.ended_at = max((report.ended_at for report in reports if report.ended_at), default=self._clock())
        failed = next((report for report in reports if report.failure), None)
        if failed is not None:
            self._end(search, {"exit_code": failed.exit_code, "message": failed.message,
                               "failure": failed.failure})  # fmt: skip
        trial.is_interrupted = search.ending is not None and bad.exit_code != 0 and not trial.is_stopped
        is_good = bad.exit_code == 0 or trial.is_stopped or trial.is_interrupted
        trial.status = "TERMINATED" if is_good else "ERROR"
        result = f"{policy.rewards[0].name} {trial.latest[0]}" if trial.latest[0] else "no result"
        search.events.append(
            [trial.ended_at, f"Trial {trial.trial_id} ended with {result}. Exit code {bad.exit_code}."]
        )

    def _start_trials(self, search: Search, policy: Policy, trials: list[Trial]) -> None:
        """Start what trials can be started; when all have ended, look at what they found."""
        while len(trials) < policy.samples and all(trial.is_done for trial in trials[: len(trials) - CONCURRENT + 1]):
            config = self._suggestions.ask(search.job_id, _proposal(policy, trials))
            if config is None:
                return
            trial_id = hashlib.sha256(f"{search.job_id}/{len(trials)}".encode()).hexdigest()[:8]
            trial = Trial(search.job_id, len(trials), trial_id, search.attempt, config)
            trial.latest = [None] * len(policy.rewards)
            self._save(search, trial)
            trials.append(trial)
            self._follow(search, policy, trial)
        if len(trials) == policy.samples and all(trial.is_done for trial in trials):
            self._analyse(search, policy, trials)

    def _analyse(self, search: Search, policy: Policy, trials: list[Trial]) -> None:
        results = [{"config": trial.config, "reward": trial.result} for trial in trials if trial.result is not None]
        if not results:
            # One that was stopped early did not fail.
            code = next((trial.exit_code for trial in trials if trial.exit_code and not trial.is_stopped), 1)
            self._end(search, {"exit_code": code, "message": "no trial ended well and with a result in its log"})
            return
        space = [asdict(dimension) for dimension in policy.space]
        first = policy.rewards[0]
        question = {"do": "analyse", "space": space, "reward": first.name, "mode": first.mode, "results": results}
        try:
            found = self._suggestions.ask(search.job_id, question)
        except SuggestionError as error:  # the results of the trials stay valid
            search.events.append([self._clock(), f"The hyperparameters cannot be analysed: {error}"])
            found = {}
        if found is None:
            return
        search.analysis = {
            name: {
                "importance": part["importance"],
                "picture": _put_picture(self._store, search.spec, name, part["picture"]),
            }
            for name, part in found.items()
        }
        self._end(search, {"exit_code": 0, "message": None})

    def _end(self, search: Search, ending: dict[str, Any]) -> None:
        """End the search in this way, as soon as no trial runs any more; the first reason stands."""
        if search.ending is None:
            search.ending = ending
            self._save(search)

    def _conclude(self, search: Search) -> None:
        ending = search.ending or {}
        now = self._clock()
        search.events.append([now, f"Training finished. Exit code {ending.get('exit_code')}."])
        if ending.get("exit_code") == 0 and search.started_at is None:
            search.started_at = now  # nothing was left to do in this attempt
        search.outcome = {**ending, "ended_at": now}
        self._save(search)

    def _save(self, search: Search, *trials: Trial) -> None:
        self._has_changed = True
        self._state.save(search, *trials)


def log_path(folder: Path, job_id: str, task: str) -> Path:
    """Where the merged log of a search's task is."""
    return folder / job_id / f"{task}.log"


def _proposal(policy: Policy, trials: Sequence[Trial]) -> dict[str, Any]:
    """The request for the values of the next trial."""
    known = len(trials) - CONCURRENT + 1
    history = [{"config": trial.config, "reward": trial.result if trial.number < known else None} for trial in trials]
    return {
        "do": "suggest",
        "algorithm": policy.algorithm,
        "settings": dict(policy.settings),
        "space": [asdict(dimension) for dimension in policy.space],
        "mode": policy.rewards[0].mode,
        "index": len(trials),
        "history": history,
    }


def merge_log(source: Path, offset: int, target: Path, size: int, trial_id: str, is_complete: bool) -> tuple[int, int]:
    """Append the whole lines of the trial's log from the offset on; returns the new offset and size.

    The first `size` bytes of the target are right. What follows them, for example after a crash, is cut off.
    """
    try:
        with source.open("rb") as stream:
            stream.seek(offset)
            data = stream.read(CHUNK)
    except FileNotFoundError:
        return offset, size
    end = data.rfind(b"\n") + 1
    if (is_complete and len(data) < CHUNK) or (not end and len(data) == CHUNK):
        end = len(data)
    if not end:
        return offset, size
    lines = data[:end].removesuffix(b"\n").split(b"\n")
    merged = b"".join(b"[%s] %s\n" % (trial_id.encode(), line) for line in lines)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with target.open("ab") as stream:
        stream.truncate(size)
        stream.write(merged[: max(LOG_LIMIT - size, 0)])
    return offset + end, target.stat().st_size


def _put_picture(store: Store, spec: Mapping[str, Any], name: str, picture: str) -> str | None:
    """Store a picture (in base64) below the job's log path; its place, None without such a path or if that fails."""
    if not spec["log_export_url"]:
        return None
    bucket, prefix = parse_obs_url(spec["log_export_url"])
    key = f"{prefix.rstrip('/')}/{PLOTS}/{name}.png".lstrip("/")
    try:
        store.head_bucket(bucket).check_owner(spec["account_id"])
        store.put(bucket, key, base64.b64decode(picture))
    except StoreError:
        return None
    return f"/{bucket}/{key}"
