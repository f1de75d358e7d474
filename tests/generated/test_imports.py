"""What is not used is not loaded."""

import json
import subprocess
import sys

import pytest

import modelarts_openapi
from modelarts_api.v2 import models


def loaded(code):
    """The modules that are loaded after the code has run in a new interpreter."""
    report = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_an_operation_loads_no_model_and_no_other_operation():
    modules = loaded("from modelarts_api.v2.api.training_jobs import show_training_job_details")

    assert not [name for name in modules if name.startswith("modelarts_api.v2.models.")]
    assert sorted(name for name in modules if name.startswith("modelarts_api.v2.api.")) == [
        "modelarts_api.v2.api.training_jobs",
        "modelarts_api.v2.api.training_jobs.show_training_job_details",
    ]
    assert "attr" not in modules


def test_importing_a_model_loads_that_model_only():
    modules = loaded("from modelarts_api.v2.models import CreateTrainingJobRequest")

    assert {name for name in modules if name.startswith("modelarts_api.v2.models.")} == {
        "modelarts_api.v2.models.create_training_job_request"
    }


def test_decoding_loads_the_models_that_the_body_holds():
    modules = loaded(
        "from modelarts_api.v2.models import TrainingJob\nTrainingJob.from_dict({'metadata': {'id': 'a'}, 'spec': 1})"
    )

    assert {name for name in modules if name.startswith("modelarts_api.v2.models.")} == {
        "modelarts_api.v2.models.training_job",
        "modelarts_api.v2.models.job_metadata",
    }


def test_importing_the_documents_reads_none_of_them():
    assert "modelarts_api" not in loaded("import modelarts_openapi")


def test_every_document_can_be_loaded_by_its_name():
    assert {"iam", "v2"} <= set(modelarts_openapi.NAMES)
    for name in modelarts_openapi.NAMES:
        assert modelarts_openapi.load(name)["openapi"] == "3.1.0"


def test_a_loaded_document_is_the_callers_own():
    modelarts_openapi.load("iam").clear()

    assert modelarts_openapi.load("iam")


def test_an_unknown_document_is_refused_by_name():
    with pytest.raises(LookupError, match="no document named 'v7'; the documents are: iam, "):
        modelarts_openapi.load("v7")


def test_every_model_can_be_had_by_its_name():
    for name in models.__all__:
        assert getattr(models, name) is not None
    assert dir(models) == models.__all__


def test_an_unknown_model_is_refused_by_name():
    with pytest.raises(AttributeError, match="Nonsense"):
        models.Nonsense  # noqa: B018
