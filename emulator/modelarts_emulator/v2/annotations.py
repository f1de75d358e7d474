"""Annotations that mean something: restarts (user manual, on automatic restarts), and plans of simulated tasks."""

from __future__ import annotations

from collections.abc import Mapping

from modelarts_emulator.engine.runs import RestartPolicy
from modelarts_emulator.http.errors import ServiceError

__all__ = ["check_plan", "read_restarts"]

NUMBER = "fault-tolerance/job-retry-num"
ALWAYS = "fault-tolerance/job-unconditional-retry"
HUNG = "fault-tolerance/hang-retry"
PLAN_PREFIX = "emulator/"


def read_restarts(annotations: Mapping[str, str]) -> RestartPolicy:
    """What the annotations ask for; raises ServiceError (2788) for values that are not documented."""
    number = annotations.get(NUMBER) or "0"
    if number not in ("0", "1", "2", "3"):
        raise ServiceError("ModelArts.2788", f"Invalid parameter ({NUMBER}): {number!r} is not 1, 2 or 3.")
    flags = {}
    for name in (ALWAYS, HUNG):
        flags[name] = annotations.get(name) or "false"
        if flags[name] not in ("true", "false"):
            raise ServiceError("ModelArts.2788", f"Invalid parameter ({name}): {flags[name]!r} is not true or false.")
        if flags[name] == "true" and number == "0":
            raise ServiceError("ModelArts.2788", f"Invalid parameter ({name}): it has no effect without {NUMBER}.")
    return RestartPolicy(int(number), flags[ALWAYS] == "true", flags[HUNG] == "true")


def check_plan(annotations: Mapping[str, str], node_count: int, is_simulated: bool) -> None:
    """Raise ServiceError for annotations `emulator/...`: 2858 if jobs really run, 2788 if one is wrong."""
    names = [name for name in annotations if name.startswith(PLAN_PREFIX)]
    if not names:
        return
    if not is_simulated:
        lacking = "tasks really run here and follow no plans; start the emulator with --executor simulated"
        raise ServiceError("ModelArts.2858", f"Operation not supported: {names[0]}: {lacking}.")
    from modelarts_emulator.execution.simulated.plan import (  # compiles schemas: only if needed
        PlanError,
        from_annotations,
    )

    try:
        from_annotations(annotations, node_count)
    except PlanError as error:
        raise ServiceError("ModelArts.2788", f"Invalid parameter (annotations): {error}.") from None
