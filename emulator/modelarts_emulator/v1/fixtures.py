"""What fixtures can create with ModelArts v1: stored settings and training jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.http.family import FixtureKind

__all__ = ["FIXTURES"]


def _complete(_body: Any, _ids: Mapping[str, str]) -> None:
    """Nothing: no member of these bodies names what another file creates."""


def _read_id(document: Any) -> str:
    return str(document.get("job_id", ""))


FIXTURES = (
    FixtureKind("v1-training-job-configs", "createTrainingJobConfig", _complete, _read_id),
    FixtureKind("v1-training-jobs", "createTrainingJob", _complete, _read_id),
)
