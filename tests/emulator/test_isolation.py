"""Several accounts and projects in one emulator: nobody finds the things of another project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, new_puppet: Any, log_in: Any) -> Iterator[Any]:
    """A user with a job and an algorithm, one of another account, and one of another project of the account."""
    folder: Path = tmp_path_factory.mktemp("isolation")
    with Emulator(
        folder, check_responses=True, executor=new_puppet(folder), keep_jobs=True, max_jobs=2, region="eu-nl"
    ) as emulator:
        owner = log_in(emulator)
        stranger = log_in(emulator, emulator.add_identity("bert", account="umbrella"))
        sibling = log_in(emulator, emulator.add_identity("developer", project="eu-nl_research"))
        owner.job_id = owner.create_job()["metadata"]["id"]
        owner.algorithm_id = owner.create_algorithm()["metadata"]["id"]
        yield owner, {"account": stranger, "project": sibling}


@pytest.mark.parametrize("other", ["account", "project"])
@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/training-jobs/{job_id}", "ModelArts.2775"),
        ("DELETE", "/training-jobs/{job_id}", "ModelArts.2775"),
        ("GET", "/training-jobs/{job_id}/events", "ModelArts.2775"),
        ("GET", "/training-jobs/{job_id}/tasks/worker-0/logs/preview", "ModelArts.2775"),
        ("GET", "/training-jobs/{job_id}/tasks/worker-0/logs/url", "ModelArts.2775"),
        ("GET", "/training-jobs/{job_id}/metrics/worker-0", "ModelArts.2775"),
        ("GET", "/training-jobs/{job_id}/autosearch-trials", "ModelArts.2775"),
        ("GET", "/algorithms/{algorithm_id}", "ModelArts.2755"),
        ("DELETE", "/algorithms/{algorithm_id}", "ModelArts.2755"),
    ],
)
def test_things_of_another_project_are_not_found(stage: Any, other: str, method: str, path: str, code: str) -> None:
    owner, others = stage
    response = others[other].call(method, path.format(job_id=owner.job_id, algorithm_id=owner.algorithm_id))

    assert (response.status_code, response.json()["error_code"]) == (400, code)


@pytest.mark.parametrize("other", ["account", "project"])
def test_lists_show_the_things_of_the_project_only(stage: Any, other: str) -> None:
    _, others = stage

    assert others[other].call("POST", "/training-job-searches", json={}).json()["total"] == 0
    assert others[other].call("GET", "/algorithms").json()["total"] == 0


@pytest.mark.parametrize("other", ["account", "project"])
def test_a_token_is_good_for_its_project_only(stage: Any, other: str) -> None:
    owner, others = stage
    response = others[other].http.get(f"{owner.project}/training-jobs/{owner.job_id}")

    assert (response.status_code, response.json()["error_code"]) == (404, "ModelArts.2786")


def test_names_and_the_quota_are_those_of_a_project(stage: Any) -> None:
    """Two projects have a job of the same name, and a full project leaves room in the other."""
    owner, others = stage
    body = owner.job_body()

    assert owner.call("POST", "/training-jobs", json=body).status_code == 201
    assert owner.rejection(owner.job_body()) == (400, "ModelArts.2815")
    created = others["project"].call("POST", "/training-jobs", json=body)
    assert created.status_code == 201
    assert others["project"].call("DELETE", f"/training-jobs/{created.json()['metadata']['id']}").status_code == 202


def test_a_job_cannot_run_the_algorithm_of_another_project(stage: Any) -> None:
    owner, others = stage
    body = owner.job_body()
    body["algorithm"] = {"id": owner.algorithm_id}

    assert others["account"].rejection(body) == (400, "ModelArts.2755")


def test_a_user_lists_its_own_projects_only(stage: Any) -> None:
    owner, others = stage

    def names(client: Any) -> list[str]:
        return sorted(project["name"] for project in client.http.get("/v3/projects").json()["projects"])

    assert names(owner) == ["eu-nl", "eu-nl_research"]
    assert names(others["account"]) == ["eu-nl"]
    assert others["account"].identity.project_id != owner.identity.project_id
