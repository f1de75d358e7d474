"""What there is to choose from: resource specifications, engines and built-in algorithms."""

from __future__ import annotations

import json
from typing import Any


def specs(v1: Any, **query: Any) -> list[int]:
    found = v1.api.resource_specs.list_job_resource_specs(**query)
    assert found.spec_total_count == len(found.specs)
    return [spec.spec_id for spec in found.specs]


def test_the_specifications_of_the_use_case_are_there_as_printed(v1: Any) -> None:
    printed = v1.example("listJobResourceSpecs.tensorflow-use-case")

    found = v1.api.resource_specs.list_job_resource_specs(job_type="train").to_dict()

    assert all(spec in found["specs"] for spec in printed["specs"])
    assert found["spec_total_count"] == printed["spec_total_count"]


def test_specifications_are_those_that_an_engine_runs_on(v1: Any) -> None:
    """The engine of XGBoost has no image for GPUs."""
    assert specs(v1, engine_id=100) == [2, 7, 27]
    assert specs(v1, engine_id=0) == specs(v1, engine_id=4) == specs(v1)
    assert specs(v1, engine_id=77) == specs(v1, job_type="inference") == specs(v1, project_type=5) == []


def test_the_engines_of_the_use_case_are_there_as_printed(v1: Any) -> None:
    printed = v1.example("listJobEngines.tensorflow-use-case")

    found = v1.api.engines.list_job_engines(job_type="train").to_dict()

    assert all(engine in found["engines"] for engine in printed["engines"])
    assert v1.api.engines.list_job_engines(job_type="inference").engines == []


def test_algorithms_have_described_parameters_and_an_engine_that_there_is(v1: Any) -> None:
    engines = {engine.engine_id for engine in v1.api.engines.list_job_engines().engines}
    for model in v1.api.built_in_algorithms.list_built_in_algorithms(per_page=100).models:
        assert model.engine_id in engines
        for parameter in json.loads(model.parameter):
            assert parameter.keys() == {"label", "value", "placeholder_cn", "placeholder_en", "required"}
