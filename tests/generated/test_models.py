"""Decoding loses nothing and fails on nothing, whatever the service sends."""

import json
import subprocess
import sys
import typing
from importlib import import_module
from typing import Any

import attrs
import pytest

import modelarts_openapi
from modelarts_api.iam import models as iam
from modelarts_api.types import UNSET
from modelarts_api.v2 import models as v2

DOCUMENTS = {name: modelarts_openapi.load(name) for name in modelarts_openapi.NAMES}


def modelled():
    """Every schema of every document that became a model."""
    for name, document in DOCUMENTS.items():
        models = import_module(f"modelarts_api.{name}.models")
        for schema in document["components"]["schemas"]:
            if isinstance(kind := getattr(models, schema, None), type):
                yield pytest.param(name, kind, id=f"{name}-{schema}")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_documented_example_comes_back_as_it_was(document):
    operations = [each for item in DOCUMENTS[document]["paths"].values() for each in item.values() if "tags" in each]
    bodies = [body for each in operations for body in (each.get("requestBody", {}), *each["responses"].values())]
    media = [each for body in bodies for each in body.get("content", {}).values() if "$ref" in each["schema"]]
    for each in media:
        kind = getattr(import_module(f"modelarts_api.{document}.models"), each["schema"]["$ref"].rpartition("/")[2])
        for example in each.get("examples", {}).values():
            assert kind.from_dict(example["value"]).to_dict() == example["value"], example


def test_an_absent_and_a_null_field_of_a_response_are_none_and_come_back_as_they_were():
    absent = v2.TrainingJob.from_dict({})
    null = v2.TrainingJob.from_dict({"endpoints": None})

    assert absent.endpoints is None
    assert null.endpoints is None
    assert [job.to_dict() for job in (absent, null)] == [{}, {"endpoints": None}]


@pytest.mark.parametrize("body", [{}, {"tasks": None}, {"tasks": []}])
def test_an_absent_a_null_and_an_empty_list_are_empty_and_come_back_as_they_were(body):
    job = v2.TrainingJob.from_dict(body)

    assert job.tasks == []
    assert job.to_dict() == body


def test_absent_null_and_empty_are_three_things_in_a_request():
    absent, null, empty = (
        v2.ResourceRequirementRequest(),
        v2.ResourceRequirementRequest.from_dict({"operator": None}),
        v2.ResourceRequirementRequest(operator=""),
    )

    assert absent.operator is UNSET
    assert [each.to_dict() for each in (absent, null, empty)] == [{}, {"operator": None}, {"operator": ""}]


def test_the_types_of_every_model_can_be_resolved():
    """As pydantic, cattrs and FastAPI do."""
    models = [case.values[1] for case in modelled()]
    incomplete = [kind for kind in models if "additional_properties" not in typing.get_type_hints(kind)]

    assert len(models) > 300
    assert incomplete == []


def test_a_field_that_every_example_carries_is_never_typed_none():
    hints = typing.get_type_hints(v2.JobMetadata)

    assert hints["create_time"] is int
    assert hints["ai_project"] == str | None
    assert typing.get_type_hints(v2.JobStatus)["task_statuses"] == list[v2.TaskStatus]


def test_no_response_has_unset_fields():
    """What nobody sends has two states."""
    for case in modelled():
        _, kind = case.values
        if "Request" not in kind.__name__:
            assert UNSET not in vars_of(kind.from_dict({})), kind


def vars_of(model):
    return [getattr(model, attribute.name) for attribute in attrs.fields(type(model))]


def test_repr_shows_what_is_there_and_nothing_else():
    assert repr(v2.Algorithm.from_dict({"metadata": {"id": "a"}})) == "Algorithm(metadata=AlgorithmMetadata(id='a'))"
    assert repr(v2.Algorithm.from_dict({"metadata": None})) == "Algorithm(metadata=None)"
    assert repr(v2.Algorithm.from_dict({"colour": ["red"]})) == "Algorithm(additional_properties={'colour': ['red']})"
    assert repr(v2.Algorithm.from_dict({"id": "a"})) == "Algorithm(additional_properties={'id': 'a'})"


IDENTITIES = {
    "token": {"methods": ["token"], "token": {"id": "very-secret", "duration_seconds": 900}},
    "password": {"methods": ["password"], "password": {"user": {"name": "a900", "password": "very-secret"}}},
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_repr_hides_what_logs_in(name):
    """Whether it is a model, or a mapping in its place."""
    auth = {"identity": IDENTITIES[name]}
    kind = iam.CreateTemporaryKeysRequest if name == "token" else iam.CreateTokenRequest
    for request in (kind.from_dict({"auth": auth}), kind(auth=auth)):  # type: ignore[arg-type]
        assert "very-secret" not in repr(request), request
        assert "900" in repr(request), request
        assert request.to_dict() == {"auth": auth}, request
    assert "very-secret" not in repr(iam.TemporaryKeys(access="AK", secret="very-secret", securitytoken="very-secret"))


@pytest.mark.parametrize(
    "name", ["access_key", "passcode", "password", "secret", "secret_key", "securitytoken", "token"]
)
def test_repr_hides_every_secret_by_its_name_on_the_wire(name):
    """Also in objects that no document describes."""
    job = v2.Algorithm.from_dict(
        {name: "hunter2", "metadata": {"name": "seen", name: "hunter2"}, "x": [{name: "hunter2"}]}
    )

    assert "hunter2" not in repr(job)
    assert "seen" in repr(job)
    assert "hunter2" in str(job.to_dict())
    listed = v2.Algorithm.from_dict({name: ["hunter2", "hunter3"]})
    assert repr(listed) == f"Algorithm(additional_properties={{'{name}': ['***', '***']}})"


def test_a_deep_body_is_decoded():
    tree: dict[str, Any] = {"name": "leaf"}
    for _ in range(100):
        tree = {"name": "branch", "children": [tree]}
    body = {"job_config": {"code_tree": tree}}

    assert v2.Algorithm.from_dict(body).to_dict() == body
    assert json.loads(json.dumps(v2.Algorithm.from_dict(body).to_dict())) == body


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


def test_decoding_loads_the_models_that_the_body_holds():
    modules = loaded(
        "from modelarts_api.v2.models import TrainingJob\nTrainingJob.from_dict({'metadata': {'id': 'a'}, 'spec': 1})"
    )

    assert {name for name in modules if name.startswith("modelarts_api.v2.models.")} == {
        "modelarts_api.v2.models.training_job",
        "modelarts_api.v2.models.job_metadata",
    }


def test_importing_the_documents_reads_none_of_them():
    """Seen by what the interpreter opens; loading one opens that one."""
    watch = "import sys\nopened = []\n"
    watch += "sys.addaudithook(lambda event, what: event == 'open' and opened.append(str(what[0])))\n"
    report = "print(*(name.rpartition('/')[2] for name in opened if name.endswith('.json')))\n"
    code = f"{watch}import modelarts_openapi\n{report}modelarts_openapi.load('iam')\n{report}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["", "iam.json"]
