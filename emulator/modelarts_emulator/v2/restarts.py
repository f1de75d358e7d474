"""Annotations that ask for restarts; user manual, on automatic restarts."""

from __future__ import annotations

from collections.abc import Mapping

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.jobs.runs import RestartPolicy

__all__ = ["read_restarts"]

NUMBER = "fault-tolerance/job-retry-num"
ALWAYS = "fault-tolerance/job-unconditional-retry"
HUNG = "fault-tolerance/hang-retry"


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
