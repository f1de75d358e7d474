"""Rules about the life of a thing: a job goes through its phases in their order, and what was deleted is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract.documents import ABSENT
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.rules.memory import Memory, Thing
from modelarts_contract.seen import Seen, dig, is_same, leaves, whole
from modelarts_openapi.phases import PHASES_OF_STATUSES, TRANSITIONS

__all__ = ["FINAL_PHASES", "RULES", "STEPS", "is_absent", "phase_of"]

FINAL = frozenset({"start_time", "duration"})  # of a job that has ended


def steps() -> dict[str, set[str]]:
    """The phases that can be seen after each phase that is not final; phases between them may not be seen."""
    found = {str(phase): {str(each) for each in following} for phase, following in TRANSITIONS.items() if following}
    for _ in found:
        for phase, after in found.items():
            after |= set().union(*(found.get(each, set()) for each in after)) - {phase}
    return found


STEPS = steps()
FINAL_PHASES = frozenset(str(phase) for phase, following in TRANSITIONS.items() if not following)


def deleted_is_gone(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """What was deleted is neither shown nor listed, as soon as the time of a deletion is over."""
    path, method = urlsplit(seen.exchange.url).path, seen.operation.method
    now = seen.exchange.started_at.timestamp()
    if method == "DELETE" and seen.is_success:
        memory.things[path] = Thing(gone_at=now + max(memory.deletion_s, memory.lag_s))
        return
    if seen.operation.kind == "create":
        for paths, _ in seen.things:
            memory.forget(paths)
            memory.created |= paths
        return
    for gone, thing in memory.things.items():
        if thing.gone_at is None:
            continue
        if path == gone and method == "GET" and is_absent(seen):
            thing.gone_at = min(thing.gone_at, now + memory.lag_s)
        elif now <= thing.gone_at:
            continue
        elif method == "GET" and seen.is_success and f"{path}/".startswith(f"{gone}/"):
            yield Finding.of(seen, Kind.DELETED, f"{gone} was deleted, and is shown")
        elif any(gone in paths for paths, _ in seen.things):
            yield Finding.of(seen, Kind.DELETED, f"{gone} was deleted, and is listed")


def is_absent(seen: Seen) -> bool:
    """Whether a rejection says that there is no such thing."""
    code = seen.shown.get("error_code") if isinstance(seen.shown, dict) else None
    return seen.exchange.status == 404 or code in ABSENT or (seen.exchange.status == 400 and code == "ModelArts.0105")


def ended_stays_ended(seen: Seen, memory: Memory) -> Iterator[Finding]:
    """A job goes through its phases in their order, and once it has ended it stays as it is, unless it is restarted."""
    is_restart = dig(seen.sent, "action_type") == "restart"
    for paths, shown in seen.things:
        phase = phase_of(shown)
        for path in paths:
            if is_restart:
                memory.things[path].phase, memory.things[path].ended = None, {}
            if phase is None or "/visualization-jobs/" in path:  # these can be restarted
                continue
            if seen.operation.name == "v1" and "/versions/" not in path:  # a job has the status of one of its versions
                continue
            now, thing = seen.exchange.started_at.timestamp(), memory.things[path]
            before = thing.phase
            if seen.operation.pagination and now - thing.phase_at < memory.lag_s and phase != before:
                continue  # the list may lag
            if phase in STEPS and path not in memory.created and is_run_again(shown, thing):
                thing.phase, thing.ended, before = None, {}, None
            is_known = before in TRANSITIONS and phase in TRANSITIONS
            if is_known and phase not in (before, *STEPS.get(str(before), ())):
                yield Finding.of(seen, Kind.PHASE, f"{path} went from {before} to {phase}")
            if before != phase and (before is not None or path in memory.created):
                thing.phase_at = now
            thing.phase = phase
            yield from end_stays(seen, path, shown, thing)


def is_run_again(shown: Any, thing: Thing) -> bool:
    """Whether a job that had ended has another start: somebody else may have started it again."""
    starts = {name: value for name, value in leaves(shown).items() if name.endswith("start_time")}
    return any(thing.ended.get(name, value) != value for name, value in starts.items())


def end_stays(seen: Seen, path: str, shown: Any, thing: Thing) -> Iterator[Finding]:
    """Once a job has ended, its start and its running time stay as they are."""
    if thing.phase not in FINAL_PHASES:
        return
    now = {name: value for name, value in leaves(shown).items() if name.rpartition(".")[2] in FINAL}
    for name, value in now.items():
        if not is_same(thing.ended.get(name, value), value):
            message = f"{name} of {path}, which has ended, was {thing.ended[name]!r}, and is {value!r}"
            yield Finding.of(seen, Kind.PHASE, message, name)
    thing.ended |= now


def phase_of(shown: Any) -> str | None:
    """The phase of a job, or the one that its status of version 1 stands for."""
    status = dig(shown, "status")
    if (number := whole(status)) is not None:
        phase = PHASES_OF_STATUSES.get(number)
        return None if phase is None else str(phase)
    phase = dig(status, "phase")
    return phase if isinstance(phase, str) else None


RULES = (deleted_is_gone, ended_stays_ended)
