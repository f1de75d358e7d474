"""Explain why a job failed, from the platform's own diagnosis, else its exit codes, events, codes and end of its log.

`causes.toml` lists the known causes.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from modelarts_toolkit.jobs import device_memory
from modelarts_toolkit.jobs.log_errors import NATIVE, LogError, log_end
from modelarts_toolkit.jobs.state import COMPLETED, RUNNING, TERMINATED, JobState
from modelarts_toolkit.own_files import own_table
from modelarts_toolkit.texts import when

if TYPE_CHECKING:
    from modelarts_api.v2.models import Stage

LONGEST = 300  # characters of a line in a verdict
DEVICE_MEMORY = "gpu-out-of-memory"  # the cause about which errors and events know more
# Exit codes of processes that a signal ended: 128 + n; in launchers -n or 256 - n.
_SIGNALS = {code for number in (4, 6, 7, 8, 9, 11, 15) for code in (128 + number, 256 - number, -number)}
_PART = re.compile(r"\{(?P<name>\w+)(?:: (?P<form>[^}]*\{\}[^}]*))?\}")
_OF_JOB = re.compile("modelarts (v1 )?(job (logs|events|re)|version)")
_OF_TABS = re.compile("modelarts (v1 )?job (logs|events)")
_STAGES = {"scheduling": "waited", "preparing": "been in preparation", "running": "been running"}
_CODE = re.compile(r"ModelArts\.\d+")
_PLATFORM = re.compile(r"(?i)\[modelarts service log\]|^\W*(?:sidecar|init|bootstrap)\b")
# The platform's line about the end of a script; in version 1, only this line has the exit code.
_EXIT = re.compile(r"\[Model[Aa]rts Service Log\].*(?:return code:|exit with) (\d+)")


@dataclass(frozen=True, slots=True)
class Verdict:
    """An explanation of a job's state: `cause` is an id in the catalogue, `evidence` holds the lines that show it.

    `task` is the one that failed first; empty if no task failed, and in version 1.
    """

    cause: str
    text: str
    remedy: str
    evidence: tuple[str, ...] = ()
    task: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}".strip()

    @property
    def lasting(self) -> "Verdict":
        """The verdict on a job that is gone: its remedy has no commands about the job."""
        return self._without(_OF_JOB)

    @property
    def beside_log(self) -> "Verdict":
        """The verdict where log and events are shown: its remedy has no commands that only show them."""
        return self._without(_OF_TABS)

    def _without(self, commands: re.Pattern[str]) -> "Verdict":
        sentences = re.split(r"(?<=\.) (?=[A-Z/])", self.remedy)
        return replace(self, remedy=" ".join(each for each in sentences if not commands.search(each)))

    def to_dict(self) -> dict[str, Any]:
        """The verdict as a JSON object."""
        return {**asdict(self), "evidence": list(self.evidence)}


@dataclass(frozen=True, slots=True)
class _Failure:
    """What is known of a failed job: the error that ended the script, events and messages, codes of the service."""

    state: JobState
    error: LogError | None
    texts: Sequence[str]
    codes: set[str]
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class _Cause:
    id: str
    verdict: str
    remedy: str
    log: tuple[re.Pattern[str], ...]
    context: tuple[re.Pattern[str], ...]
    events: tuple[re.Pattern[str], ...]
    kinds: frozenset[str]
    codes: frozenset[str]
    exit_codes: frozenset[int] | None  # empty: any
    remedies: Mapping[str, str]  # by who held the memory of the accelerator

    def of_error(self, failure: _Failure) -> Verdict | None:
        """The verdict if the message of the error that ended the script shows this cause."""
        error = failure.error
        if error is None or (self.exit_codes and failure.exit_code not in (None, *self.exit_codes)):
            return None
        if self.id == "syntax" and error.frames and error.frames[-1][0].startswith("<"):
            return None  # of a text that the script evaluated
        before = (*error.context, *error.code)
        if (self.context and not _search(self.context, before)) or not (found := _search(self.log, error.lines)):
            return None
        return self._verdict(failure, found[1].groupdict().get("what"), found[0], is_of_task=True)

    def of_kind(self, failure: _Failure) -> Verdict | None:
        """The verdict if all errors of this kind have this cause."""
        if failure.error is None or failure.error.kind not in self.kinds:
            return None
        return self._verdict(failure, failure.error.lines[0], failure.error.lines[0], is_of_task=True)

    def of_job(self, failure: _Failure) -> Verdict | None:
        """The verdict if an event, a code of the service, or the exit code shows this cause."""
        if found := _search(self.events, failure.texts[::-1]):
            return self._verdict(failure, found[1].groupdict().get("what"), found[0])
        if codes := failure.codes & self.codes:
            return self._verdict(failure, "", *sorted(codes))
        if self.exit_codes is None or self.log or not failure.exit_code:
            return None
        if failure.exit_code in self.exit_codes or not self.exit_codes:
            return self._verdict(failure, "", f"exit code {failure.exit_code}", is_of_task=True)
        return None

    def _verdict(self, failure: _Failure, what: str | None, *evidence: str, is_of_task: bool = False) -> Verdict:
        where = f" at {failure.error.place}" if failure.error and failure.error.place and is_of_task else ""
        known = {"what": _shortened(what or "").rstrip("."), "where": where, "exit_code": str(failure.exit_code)}
        values = {**commands(failure.state), **known}
        text = _filled(self.verdict, values).rstrip(".")
        if is_of_task and len(failure.state.tasks) > 1 and not text.startswith(values["task"]):
            text = re.sub(r"^The (?:script|task) ", f"{values['task']} ", text, count=1)
            text = text if text.startswith(values["task"]) else f"{values['task']}: {text}"
        return Verdict(
            self.id, f"{text}.", _filled(self.remedy, values), tuple(map(_shortened, filter(None, (*evidence, where))))
        )


def _search(patterns: Iterable[re.Pattern[str]], texts: Sequence[str]) -> tuple[str, re.Match[str]] | None:
    """Return the first text in which a pattern is found."""
    return next(((text, found) for text in texts for each in patterns if (found := each.search(text))), None)


def _shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _filled(text: str, values: Mapping[str, str]) -> str:
    """Fill in the values; a part with a form, such as `{what: ({})}`, is left out if its value is empty."""

    def value(part: re.Match[str]) -> str:
        given = values.get(part["name"], part[0])
        return f" {part['form'].replace('{}', given)}" if part["form"] and given else given

    return _PART.sub(value, text)


def commands(state: JobState) -> dict[str, str]:
    """Return the names of the job and of the task that failed first, and the commands about them."""
    job, task = shlex.quote(state.name or state.id or "JOB"), state.failed_task
    if state.is_version:
        rerun = f"modelarts v1 version create {job.partition('/')[0]}"
        logs = f"modelarts v1 job logs {job} --tail 50"
        return {"job": job, "task": "The script", "logs": logs, "rerun": rerun, "restart": rerun}
    logs = f"modelarts job logs {job}{f' --task {task}' if len(state.tasks) > 1 else ''} --tail 50"
    rerun, restart = f"modelarts job rerun {job}", f"modelarts job restart {job}"
    return {"job": job, "task": task, "logs": logs, "rerun": rerun, "restart": restart}


def explain(state: JobState, log_lines: Iterable[str] = (), events: Iterable[str] = ()) -> Verdict | None:
    """Say why the job failed; None if the cause is unknown, or if it did not fail.

    `log_lines` is the end of the log of the task that failed first, `events` are the texts of its events.
    A known cause of the error that ended the script comes first, then its traceback, events, codes, the exit code.
    """
    task = "" if state.is_version else state.failed_task
    if state.diagnosis is not None:
        text, remedy = state.diagnosis
        return Verdict("platform", f"The platform says: {text.rstrip('.')}.", remedy, (text,), task)
    lines, message = [*log_lines], state.messages.get(state.failed_task, "")
    exit_code = state.exit_codes.get(state.failed_task, _exit_code_in(lines))
    fatal, launched_code = log_end(lines, error_line())
    if fatal is None:  # a message can be the whole traceback of the script, as its log is
        fatal, _ = log_end(message.splitlines(), error_line())
    exit_code = launched_code or exit_code if exit_code else exit_code
    is_well = 0 in (exit_code, _exit_code_in(lines))  # also where only the outputs of a script failed
    if fatal is not None and (is_well or (exit_code in _SIGNALS and fatal.kind != NATIVE)):
        fatal = None  # it ended by itself or by a signal, not by this error
    events = [*events]
    about_memory = [event for event in events if device_memory.is_event(event)]  # no causes by themselves
    texts = [*(event for event in events if event not in about_memory), *([] if "\n" in message else [message])]
    codes = {code for text in (*texts, *(fatal.lines if fatal else ())) for code in _CODE.findall(text)}
    failure, causes = _Failure(state, fatal, texts, codes, exit_code), catalogue()
    found = chain(
        (cause.of_error(failure) for cause in causes),
        (cause.of_kind(failure) for cause in causes if fatal is not None and fatal.frames),
        (cause.of_job(failure) or cause.of_kind(failure) for cause in causes),
    )
    verdict = next((replace(verdict, task=task) for verdict in found if verdict), None)
    if verdict is not None and fatal is not None and verdict.cause == DEVICE_MEMORY:
        return _with_memory(verdict, fatal, about_memory, state.failed_task)
    return verdict


def _with_memory(verdict: Verdict, error: LogError, events: Sequence[str], task: str) -> Verdict:
    """Add how full the accelerator was, and the remedy for who held its memory."""
    shortage = device_memory.of_events(events, task) or device_memory.of_error(error.lines)
    if shortage is None:
        return verdict
    (cause,) = (cause for cause in catalogue() if cause.id == verdict.cause)
    remedy = cause.remedies.get(shortage.held_by, verdict.remedy)
    return replace(verdict, text=f"{verdict.text} {shortage.sentence}", remedy=remedy)


def is_platform_line(line: str) -> bool:
    """Whether the platform printed the line, and not the script; previews of the service were seen without others."""
    return not line.strip() or _PLATFORM.search(line) is not None


def _exit_code_in(lines: Sequence[str]) -> int | None:
    """Return the exit code in the end of a log; None without one."""
    return next((int(found[1]) for line in reversed(lines) if (found := _EXIT.search(line))), None)


@cache
def catalogue() -> tuple[_Cause, ...]:
    """Return the causes; the first that fits wins."""
    return tuple(map(_cause, own_table(__package__, "causes.toml")["cause"]))


def _cause(entry: Mapping[str, Any]) -> _Cause:
    log, context, events = (tuple(map(re.compile, entry.get(key, ()))) for key in ("log", "context", "events"))
    kinds, codes = (frozenset(entry.get(key, ())) for key in ("kinds", "codes"))
    exit_codes = frozenset(entry["exit_codes"]) if "exit_codes" in entry else None
    texts = entry["id"], entry["verdict"], entry["remedy"]
    return _Cause(*texts, log, context, events, kinds, codes, exit_codes, entry.get("remedies", {}))


@cache
def error_line() -> re.Pattern[str]:
    """Return the pattern of the lines that have a cause of the catalogue."""
    patterns = (each.pattern for cause in catalogue() for each in cause.log if not cause.context)
    return re.compile("|".join(re.sub(r"\?P<\w+>", "?:", pattern) for pattern in patterns))


def without_log(state: JobState, texts: Sequence[str]) -> Verdict | None:
    """Describe the state of a job without its log; None if it failed. `texts` are the texts of its events."""
    if state.phase == COMPLETED:
        return Verdict("completed", f"The job completed{state.explanation and f' ({state.explanation})'}.", "")
    named = commands(state)
    if state.phase == TERMINATED:
        return Verdict("stopped", "The job was stopped.", f"Run it again: {named['rerun']}.", tuple(texts[-1:]))
    if not state.is_ended:
        remedy = f"modelarts job events {named['job']} shows more."
        if state.is_version or state.phase == RUNNING:
            remedy = f"modelarts {'v1 ' if state.is_version else ''}job logs {named['job']} -f follows it."
        return Verdict("active", f"The job has not ended; its phase is {state.phase}.", remedy, tuple(texts[-1:]))
    return None


def at_stage(verdict: Verdict, stage: "Stage | None") -> Verdict:
    """Add the stage of a running or waiting job, and since when it is there, to a verdict."""
    if stage is None:
        return verdict
    if stage.name in _STAGES and stage.start_time:
        reason = f"{stage.en_message.rstrip('.')}. " if stage.en_message and stage.name != RUNNING.lower() else ""
        since = f"The job has {_STAGES[stage.name]} since {_local_time(stage.start_time)}."
        return replace(verdict, text=f"{reason}{since}")
    return replace(verdict, text=f"{verdict.text} It is in {stage_text(stage)}.")


def stage_text(stage: "Stage") -> str:
    """Describe a stage with its start time and the service's message."""
    since = f" since {_local_time(stage.start_time)}" if stage.start_time else ""
    about = f": {stage.en_message.rstrip('.')}" if stage.en_message else ""
    return f"stage {stage.name}{since}{about}"


def _local_time(text: str) -> str:
    """Return the time as people of this machine's time zone read it; the text itself if it has another form."""
    try:
        return when(datetime.fromisoformat(text))
    except ValueError:
        return text


def of_failure(state: JobState, lines: Sequence[str], errors: Sequence[str], texts: Sequence[str]) -> Verdict:
    """Say why a job failed, from the end of its log and its events; `errors` are events of level Error or Warning."""
    verdict = explain(state, lines, errors)
    if verdict is not None:
        return verdict
    evidence = tuple(errors[-1:] or texts[-1:])
    named = commands(state)
    remedy = f"Its log may say more: {named['logs']}."
    if not state.is_version:
        remedy = f"Its events may say more: modelarts job events {named['job']}. {remedy}"
    return Verdict(
        "unknown",
        f"The job failed{state.explanation and f': {state.explanation}'}.",
        remedy,
        evidence,
        state.failed_task,
    )
