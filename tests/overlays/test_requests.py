"""A job that the service returned can be run once more."""

import jsonschema_rs
import pytest

import modelarts_openapi
from modelarts_api.v2 import models as v2
from modelarts_toolkit import as_request

DOCUMENT = modelarts_openapi.load("v2")
VALIDATOR = jsonschema_rs.Draft202012Validator(
    {"$ref": "#/components/schemas/CreateTrainingJobRequest", "components": DOCUMENT["components"]}
)
FLAVOR = {"cpu_core_num": 8, "mem_size": 32.5, "accelerator_num": 0}  # JSON numbers without and with a point


def documented_jobs():
    """Every job in an example of the document."""
    for item in DOCUMENT["paths"].values():
        for operation in (value for value in item.values() if isinstance(value, dict)):
            for response in operation["responses"].values():
                for media in response.get("content", {}).values():
                    for name, example in media.get("examples", {}).items():
                        reference = media["schema"].get("$ref", "").rpartition("/")[2]
                        jobs = {"TrainingJob": [example["value"]], "TrainingJobList": example["value"].get("items", [])}
                        for number, job in enumerate(jobs.get(reference, [])):
                            yield pytest.param(job, id=f"{name}-{number}")


@pytest.mark.parametrize("document", list(documented_jobs()))
def test_every_documented_job_becomes_a_valid_request(document):
    request = as_request(v2.TrainingJob.from_dict(document), name="again")

    assert [error.message for error in VALIDATOR.iter_errors(request)] == []
    assert request["metadata"]["name"] == "again"
    assert request["spec"]["resource"]["flavor_id"] == document["spec"]["resource"]["flavor_id"]


def test_a_request_keeps_what_its_job_was_created_with_and_nothing_that_the_service_added():
    job = v2.TrainingJob.from_dict(
        {
            "kind": "job",
            "metadata": {"id": "1", "name": "a", "description": "", "annotations": {"x/enable": "true"}},
            "status": {"phase": "Completed"},
            "algorithm": {
                "code_dir": "/bucket/code/",
                "boot_file": "/bucket/code/train.py",
                "engine": {"engine_id": "pytorch", "v1_compatible": False, "tags": []},
                "parameters": [{"name": "epochs", "value": "3", "i18n_description": None, "constraint": {}}],
                "inputs": [{"name": "data", "local_dir": "/in", "remote": {"obs": {"obs_url": "/b/data/"}}}],
                "policies": {},
                "environments": [{"A": "b"}, {"C": "d"}],
            },
            "spec": {
                "resource": {
                    "flavor_id": "f",
                    "node_count": 1,
                    "flavor_detail": {"flavor_type": "CPU"},
                    "main_container_customized_flavor": FLAVOR,
                },
                "log_export_path": {},
                "is_hosted_log": True,
            },
            "colour": "red",
        }
    )  # fmt: skip

    assert as_request(job) == {
        "kind": "job",
        "metadata": {"name": "a", "annotations": {"x/enable": "true"}},
        "algorithm": {
            "code_dir": "/bucket/code/",
            "boot_file": "/bucket/code/train.py",
            "engine": {"engine_id": "pytorch"},
            "parameters": [{"name": "epochs", "value": "3"}],
            "inputs": [{"name": "data", "local_dir": "/in", "remote": {"obs": {"obs_url": "/b/data/"}}}],
            "environments": {"A": "b", "C": "d"},
        },
        "spec": {"resource": {"flavor_id": "f", "node_count": 1, "main_container_customized_flavor": FLAVOR}},
    }
