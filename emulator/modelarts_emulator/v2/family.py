"""ModelArts v2 as an API family: its handlers, errors, and kinds of fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import ApiFamily, ErrorFormat, FixtureKind, Response, handlers_of
from modelarts_emulator.v2 import (
    algorithms,
    experiments,
    fine_tuning,
    images,
    programs,
    quotas,
    resources,
    searches,
    stages,
    tags,
    task_outputs,
    training_jobs,
)
from modelarts_openapi.error_codes import ERROR_CODES

HANDLERS = handlers_of(
    algorithms,
    experiments,
    fine_tuning,
    images,
    programs,
    quotas,
    resources,
    searches,
    stages,
    tags,
    task_outputs,
    training_jobs,
)

# The use case "Using PyTorch to Create a Training Job" prints this path, the page of the operation another one.
ALIASES = {"/v2/{project_id}/job/training-job-engines": "/v2/{project_id}/training-job-engines"}

# Where the emulator knows a better remedy than the one that holds for every service.
REMEDIES: Final[dict[str, str]] = {
    "ModelArts.0102": 'Use workspace "0", the only one that the emulator has.',
    "ModelArts.2783": "Read the data from OBS, the emulator has no datasets: give remote.obs.obs_url.",
    "ModelArts.2858": "Leave the parameter out, or use the real service.",
    "ModelArts.2950": "Report this with the request and the emulator's output.",
}


class V2Errors(ErrorFormat):
    """Errors as ModelArts v2 sends them, with what the caller can do."""

    def response(self, error: ServiceError) -> Response:
        """The error's status, and its code, message and solution as a body."""
        code = self.code_of(error.code)
        known = ERROR_CODES.get(code)
        solution = error.solution or REMEDIES.get(code) or (known.remedy if known else "")
        body = {"error_msg": error.message, "error_code": code, "error_solution": solution}
        return Response(error.status or self.status_of(code) or 500, body, error.headers)


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

FAMILY = ApiFamily("v2", HANDLERS, V2Errors(), ALIASES, FIXTURES)
