"""Requests that published clients send to the service are accepted by the emulator as they are."""

from __future__ import annotations

from typing import Any

import pytest
from tests.stories.conftest import ENGINE
from tests.stories.test_observations import differences

from modelarts_toolkit import BadRequest, ModelArts

# The places of the code are those of the test's bucket; all other members are as the clients send them.
CODE = {"code_dir": "/stories/field/", "boot_file": "/stories/field/boot.py", "engine": ENGINE}


@pytest.fixture
def first(ma: ModelArts, submit: Any) -> Any:
    """A job that has run, with its code in object storage."""
    return submit(ma, "field", "print('trained')\n").wait()


def body_of(ma: ModelArts, job_id: str) -> Any:
    """What the service shows of a job, as a client copies it: without what differs from job to job."""
    shown: Any = ma.v2.training_jobs.show_training_job_details(job_id).to_dict()
    del shown["status"]
    for name in ("id", "create_time"):
        del shown["metadata"][name]
    return shown


def test_a_job_s_own_description_is_accepted_as_a_new_job(ma: ModelArts, first: Any) -> None:
    """As command lines that copy jobs do: they change the name, and send everything else back."""
    body = body_of(ma, first.id)
    body["metadata"]["name"] = "copied"

    copied = ma.v2.training_jobs.create_training_job(body)

    shown = body_of(ma, copied.metadata.id)
    assert copied.metadata.id != first.id
    assert shown == body


def test_a_misspelt_field_of_a_copied_job_is_rejected_at_its_name(ma: ModelArts, first: Any) -> None:
    body = body_of(ma, first.id)
    body["metadata"]["name"] = "copied"
    body["spec"]["resource"]["node_cuont"] = 1

    with pytest.raises(BadRequest, match=r"spec\.resource\).*'node_cuont' was unexpected"):
        ma.v2.training_jobs.create_training_job(body)


def test_the_jobs_of_terraform_are_accepted_and_come_back_as_they_were_sent(ma: ModelArts, first: Any) -> None:
    """Everything but annotations and inputs is compared by the provider's own tests."""
    ma.obs.create_bucket("terraform-out")
    body: Any = {
        "kind": "job",
        "metadata": {
            "name": "tf_job",
            "description": "Created by terraform script",
            "workspace_id": "0",
            "annotations": {"fault-tolerance/job-retry-num": "3"},
        },
        "algorithm": {
            **CODE,
            "parameters": [{"name": "epochs", "value": "1"}],
            "outputs": [
                {"name": "out", "local_dir": "/home/ma-user/out", "remote": {"obs": {"obs_url": "/terraform-out/o/"}}}
            ],
            "environments": {"MODE": "test"},
        },
        "spec": {
            "resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1},
            "log_export_path": {"obs_url": "/terraform-out/log/"},
            "auto_stop": {"time_unit": "HOURS", "duration": 1},
        },
    }

    created = ma.v2.training_jobs.create_training_job(body)

    shown: Any = ma.v2.training_jobs.show_training_job_details(created.metadata.id).to_dict()
    parts = [part for part in body if part != "kind"]
    assert [found for part in parts for found in differences(body[part], shown[part], part)] == []
    found = ma.v2.training_jobs.list_training_jobs(
        {"filters": [{"key": "id", "operator": "in", "value": [created.metadata.id]}], "sort_by": "create_time"}
    )
    assert [job.metadata.id for job in found.items] == [created.metadata.id]
