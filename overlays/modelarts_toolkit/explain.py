"""One verdict on a job that failed, from its phase, exit codes, events, error codes and the end of its log.

The causes are data: `causes.toml`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .errors import ApiError, ConnectionFailed
from .flows import Call, Flow, collected
from .job_state import COMPLETED, TERMINATED, JobState

if TYPE_CHECKING:
    from modelarts_api.v2.models import TrainingJob

LOG_LINES = 200  # of the end of the log that are searched
LIMIT_S = 30.0  # for the log
_WHAT = re.compile(r"\{what: (?P<form>[^}]*\{\}[^}]*)\}")  # a part of a verdict that needs the group `what`
_CODE = re.compile(r"ModelArts\.\d+")
# The platform's line about the end of a script; version 1 says its exit code nowhere else.
_EXIT = re.compile(r"\[Model[Aa]rts Service Log\].*(?:return code:|exit with) (\d+)")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a job is where it is: `cause` names an entry of the catalogue, `evidence` are the lines that show it."""

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
    job: "TrainingJob", log_lines: Iterable[str] = (), events: Iterable[str] = (), error: ApiError | None = None
) -> Verdict | None:
    """Say why the job failed, from what is known of it; None if nothing is known, or if it did not fail.

    `log_lines` is the end of the log of the task that failed first, `events` are the texts of its events.
    """
    state = JobState.of(job)
    lines = [line.strip("\r") for line in log_lines][-LOG_LINES:]
    exit_code = state.exit_codes.get(state.failed_task, 0) or _exit_code_in(lines)
    texts = [*events, *state.messages.values()]
    codes = {code for text in (*texts, *lines) for code in _CODE.findall(text)}
    if error is not None and error.error_code:
        codes.add(error.error_code)
    found = (cause.fits(lines, texts, codes, exit_code) for cause in catalogue())
    return next((verdict for verdict in found if verdict is not None), None)


def _exit_code_in(lines: Sequence[str]) -> int:
    """The exit code that the end of a log names; 0 if none."""
    return next((int(found[1]) for line in reversed(lines) if (found := _EXIT.search(line))), 0)


@cache
def catalogue() -> tuple[_Cause, ...]:
    """The causes, in their order."""
    import tomllib

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


def explaining(connect: Callable[[], Any], job: "TrainingJob") -> Flow[Verdict]:
    """Read the job's events and the end of its log, and say where it stands and why."""
    state = JobState.of(job)
    ident = state.id or ""
    events = yield collected(connect().events.iter_training_job_events(ident, order="asc"))
    texts = [str(event.message) for event in events]
    if state.phase == COMPLETED:
        return Verdict("completed", f"The job completed{state.explanation and f' ({state.explanation})'}.", "")
    if state.phase == TERMINATED:
        return Verdict("stopped", "The job was stopped.", "Start it anew: modelarts job rerun JOB.", tuple(texts[-1:]))
    if not state.is_ended:
        remedy = (
            "modelarts job logs JOB -f follows it."
            if state.phase == "Running"
            else "modelarts job events JOB shows more."
        )
        return Verdict("active", f"The job has not ended; its phase is {state.phase}.", remedy, tuple(texts[-1:]))
    lines = yield from last_lines(connect, state, LIMIT_S)
    errors = [str(event.message) for event in events if event.level in ("Error", "Warning")]
    verdict = explain(job, lines, errors)
    if verdict is not None:
        return verdict
    evidence = tuple(errors[-1:] or texts[-1:])
    remedy = "Its events and its log may say more: modelarts job events JOB, modelarts job logs JOB."
    return Verdict("unknown", f"The job failed{state.explanation and f': {state.explanation}'}.", remedy, evidence)


def last_lines(connect: Callable[[], Any], state: JobState, limit_s: float) -> Flow[list[str]]:
    """Read the end of the failed task's log; a log that cannot be read must not hide why the job failed."""
    try:
        preview = yield Call(
            lambda: connect().logs.show_training_job_logs_preview(state.id, state.failed_task), limit_s
        )
    except (ApiError, ConnectionFailed):
        return []
    content: object = None if preview is None else preview.content
    return content.splitlines()[-LOG_LINES:] if isinstance(content, str) else []
