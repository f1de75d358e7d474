"""Explain why a job failed, from the platform's own diagnosis, else its exit codes, events, codes and end of its log.

`causes.toml` lists the known causes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from modelarts_api.errors import ApiError
from modelarts_toolkit.jobs.state import COMPLETED, RUNNING, TERMINATED, JobState
from modelarts_toolkit.texts import when

if TYPE_CHECKING:
    from modelarts_api.v2.models import Stage

LOG_LINES = 200  # at the end of the log, which are searched
_WHAT = re.compile(r"\{what: (?P<form>[^}]*\{\}[^}]*)\}")  # a part of a verdict that needs the group `what`
_CODE = re.compile(r"ModelArts\.\d+")
_PLATFORM = re.compile(r"(?i)\[modelarts service log\]|^\W*(?:sidecar|init|bootstrap)\b")
# The platform's line about the end of a script; in version 1, only this line has the exit code.
_EXIT = re.compile(r"\[Model[Aa]rts Service Log\].*(?:return code:|exit with) (\d+)")


@dataclass(frozen=True, slots=True)
class Verdict:
    """An explanation of a job's state: `cause` is an id in the catalogue, `evidence` holds the lines that show it."""

    cause: str
    text: str
    remedy: str
    evidence: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text} {self.remedy}".strip()

    def to_dict(self) -> dict[str, Any]:
        """The verdict as a JSON object."""
        return {**asdict(self), "evidence": list(self.evidence)}


@dataclass(frozen=True, slots=True)
class _Cause:
    id: str
    verdict: str
    remedy: str
    log: tuple[re.Pattern[str], ...]
    events: tuple[re.Pattern[str], ...]
    codes: frozenset[str]
    exit_codes: frozenset[int] | None  # empty: any

    def fits(self, lines: Sequence[str], events: Sequence[str], codes: set[str], exit_code: int) -> Verdict | None:
        for patterns, texts in ((self.log, lines), (self.events, events)):
            for text in reversed(texts):
                for pattern in patterns:
                    if found := pattern.search(text):
                        return self._verdict(found.groupdict(), exit_code, text)
        if codes & self.codes:
            return self._verdict({}, exit_code, *sorted(codes & self.codes))
        if self.exit_codes is not None and exit_code and (exit_code in self.exit_codes or not self.exit_codes):
            return self._verdict({}, exit_code, f"exit code {exit_code}")
        return None

    def _verdict(self, found: Mapping[str, str | None], exit_code: int, *evidence: str) -> Verdict:
        what = (found.get("what") or "").strip()
        text = _WHAT.sub(lambda part: " " + part["form"].replace("{}", what) if what else "", self.verdict)
        text = text.replace("{what}", what).replace("{exit_code}", str(exit_code))
        return Verdict(self.id, text if text.endswith(".") else f"{text}.", self.remedy, evidence)


def explain(
    state: JobState, log_lines: Iterable[str] = (), events: Iterable[str] = (), error: ApiError | None = None
) -> Verdict | None:
    """Say why the job failed; None if the cause is unknown, or if it did not fail.

    `log_lines` is the end of the log of the task that failed first, `events` are the texts of its events.
    """
    if state.diagnosis is not None:
        text, remedy = state.diagnosis
        return Verdict("platform", f"The platform says: {text.rstrip('.')}.", remedy, (text,))
    lines = [line.strip("\r") for line in log_lines][-LOG_LINES:]
    exit_code = state.exit_codes.get(state.failed_task, 0) or _exit_code_in(lines)
    # A message can be the whole traceback of the script, as its log is.
    lines = [*(line for message in state.messages.values() for line in message.splitlines()), *lines]
    texts = [*events, *state.messages.values()]
    codes = {code for text in (*texts, *lines) for code in _CODE.findall(text)}
    if error is not None and error.error_code:
        codes.add(error.error_code)
    found = (cause.fits(lines, texts, codes, exit_code) for cause in catalogue())
    return next((verdict for verdict in found if verdict is not None), None)


def is_platform_line(line: str) -> bool:
    """Whether the platform printed the line, and not the script; previews of the service were seen without others."""
    return not line.strip() or _PLATFORM.search(line) is not None


def _exit_code_in(lines: Sequence[str]) -> int:
    """Return the exit code in the end of a log; 0 without one."""
    return next((int(found[1]) for line in reversed(lines) if (found := _EXIT.search(line))), 0)


@cache
def catalogue() -> tuple[_Cause, ...]:
    """Return the causes; the first that fits wins."""
    import tomllib
    from importlib.resources import files

    document = tomllib.loads(files(__package__).joinpath("causes.toml").read_text("utf-8"))
    return tuple(
        _Cause(
            id=entry["id"],
            verdict=entry["verdict"],
            remedy=entry["remedy"],
            log=tuple(map(re.compile, entry.get("log", ()))),
            events=tuple(map(re.compile, entry.get("events", ()))),
            codes=frozenset(entry.get("codes", ())),
            exit_codes=frozenset(entry["exit_codes"]) if "exit_codes" in entry else None,
        )
        for entry in document["cause"]
    )


def without_log(state: JobState, texts: Sequence[str]) -> Verdict | None:
    """Describe the state of a job without its log; None if it failed. `texts` are the texts of its events."""
    if state.phase == COMPLETED:
        return Verdict("completed", f"The job completed{state.explanation and f' ({state.explanation})'}.", "")
    if state.phase == TERMINATED:
        rerun = "modelarts v1 version create JOB" if state.is_version else "modelarts job rerun JOB"
        return Verdict("stopped", "The job was stopped.", f"Run it again: {rerun}.", tuple(texts[-1:]))
    if not state.is_ended:
        remedy = "modelarts job events JOB shows more."
        if state.is_version or state.phase == RUNNING:
            remedy = f"modelarts {'v1 ' if state.is_version else ''}job logs JOB -f follows it."
        return Verdict("active", f"The job has not ended; its phase is {state.phase}.", remedy, tuple(texts[-1:]))
    return None


def at_stage(verdict: Verdict, stage: "Stage | None") -> Verdict:
    """Add the stage of a running or waiting job, and since when it is there, to a verdict."""
    if stage is None:
        return verdict
    if stage.name == RUNNING.lower() and stage.start_time:
        return replace(verdict, text=f"The job has been running since {_local_time(stage.start_time)}.")
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
    remedy = "Its events and its log may say more: modelarts job events JOB, modelarts job logs JOB."
    if state.is_version:
        remedy = "Its log may say more: modelarts v1 job logs JOB."
    return Verdict("unknown", f"The job failed{state.explanation and f': {state.explanation}'}.", remedy, evidence)
