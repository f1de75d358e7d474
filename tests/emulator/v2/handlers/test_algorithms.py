"""Algorithms: created from code that is there, deleted, rejected with the service's codes."""

from __future__ import annotations

from typing import Any

import pytest

CODE = "/cnnorth4-job-test-v2/pytorch/fast_example/code/"
PARAMETER = {"name": "p", "value": "x", "constraint": {"type": "Integer"}}


def test_the_response_to_the_use_cases_algorithm_is_that_printed(api: Any) -> None:
    body = api.algorithm_body()
    printed = api.example("createAlgorithm.pytorch-use-case-created")
    own = {"id", "name", "create_time", "domain_id", "size", "user_name"}

    created = api.call("POST", "/algorithms", json=body)
    algorithm = created.json()

    assert created.status_code == 201
    assert "command" not in printed["job_config"]
    assert algorithm["job_config"] == printed["job_config"] | {"command": ""}
    assert {name: algorithm[name] for name in printed if name not in ("metadata", "job_config")} == {
        name: printed[name] for name in printed if name not in ("metadata", "job_config")
    }
    shown, expected = ({k: v for k, v in each["metadata"].items() if k not in own} for each in (algorithm, printed))
    assert expected == shown
    assert algorithm["metadata"]["size"] == len(b"print('trained')\n")


def test_the_code_tree_shows_folders_and_files(api: Any) -> None:
    prefix = api.unique("tree")
    for name in ("train.py", "lib/a.py", "lib/deep/b.py", "z.txt"):
        api.store.put(api.bucket, f"{prefix}/{name}", b"12345")
    folder = f"/{api.bucket}/{prefix}/"

    algorithm = api.create_algorithm(code_dir=folder, boot_file=f"{folder}train.py")

    assert algorithm["metadata"]["size"] == 20
    assert algorithm["job_config"]["code_tree"] == {
        "name": f"{prefix}/",
        "children": [
            {
                "name": "lib/",
                "children": [{"name": "a.py"}, {"name": "deep/", "children": [{"name": "b.py"}]}],
            },
            {"name": "train.py"},
            {"name": "z.txt"},
        ],
    }


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"code_dir": None}, "ModelArts.2757"),
        ({"boot_file": None}, "ModelArts.2758"),
        ({"code_dir": "/no-such-bucket/code/", "boot_file": "/no-such-bucket/code/a.py"}, "ModelArts.2757"),
        ({"code_dir": "code"}, "ModelArts.2791"),
        ({"boot_file": f"{CODE}other/test-pytorch.py"}, "ModelArts.2792"),
        ({"boot_file": f"{CODE}cpu/none.py"}, "ModelArts.2758"),
        ({"engine": {"engine_id": "none"}}, "ModelArts.2780"),
        ({"engine": None}, "ModelArts.2780"),
        ({"command": "true"}, "ModelArts.2806"),
        ({"parameters": [PARAMETER]}, "ModelArts.2768"),
        ({"parameters": [{"name": "p", "value": "1"}] * 2}, "ModelArts.2767"),
        ({"inputs": [{"name": "a"}, {"name": "a"}]}, "ModelArts.2753"),
        ({"outputs": [{"name": "a/b"}]}, "ModelArts.2753"),
    ],
)
def test_an_algorithm_that_could_not_be_run_is_rejected(api: Any, config: Any, code: str) -> None:
    assert api.rejection(api.algorithm_body(**config), "/algorithms") == (400, code)


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("metadata", None, "ModelArts.2788"),
        ("job_config", None, "ModelArts.2788"),
        ("metadata", {"name": "no blanks"}, "ModelArts.2788"),
        ("metadata", {"name": "fine", "id": 7}, "ModelArts.2788"),
        ("metadata", {"name": "fine", "workspace_id": "7"}, "ModelArts.0102"),
    ],
)
def test_an_algorithm_needs_a_name_and_a_configuration(api: Any, member: str, value: Any, code: str) -> None:
    body = {name: inner for name, inner in (api.algorithm_body() | {member: value}).items() if inner is not None}

    assert api.rejection(body, "/algorithms") == (400, code)


def test_a_second_algorithm_of_the_same_name_is_rejected(api: Any) -> None:
    body = api.algorithm_body()
    api.call("POST", "/algorithms", json=body)

    assert api.rejection(body, "/algorithms") == (400, "ModelArts.2821")


def test_a_deleted_algorithm_is_gone_at_once_and_its_jobs_stay(api: Any) -> None:
    algorithm_id = api.create_algorithm(inputs=[], outputs=[])["metadata"]["id"]
    job = api.create_job(api.job_body(id=algorithm_id))

    deleted = api.call("DELETE", f"/algorithms/{algorithm_id}")

    assert (deleted.status_code, deleted.content) == (202, b"")
    again = api.call("DELETE", f"/algorithms/{algorithm_id}")
    assert (again.status_code, again.json()["error_code"]) == (400, "ModelArts.2755")
    assert api.rejection(api.job_body(id=algorithm_id)) == (400, "ModelArts.2755")
    assert api.job(job["metadata"]["id"])["algorithm"]["id"] == algorithm_id


def test_an_algorithm_on_a_custom_image_keeps_its_command(api: Any) -> None:
    algorithm = api.create_algorithm(
        code_dir=None, boot_file=None, engine={"image_url": "user/image:1"}, command="true", inputs=[], outputs=[]
    )
    job = api.create_job(api.job_body(id=algorithm["metadata"]["id"], code_dir=None, boot_file=None, engine=None))

    assert algorithm["job_config"]["engine"] == {"image_url": "user/image:1"}
    assert job["algorithm"]["command"] == "true"


def test_a_search_of_hyperparameters_is_kept_with_the_algorithm(api: Any) -> None:
    body = api.algorithm_body()
    body["advanced_config"] = api.example("createAlgorithm.hyperparameter-search")["advanced_config"]

    assert api.call("POST", "/algorithms", json=body).json()["advanced_config"] == body["advanced_config"]


def test_the_code_of_another_account_makes_no_algorithm(api: Any) -> None:
    bucket = api.unique("theirs")
    api.store.create_bucket(bucket, owner="somebody-else")
    api.store.put(bucket, "code/train.py", b"print()")
    config = {"code_dir": f"/{bucket}/code/", "boot_file": f"/{bucket}/code/train.py"}
    algorithm_id = api.create_algorithm()["metadata"]["id"]

    created = api.call("POST", "/algorithms", json=api.algorithm_body(**config))
    changed = api.call("PUT", f"/algorithms/{algorithm_id}", json=api.algorithm_body(**config))

    for response in (created, changed):
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2791")
        assert f"bucket {bucket} belongs to another account" in response.json()["error_msg"]
