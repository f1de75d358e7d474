"""Plans: what the tasks of a simulated job do.

A plan is a JSON object; a job's annotations `emulator/...` are the same members, and win over plans that were put in
place for jobs of its name. Times are in seconds. Of `duration`, `exit_code` and `failure` a list gives one
value per attempt: the last duration and exit code hold for all further ones, a failure does not come again.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast, get_args

import jsonschema_rs
import orjson

from modelarts_emulator.errors import right_name
from modelarts_emulator.execution.protocol import METRICS, FailureKind
from modelarts_emulator.settings.files import own_table
from modelarts_emulator.storage.files import replace_file

PREFIX = "emulator/"
MAX_PLANS = 1000
DEFAULT_DURATION = 10.0
FAILURES = get_args(FailureKind)

_TABLE = own_table(__file__, "plan.toml")
MEMBERS: Mapping[str, Any] = _TABLE["members"]


def _object(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, **keywords}


_TASKS = _object(patternProperties={"^worker-[0-9]{1,4}$": _object(properties=MEMBERS)})
_FAILURE = {"type": "string", "pattern": rf"^(({'|'.join(FAILURES)})@[0-9]{{1,8}}(\.[0-9]{{1,6}})?)?$"}
_METRICS = _object(properties={name: {"$ref": "#/$defs/percentages"} for name in METRICS})
_VALIDATOR = jsonschema_rs.Draft202012Validator(
    _object(properties={**MEMBERS, "tasks": _TASKS})
    | {"$defs": {**_TABLE["$defs"], "failure": _FAILURE, "metrics": _METRICS}},
    mask="the value",  # keeps long values out of the messages
)
_LISTS = ("duration", "exit_code", "failure")
_LINE = re.compile(r"@([0-9]{1,8}(?:\.[0-9]{1,6})?) (.*)", re.DOTALL)
_FIELD = re.compile(r"\{([^{}\s]{1,64})\}")


class PlanError(ValueError):
    """A plan that cannot be carried out; the text says which member is wrong."""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What one task does in one attempt; `log` and `planned_failure` have seconds since the start of its process."""

    preparation: float
    duration: float
    exit_code: int
    stop_duration: float
    log: tuple[tuple[float, str], ...]
    planned_failure: tuple[float, FailureKind] | None
    metrics: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(cls, plan: Mapping[str, Any], task: str, attempt: int) -> TaskPlan:
        """The task's part of a plan that was checked."""
        members = {**plan, **plan.get("tasks", {}).get(task, {})}
        failures = _many(members.get("failure", ""))
        return cls(
            preparation=float(members.get("preparation", 0)),
            duration=float(_at(members.get("duration", DEFAULT_DURATION), attempt)),
            exit_code=int(_at(members.get("exit_code", 0), attempt)),
            stop_duration=float(members.get("stop_duration", 0)),
            log=tuple(_lines(members.get("log", []))),
            planned_failure=_planned_failure(failures[attempt]) if attempt < len(failures) else None,
            metrics={name: tuple(map(float, _many(values))) for name, values in members.get("metrics", {}).items()},
        )


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
        plan = _check({name: value for name, value in members.items() if name != "job"}, ("job", "tasks"))
        with self._lock:
            if len(self._plans) >= MAX_PLANS:
                raise PlanError(f"there are {MAX_PLANS} plans already: clear them first")
            self._keep([*self._plans, {"job": pattern, **plan}])
            return dict(self._plans[-1])

    def of(self, name: str) -> list[dict[str, Any]]:
        """The plans for a job of this name, oldest first."""
        return [
            {member: value for member, value in plan.items() if member != "job"}
            for plan in self.list()
            if fnmatchcase(name, plan["job"])
        ]

    def list(self) -> Sequence[dict[str, Any]]:
        """All plans, oldest first."""
        with self._lock:
            return [dict(plan) for plan in self._plans]

    def clear(self) -> None:
        """Forget all plans; jobs that have started keep theirs."""
        with self._lock:
            self._keep([])

    def _keep(self, plans: Sequence[dict[str, Any]]) -> None:
        if self._path is not None and plans != self._plans:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self._path, json.dumps(plans).encode(), is_durable=False)
        self._plans = list(plans)


def _check(plan: Any, outer: Sequence[str] = ("tasks",)) -> dict[str, Any]:
    """The plan, if its members are right; raises PlanError for the first that is not."""
    for error in _VALIDATOR.iter_errors(_with_lists(plan)):
        where = ".".join(map(str, error.instance_path)) or "the plan"
        raise PlanError(f"{where}: {_reason(error, outer)}")
    return dict(plan)


def _with_lists(value: Any, name: str = "") -> Any:
    """The member of a plan, with a list for each value that may be one."""
    if name in (*_LISTS, *METRICS):
        return _many(value)
    if name == "log" and isinstance(value, str):
        return value.split("\n")
    return {inner: _with_lists(part, inner) for inner, part in value.items()} if isinstance(value, dict) else value


def from_annotations(annotations: Mapping[str, str]) -> dict[str, Any]:
    """The plan in a job's annotations, empty if there is none; raises PlanError.

    `emulator/exit-code` is the member `exit_code`; a value is JSON or a text.
    """
    given = {key.removeprefix(PREFIX): text for key, text in annotations.items() if key.startswith(PREFIX)}
    return _check({name.replace("-", "_"): _value(text) for name, text in given.items()})


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def merge(plans: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """One plan of several; a member of a later one wins, also over what an earlier one says of a single task."""
    merged: dict[str, Any] = {}
    for plan in plans:
        own = {name: value for name, value in plan.items() if name != "tasks"}
        tasks = {
            task: {name: value for name, value in members.items() if name not in own}
            for task, members in merged.get("tasks", {}).items()
        }
        for task, members in plan.get("tasks", {}).items():
            tasks[task] = {**tasks.get(task, {}), **members}
        merged = {**merged, **own, "tasks": tasks}
    return merged


def render(text: str, values: Mapping[str, str]) -> str:
    """The text with `{name}` replaced by the value of that name, where there is one."""
    return _FIELD.sub(lambda found: values.get(found[1], found[0]), text)


def _reason(error: Any, outer: Iterable[str]) -> str:
    """What is wrong with a member; `outer` are those that only a whole plan has."""
    kinds = jsonschema_rs.ValidationErrorKind
    if isinstance(error.kind, kinds.AdditionalProperties):
        where = list(error.instance_path)[-1:]
        names = {"metrics": METRICS, "tasks": ("worker-0", "worker-1", "...")}
        known = names[where[0]] if where and where[0] in names else (*(() if where else outer), *MEMBERS)
        name = error.kind.unexpected[0][:64]
        return f"there is no {name}: {right_name(name, known)}"
    if isinstance(error.kind, kinds.Pattern):
        return f"give {', '.join(FAILURES[:-1])} or {FAILURES[-1]} and after how many seconds, such as node_lost@5"
    return str(error.message)


def _many(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _at(value: Any, attempt: int) -> Any:
    values = _many(value)
    return values[min(attempt, len(values) - 1)]


def _lines(texts: Iterable[str]) -> Iterable[tuple[float, str]]:
    """`@2.5 text` comes 2.5 s after the start, a line without a time together with the one before it."""
    moment = 0.0
    for text in texts:
        if found := _LINE.fullmatch(text):
            moment, text = max(moment, float(found[1])), found[2]
        yield moment, text


def _planned_failure(text: str) -> tuple[float, FailureKind] | None:
    kind, _, after = text.partition("@")
    return (float(after), cast(FailureKind, kind)) if kind else None
