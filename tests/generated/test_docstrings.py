"""What the docstrings of the models say beside the types."""

import inspect
from importlib import import_module

import pytest

from modelarts_api.v1 import models as v1


def source(module):
    return inspect.getsource(import_module(f"modelarts_api.v2.models.{module}"))


@pytest.mark.parametrize(
    "model",
    [v1.TrainingJob, v1.TrainingJobVersion, v1.CreatedTrainingJob, v1.VisualizationJob],
    ids=lambda m: m.__name__,
)
def test_a_status_number_is_explained_wherever_a_status_stands(model):
    assert "8 running" in inspect.getsource(model)


def test_a_description_beside_a_reference_stands_before_that_of_the_component():
    text = inspect.getsource(v1.Engine)

    assert text.index("Family of the engine (AI framework).") < text.index("1 TensorFlow, 2 MXNet")


def test_names_with_hyphens_are_not_broken_across_lines():
    assert "fault-tolerance/job-unconditional-retry" in source("job_annotations_request")
