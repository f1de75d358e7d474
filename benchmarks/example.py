"""The digits example as a job: uploaded and submitted as the README's user does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from modelarts_toolkit import ModelArts

FOLDER = Path(__file__).parents[1] / "examples" / "digits"
BUCKET = "modelarts-examples"


def submit(ma: ModelArts) -> Any:
    """Upload code and data, create algorithm and job; return the job."""
    ma.obs.create_bucket(BUCKET)
    ma.obs.upload(FOLDER / "code", f"obs://{BUCKET}/digits/code/")
    ma.obs.upload(FOLDER / "data", f"obs://{BUCKET}/digits/data/")
    algorithm = ma.v2.algorithms.create_algorithm(json.loads((FOLDER / "algorithm.json").read_text()))
    body = json.loads((FOLDER / "job.json").read_text())
    body["algorithm"]["id"] = algorithm.metadata.id
    return ma.jobs.get(ma.v2.training_jobs.create_training_job(body))
