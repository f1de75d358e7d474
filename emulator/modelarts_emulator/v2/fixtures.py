"""What fixtures can create with ModelArts v2: algorithms, and training jobs that may name them by their files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import FixtureKind

__all__ = ["FIXTURES"]


def _complete(body: Any, ids: Mapping[str, str]) -> None:
    """Replace the id of an algorithm, `@<file name>`; raises ServiceError (2755) if there is no such file."""
    algorithm = body.get("algorithm") or {}
    reference = algorithm.get("id") or ""
    if reference.startswith("@"):
        if reference not in ids:
            known = ", ".join(ids) or "none"
            raise ServiceError("ModelArts.2755", f"{reference} is not an algorithm of the seeds, which are: {known}")
        algorithm["id"] = ids[reference]


def _read_id(document: Any) -> str:
    return str(document["metadata"]["id"])


FIXTURES = (
    FixtureKind("algorithms", "createAlgorithm", _complete, _read_id),
    FixtureKind("training-jobs", "createTrainingJob", _complete, _read_id),
)
