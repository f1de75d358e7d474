"""Several accounts and projects in one emulator: nobody finds the things of another project."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import rejected
from tests.emulator.v1.conftest import VisualizationJobs

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
        experiment = owner.call("POST", "/training-experiments", json={"metadata": {"name": "group"}}).json()
        owner.experiment_id = experiment["metadata"]["id"]
        yield owner, {"account": stranger, "project": sibling}


def test_things_of_another_project_are_not_found(stage: Any) -> None:
    owner, others = stage
    job, algorithm = f"/training-jobs/{owner.job_id}", f"/algorithms/{owner.algorithm_id}"
    for method, path, code in (
        ("GET", job, "ModelArts.2775"),
        ("DELETE", job, "ModelArts.2775"),
        ("POST", f"{job}/actions", "ModelArts.2775"),
        ("GET", f"{job}/events", "ModelArts.2775"),
        ("GET", f"{job}/tasks/worker-0/logs/preview", "ModelArts.2775"),
        ("GET", f"{job}/tasks/worker-0/logs/url", "ModelArts.2775"),
        ("GET", f"{job}/metrics/worker-0", "ModelArts.2775"),
        ("GET", f"{job}/autosearch-trials", "ModelArts.2775"),
        ("GET", algorithm, "ModelArts.2755"),
        ("DELETE", algorithm, "ModelArts.2755"),
        ("GET", f"/training-experiments/{owner.experiment_id}", "ModelArts.2842"),
        ("DELETE", f"/training-experiments/{owner.experiment_id}", "ModelArts.2842"),
        ("GET", f"/modelarts-training-job/{owner.job_id}/tags", "ModelArts.2775"),
    ):
        for other in others.values():
            body = {"json": {"action_type": "terminate"}} if method == "POST" else {}
            assert rejected(other.call(method, path, **body)) == (400, code), path


def test_lists_and_tokens_are_those_of_the_project_only(stage: Any) -> None:
    owner, others = stage
    for name, other in others.items():
        assert other.call("POST", "/training-job-searches", json={}).json()["total"] == 0, name
        assert other.call("GET", "/algorithms").json()["total"] == 0, name
        assert other.call("GET", "/training-experiments").json()["items"] == [], name
        for path in (f"training-jobs/{owner.job_id}", "training-job-flavors"):
            assert rejected(other.http.get(f"{owner.project}/{path}")) == (404, "ModelArts.2786"), (name, path)
    assert owner.call("POST", "/training-job-searches", json={}).json()["total"] > 0


def test_names_and_the_quota_are_those_of_a_project(stage: Any) -> None:
    """Two projects have a job of the same name, and a full project leaves room in the other."""
    owner, others = stage
    body = owner.job_body()

    assert owner.call("POST", "/training-jobs", json=body).status_code == 201
    assert owner.rejection(owner.job_body()) == (400, "ModelArts.2815")
    created = others["project"].call("POST", "/training-jobs", json=body)
    assert created.status_code == 201
    assert others["project"].call("DELETE", f"/training-jobs/{created.json()['metadata']['id']}").status_code == 202


def test_a_job_can_neither_run_the_algorithm_of_another_project_nor_join_its_experiment(stage: Any) -> None:
    owner, others = stage
    running = owner.job_body(id=owner.algorithm_id)
    joining = owner.job_body()
    joining["metadata"]["training_experiment_reference"] = {"id": owner.experiment_id}

    for name, other in others.items():
        assert other.rejection(running) == (400, "ModelArts.2755"), name
        assert other.rejection(joining) == (400, "ModelArts.2842"), name


def test_a_user_lists_its_own_projects_only(stage: Any) -> None:
    owner, others = stage

    def names(client: Any) -> list[str]:
        return sorted(project["name"] for project in client.http.get("/v3/projects").json()["projects"])

    assert names(owner) == ["eu-nl", "eu-nl_research"]
    assert names(others["account"]) == ["eu-nl"]
    assert others["account"].identity.project_id != owner.identity.project_id


@pytest.fixture
def changing_hands(live: Any, log_in: Any) -> Callable[[], None]:
    """A bucket `swap` of the user of `live`; the call deletes it and makes one of that name for another account."""
    other = log_in(live.emulator, live.emulator.add_identity("bert", account="umbrella"))
    live.store.create_bucket("swap", owner=live.identity.domain_id)

    def change() -> None:
        live.store.delete_bucket("swap")
        live.store.create_bucket("swap", owner=other.identity.domain_id)

    return change


def test_a_running_job_writes_nothing_into_a_bucket_that_another_account_has_now(
    live: Any, changing_hands: Callable[[], None], tmp_path: Path
) -> None:
    """Neither outputs nor the log; the job fails and says why."""
    flag = tmp_path / "go-on"
    script = "while [ ! -e $FLAG ]; do sleep 0.05; done; echo private > $OUT/weights"
    output = {"name": "OUT", "remote": {"obs": {"obs_url": "/swap/out/"}}, "access_method": "env"}
    body = live.job_body(command=script, code_dir=None, boot_file=None, engine={"image_url": "any/image:1"})
    body["algorithm"] |= {"environments": {"FLAG": str(flag)}, "outputs": [output]}
    body["spec"]["log_export_path"] = {"obs_url": "/swap/logs/"}
    job_id = live.create_job(body)["metadata"]["id"]
    live.wait_for_phase(job_id, "Running")

    changing_hands()
    flag.touch()

    assert live.wait_for_phase(job_id, "Completed", "Failed")["status"]["phase"] == "Failed"
    assert list(live.store.sizes("swap")) == []
    log = live.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/preview").json()["content"]
    assert "output OUT: cannot upload to /swap/out/: bucket swap belongs to another account" in log


def test_a_visualization_job_is_not_restarted_on_a_bucket_that_another_account_has_now(
    live: Any, changing_hands: Callable[[], None]
) -> None:
    jobs = VisualizationJobs(live)
    created = jobs.create(train_url="/swap/logs/")
    jobs.act(created, "stop")
    live.eventually(lambda: jobs.show(created)["status"] == 12)

    changing_hands()
    response = jobs.call("POST", f"/{created}/restart")

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.0104")
    assert "bucket swap belongs to another account" in response.text
