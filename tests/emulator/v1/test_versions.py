"""Versions of training jobs: created, listed, shown, stopped and deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.emulator.v1.conftest import V1Service

from modelarts_toolkit.errors import ApiError

SUBMIT_FAILED, LOST = 5, 14


def test_the_version_of_the_use_case_has_the_printed_values(v1: Any) -> None:
    """All that does not depend on the time, on ids, and on the names of this test."""
    printed = v1.example("showTrainingJobVersion.tensorflow-use-case")
    varying = {"duration", "start_time", "create_time", "job_id", "version_id", "resource_id", "job_name", "nas_type"}
    created = v1.create(train_url="/test-modelarts/mnist-model/output/")
    v1.advance(60)

    shown = v1.show(created).to_dict()

    assert {name: shown[name] for name in printed.keys() - varying - {"system_metric_list"}} == {
        name: value for name, value in printed.items() if name not in varying | {"system_metric_list"}
    }
    assert shown["system_metric_list"].keys() == printed["system_metric_list"].keys()


def test_versions_are_numbered_know_the_one_before_and_come_all_at_once_or_in_pages(v1: Any) -> None:
    """The one before has to be one of the job. Page 0 is the default and stands for all pages."""
    first, other = v1.create(), v1.create()
    made = [first]
    for _ in range(11):
        made.append(v1.create_version(made[-1]))

    def listed(**query: Any) -> list[int]:
        found = v1.versions.list_training_job_versions(first.job_id, **query)
        assert found.version_count == 12
        return [int(version.version_name[1:]) for version in found.versions]

    assert listed() == listed(page=0, per_page=5) == list(range(1, 13))
    assert listed(page=1) == list(range(1, 11))
    assert listed(page=2, per_page=5) == [6, 7, 8, 9, 10]
    assert listed(page=10**20) == []
    versions = v1.versions.list_training_job_versions(first.job_id).versions
    assert [version.pre_version_id for version in versions] == [None, *(each.version_id for each in made[:-1])]
    assert (made[2].job_name, made[2].version_name, made[2].status) == (first.job_name, "V0003", 1)
    config = v1.config(pre_version_id=int(other.version_id))
    with pytest.raises(ApiError, match=rf"pre_version_id.*no version {other.version_id}"):
        v1.versions.create_training_job_version(first.job_id, {"config": config})


def test_a_job_without_versions_gets_its_first_one(v1: Any) -> None:
    """A request has to name a version before, although there is none."""
    job = v1.create(create_version=False)

    created = v1.versions.create_training_job_version(job.job_id, {"config": v1.config(pre_version_id=0)})

    assert (created.version_name, v1.show(created).pre_version_id) == ("V0001", None)


def planned(v1: Any, **plan: Any) -> Any:
    """A version that does this."""
    name = v1.unique("planned")
    v1.plan(name, **plan)
    return v1.create(name)


def test_the_end_of_a_version_has_its_status_in_which_it_cannot_be_stopped(v1: Any) -> None:
    """One that is stopped before is being cancelled, and then cancelled."""
    stopped = planned(v1, duration=1000, stop_duration=5)
    v1.advance(10)
    v1.versions.stop_training_job_version(stopped.job_id, stopped.version_id)
    assert v1.show(stopped).status == 9

    ends: dict[int, dict[str, Any]] = {10: {"exit_code": 0}, 11: {"exit_code": 3}, 14: {"failure": "node_lost@1"}}
    ended = {status: planned(v1, **plan) for status, plan in ends.items()} | {12: stopped}
    v1.advance(100)
    for status, version in ended.items():
        assert v1.show(version).status == status, status
        with pytest.raises(ApiError, match=rf"This job can't be stop\. job status: {status}") as rejection:
            v1.versions.stop_training_job_version(version.job_id, version.version_id)
        assert rejection.value.error_code == "ModelArts.0105", status


def test_metrics_are_an_object_in_the_details_and_text_in_the_list(v1: Any) -> None:
    created = planned(v1, metrics={"cpuUsage": [3.1, 50], "gpuUtil": -1}, duration=120)
    v1.advance(300)

    shown = v1.show(created).to_dict()["system_metric_list"]
    listed = v1.versions.list_training_job_versions(created.job_id).versions[0].to_dict()["system_metric_list"]

    assert shown["cpuUsage"] == ["3.10", "50.00"]
    assert shown["gpuUtil"] == ["0", "0"]
    assert json.loads(listed) == shown


def test_only_one_active_version_of_a_project_writes_to_a_place(v1: Any) -> None:
    """The text is that of the service; the place counts, not how it is written.

    The output of another project's job bars nobody, although the projects of an account share its buckets.
    """
    place = f"/{v1.bucket}/{v1.unique('place')}/"
    v1.create(train_url=place)

    with pytest.raises(ApiError, match=r"Other running job contain train_url: ") as rejection:
        v1.create(train_url=f"obs:/{place.removesuffix('/')}")
    assert rejection.value.error_code == "ModelArts.0105"
    other = V1Service(v1.emulator, v1.emulator.add_identity("neighbour", account="emulator", project="eu-de_other"))
    assert other.create(train_url=place).job_id
    other.ma.close()
    v1.advance(60)
    assert v1.create(train_url=place).job_id


def test_when_the_newest_version_is_deleted_the_one_before_is_the_newest(v1: Any) -> None:
    """The deleted version is gone, its number is not used again, and its job stays."""
    first = v1.create()
    second = v1.create_version(first)

    v1.versions.delete_training_job_version(first.job_id, second.version_id)

    job = v1.jobs.list_training_jobs(search_content=first.job_name).jobs[0]
    assert (job.version_id, job.version_count) == (first.version_id, 1)
    with pytest.raises(ApiError, match=rf"has no version {second.version_id}"):
        v1.show(second)
    third = v1.create_version(first)
    assert third.version_name == "V0003"
    for version in (first, third):
        v1.versions.delete_training_job_version(first.job_id, version.version_id)
    job = v1.jobs.list_training_jobs(search_content=first.job_name).jobs[0]
    assert (job.version_id, job.version_count, job.status) == (None, 0, None)
    assert v1.versions.list_training_job_versions(first.job_id).versions == []


def test_a_version_that_cannot_be_started_has_failed_to_be_submitted(staged: Any, puppet: Any) -> None:
    """In the details and in the list of jobs, whose condition finds it under this status only."""
    puppet.failure = ValueError("no such program")
    v1 = V1Service(staged.emulator)
    created = v1.create()
    staged.eventually(lambda: v1.show(created).status == SUBMIT_FAILED)

    found = {status: v1.jobs.list_training_jobs(status=str(status)).jobs for status in (SUBMIT_FAILED, LOST)}

    assert [(job.job_id, job.status) for job in found[SUBMIT_FAILED]] == [(created.job_id, SUBMIT_FAILED)]
    assert found[LOST] == []
    v1.ma.close()
