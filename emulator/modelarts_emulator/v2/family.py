"""ModelArts v2 as an API family: its handlers, errors, and kinds of fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import ApiFamily, FixtureKind, handlers_of
from modelarts_emulator.v2 import (
    algorithms,
    experiments,
    searches,
    specifications,
    stages,
    tags,
    task_outputs,
    training_jobs,
)
from modelarts_emulator.v2.conventions import NOT_EMULATED, V2Errors

HANDLERS = handlers_of(algorithms, experiments, searches, specifications, stages, tags, task_outputs, training_jobs)

# The use case "Using PyTorch to Create a Training Job" prints this path, the page of the operation another one.
ALIASES = {"/v2/{project_id}/job/training-job-engines": "/v2/{project_id}/training-job-engines"}


def _complete_job(body: Any, ids: Mapping[str, str]) -> None:
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
    FixtureKind("algorithms", "createAlgorithm", _read_id),
    FixtureKind("training-jobs", "createTrainingJob", _read_id, _complete_job),
)

QUICK = frozenset({"showTrainingJobDetails"})

FAMILY = ApiFamily("v2", HANDLERS, V2Errors(), ALIASES, FIXTURES, NOT_EMULATED["operations"], QUICK)
