"""What it costs to turn the text of a job into a model, against parsing the text alone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import modelarts_openapi
from benchmarks.result import Pairs, Result
from modelarts_api.v2.models import TrainingJob

EXAMPLE = "showTrainingJobDetails.pytorch-use-case-running"
REPEATS = 200


def example_text() -> str:
    """The documented job of the PyTorch use case, as the service sends it."""
    path = modelarts_openapi.load("v2")["paths"]["/v2/{project_id}/training-jobs/{training_job_id}"]
    examples = path["get"]["responses"]["200"]["content"]["application/json"]["examples"]
    return json.dumps(examples[EXAMPLE]["value"], separators=(",", ":"))


def seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    for _ in range(REPEATS):
        call()
    return (time.perf_counter() - began) / REPEATS


def measure() -> list[Result]:
    text = example_text()
    assert TrainingJob.from_dict(json.loads(text)).to_dict() == json.loads(text)
    pairs = Pairs.measure(
        lambda: seconds(lambda: TrainingJob.from_dict(json.loads(text))),
        lambda: seconds(lambda: json.loads(text)),
        count=40,
        warm_up=3,
    )
    detail = f"{len(text):,} bytes; {pairs.detail}"
    return [Result("decode a job / json.loads", pairs.ratio, 2.5, "×", detail)]
