"""ModelArts v1 as an API family: its handlers, errors, and kinds of fixtures."""

from __future__ import annotations

from typing import Any

from modelarts_emulator.http.family import ApiFamily, FixtureKind, handlers_of
from modelarts_emulator.v1 import configs, specifications, training_jobs, visualizations
from modelarts_emulator.v1.conventions import V1Errors

HANDLERS = handlers_of(configs, specifications, training_jobs, visualizations)


def _read_id(document: Any) -> str:
    return str(document.get("job_id", ""))


FIXTURES = (
    FixtureKind("v1-training-job-configs", "createTrainingJobConfig", _read_id),
    FixtureKind("v1-training-jobs", "createTrainingJob", _read_id),
)

FAMILY = ApiFamily("v1", HANDLERS, V1Errors(), fixtures=FIXTURES)
