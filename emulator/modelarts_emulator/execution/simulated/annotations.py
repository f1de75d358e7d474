"""Directions: annotations `emulator/...` of a job, which say what its tasks do if they are simulated."""

from __future__ import annotations

from collections.abc import Mapping

from modelarts_emulator.http.errors import ServiceError

__all__ = ["check_directions"]

PREFIX = "emulator/"


def check_directions(annotations: Mapping[str, str], node_count: int, is_simulated: bool) -> None:
    """Raise ServiceError for directions that cannot be followed: 2858 if jobs really run, 2788 if one is wrong."""
    names = [name for name in annotations if name.startswith(PREFIX)]
    if not names:
        return
    if not is_simulated:
        lacking = "tasks really run here and take no directions; start the emulator with --executor simulated"
        raise ServiceError("ModelArts.2858", f"Operation not supported: {names[0]}: {lacking}.")
    from modelarts_emulator.execution.simulated.plan import (  # compiles schemas: only if needed
        PlanError,
        from_annotations,
    )

    try:
        from_annotations(annotations, node_count)
    except PlanError as error:
        raise ServiceError("ModelArts.2788", f"Invalid parameter (annotations): {error}.") from None
