"""Algorithms: created, shown, listed, changed and deleted."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from tests.emulator.conftest import rejected

from modelarts_emulator.storage.folder import FolderStore

CODE = "/cnnorth4-job-test-v2/pytorch/fast_example/code/"


def address(algorithm: Any) -> str:
    return f"/algorithms/{algorithm['metadata']['id']}"


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
    shown = api.call("GET", address(algorithm))
    assert (shown.status_code, shown.json()) == (200, algorithm)


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


def test_an_algorithm_without_a_name_or_a_configuration_that_could_be_run_is_rejected(api: Any) -> None:
    """As a job would be; an algorithm needs its program."""
    for config, code in (
        ({"code_dir": None}, "ModelArts.2757"),
        ({"boot_file": None}, "ModelArts.2758"),
        ({"boot_file": f"{CODE}other/test-pytorch.py"}, "ModelArts.2792"),
        ({"engine": None}, "ModelArts.2780"),
        ({"command": "true"}, "ModelArts.2806"),
        ({"inputs": [{"name": "a"}, {"name": "a"}]}, "ModelArts.2753"),
        ({"outputs": [{"name": "a/b"}]}, "ModelArts.2753"),
    ):
        assert api.rejection(api.algorithm_body(**config), "/algorithms") == (400, code), config
    for member, value, code in (
        ("metadata", None, "ModelArts.2788"),
        ("job_config", None, "ModelArts.2788"),
        ("metadata", {"name": "no blanks"}, "ModelArts.2788"),
        ("metadata", {"name": "fine", "id": 7}, "ModelArts.2788"),
        ("metadata", {"name": "fine", "workspace_id": "7"}, "ModelArts.0102"),
    ):
        assert api.rejection(api.algorithm_body() | {member: value}, "/algorithms") == (400, code), (member, value)


def test_a_deleted_algorithm_is_gone_at_once_and_its_jobs_stay(api: Any) -> None:
    algorithm_id = api.create_algorithm(inputs=[], outputs=[])["metadata"]["id"]
    job = api.create_job(api.job_body(id=algorithm_id))

    deleted = api.call("DELETE", f"/algorithms/{algorithm_id}")

    assert (deleted.status_code, deleted.content) == (202, b"")
    calls: dict[str, Any] = {"GET": {}, "PUT": {"json": {}}, "DELETE": {}}
    path = f"/algorithms/{algorithm_id}"
    answers = {method: rejected(api.call(method, path, **body)) for method, body in calls.items()}
    assert answers == dict.fromkeys(calls, (400, "ModelArts.2755"))
    assert api.rejection(api.job_body(id=algorithm_id)) == (400, "ModelArts.2755")
    assert api.job(job["metadata"]["id"])["algorithm"]["id"] == algorithm_id


EPOCHS = {"name": "epochs", "value": "10", "constraint": {"type": "Integer", "editable": True, "required": True}}


def test_a_part_that_is_given_replaces_the_stored_one_and_the_others_stay(api: Any) -> None:
    """A job keeps what it took over from the algorithm; a name in use cannot be taken."""
    stored = api.create_algorithm(inputs=None, outputs=None, parameters=[EPOCHS])
    name = api.unique("renamed")
    api.store.put(api.bucket, "other/boot.py", b"print('something else')\n")
    program = {"code_dir": f"/{api.bucket}/other/", "boot_file": f"/{api.bucket}/other/boot.py"}

    job = api.create_job(api.job_body() | {"algorithm": {"id": stored["metadata"]["id"]}})

    renamed = api.call("PUT", address(stored), json={"metadata": {"name": name}}).json()
    config = {**program, "engine": {"engine_id": stored["job_config"]["engine"]["engine_id"]}}
    recoded = api.call("PUT", address(stored), json={"job_config": config}).json()

    assert (renamed["metadata"]["name"], renamed["metadata"]["description"]) == (name, "")
    assert renamed["metadata"]["id"] == stored["metadata"]["id"]
    assert renamed["metadata"]["update_time"] >= stored["metadata"]["create_time"]
    assert renamed["job_config"] == stored["job_config"]
    assert recoded["metadata"]["name"] == name
    assert recoded["metadata"]["size"] == len(b"print('something else')\n")
    assert recoded["job_config"]["boot_file"] == program["boot_file"]
    assert recoded["job_config"]["parameters"] == []
    assert api.call("GET", address(stored)).json() == recoded
    assert api.job(job["metadata"]["id"])["algorithm"] == job["algorithm"]

    described = {"name": name, "id": stored["metadata"]["id"], "description": "new"}
    kept = api.call("PUT", address(stored), json={"metadata": described})
    assert (kept.status_code, kept.json()["metadata"]["description"]) == (201, "new")
    taken = {"metadata": {"name": api.create_algorithm()["metadata"]["name"]}}
    assert rejected(api.call("PUT", address(stored), json=taken)) == (400, "ModelArts.2821")


def test_requirements_and_search_are_kept_shown_and_replaced(api: Any) -> None:
    """A request says `values`, a response `value`."""
    body = api.algorithm_body()
    body["advanced_config"] = api.example("createAlgorithm.hyperparameter-search")["advanced_config"]
    stored = api.call("POST", "/algorithms", json=body).json()
    assert stored["advanced_config"] == body["advanced_config"]
    requirements = [{"key": "flavor_type", "values": ["CPU"], "operator": "in"}]

    response = api.call("PUT", address(stored), json={"resource_requirements": requirements, "advanced_config": {}})

    assert response.status_code == 201
    assert response.json()["resource_requirements"] == [{"key": "flavor_type", "value": ["CPU"], "operator": "in"}]
    assert response.json()["advanced_config"] == {}


def test_a_change_that_is_rejected_changes_nothing(api: Any) -> None:
    stored = api.create_algorithm()
    for change, code in (
        ({"metadata": {"name": "spa ced"}}, "ModelArts.2788"),
        ({"metadata": {"name": "another", "id": "another-id"}}, "ModelArts.2788"),
        ({"metadata": {"name": "another", "workspace_id": "7"}}, "ModelArts.0102"),
        ({"job_config": {"code_dir": "/bucket/code/", "boot_file": "/bucket/code/boot.py"}}, "ModelArts.2780"),
        ({"job_config": {}}, "ModelArts.2757"),
        ({"colour": "red"}, "ModelArts.2788"),
    ):
        assert rejected(api.call("PUT", address(stored), json=change)) == (400, code), change
    assert api.call("GET", address(stored)).json() == stored


def test_a_change_that_waits_for_object_storage_keeps_nobody_from_writing(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code is looked at before the transaction begins."""
    slow, other = api.create_algorithm(), api.create_algorithm()
    is_asked, is_free, look = threading.Event(), threading.Event(), FolderStore.sizes

    def sizes(store: FolderStore, bucket: str, prefix: str = "") -> Any:
        if bucket == "slow-bucket":
            is_asked.set()
            is_free.wait(300)
        return look(store, bucket, prefix)

    monkeypatch.setattr(FolderStore, "sizes", sizes)
    program = {"code_dir": "/slow-bucket/code/", "boot_file": "/slow-bucket/code/train.py"}
    config = {**program, "engine": {"engine_id": slow["job_config"]["engine"]["engine_id"]}}
    responses: list[Any] = []
    changing = threading.Thread(
        target=lambda: responses.append(api.call("PUT", address(slow), json={"job_config": config}))
    )
    changing.start()
    assert is_asked.wait(300)

    assert api.call("PUT", address(other), json={"metadata": {"name": api.unique("quick")}}).status_code == 201
    assert not responses
    is_free.set()
    changing.join()
    assert responses[0].json()["error_code"] == "ModelArts.2773"


def test_a_list_is_sorted_searched_and_cut_into_pages_by_number_of_algorithms(api: Any) -> None:
    prefix = api.unique("list")
    for name in ("b", "a", "c"):
        body = api.algorithm_body()
        body["metadata"]["name"] = f"{prefix}-{name}"
        api.call("POST", "/algorithms", json=body)
        time.sleep(0.002)  # Times are kept in milliseconds.

    def found(**query: Any) -> list[str]:
        page = api.call("GET", "/algorithms", params={"searches": f"name:{prefix.upper()}", **query}).json()
        return [item["metadata"]["name"].rpartition("-")[2] for item in page["items"]]

    assert found(sort_by="name") == ["c", "b", "a"]
    assert found(sort_by="name", order="asc") == ["a", "b", "c"]
    assert found() == ["c", "a", "b"]  # the newest first
    assert found(order="asc") == ["b", "a", "c"]
    assert found(sort_by="name", limit=2) == ["c", "b"]
    assert found(sort_by="name", limit=2, offset=1) == ["b", "a"]
    assert found(offset=3) == []
    page = api.call("GET", "/algorithms", params={"searches": f"name:{prefix}", "limit": 1}).json()
    assert len(page.pop("items")) == 1
    asked = {"limit": 1, "offset": 0, "sort_by": "create_time", "order": "desc", "group_by": ""}
    assert page == {"total": 3, "count": 1, **asked}
    totals = {api.call("GET", "/algorithms", params={"searches": text}).json()["total"] for text in ("", "name:")}
    assert totals == {api.call("GET", "/algorithms").json()["total"]}  # a condition without a text restricts nothing


def test_a_list_that_cannot_be_made_is_rejected(api: Any) -> None:
    for query, code in (
        ({"limit": "51"}, "ModelArts.2764"),
        ({"offset": "-1"}, "ModelArts.2764"),
        ({"order": "newest"}, "ModelArts.2764"),
        ({"searches": "digits"}, "ModelArts.2764"),
        ({"searches": "colour:red"}, "ModelArts.2807"),
        ({"sort_by": "colour"}, "ModelArts.2790"),
        ({"group_by": "name"}, "ModelArts.2788"),
        ({"workspace_id": "7"}, "ModelArts.0102"),
    ):
        assert rejected(api.call("GET", "/algorithms", params=query)) == (400, code), query


TAGS = "/modelarts-training-job"


def tag(api: Any, job_id: str, **tags: str) -> None:
    body = {"tags": [{"key": key, "value": value} for key, value in tags.items()]}
    response = api.call("POST", f"{TAGS}/{job_id}/tags/create", json=body)
    assert (response.status_code, response.content) == (204, b""), response.text


def tags_of(api: Any, job_id: str) -> dict[str, str]:
    found = api.call("GET", f"{TAGS}/{job_id}/tags").json()["tags"]
    return {entry["key"]: entry["value"] for entry in found}


def found_by(api: Any, **conditions: Any) -> list[str]:
    """The names of the jobs that meet the conditions, which are also counted."""
    found = api.call("POST", f"{TAGS}/resource-instances/filter", json=conditions).json()
    count = api.call("POST", f"{TAGS}/resource-instances/count", json=conditions).json()["total_count"]
    assert count == found["total_count"] == len(found["resources"])
    return [entry["resource_name"] for entry in found["resources"]]


def test_a_tag_has_the_value_that_was_set_last_and_is_removed_by_its_key(api: Any) -> None:
    """And by its value, if one is given."""
    job = api.create_job()["metadata"]
    tag(api, job["id"], team="vision", stage="test", kept="yes", **{"größe @": "a/b = c"})
    tag(api, job["id"], team="speech")
    assert tags_of(api, job["id"]) == {"größe @": "a/b = c", "team": "speech", "stage": "test", "kept": "yes"}

    gone = [{"key": "team"}, {"key": "stage", "value": "test"}, {"key": "kept", "value": "no"}, {"key": "unknown"}]
    assert api.call("DELETE", f"{TAGS}/{job['id']}/tags/delete", json={"tags": gone}).status_code == 204
    assert tags_of(api, job["id"]) == {"größe @": "a/b = c", "kept": "yes"}


def test_forbidden_characters_of_a_tag_are_rejected(api: Any) -> None:
    job = api.create_job()["metadata"]
    wrong = [{"key": key} for key in ("a/b", " a", "a ", "_sys_a", "a*", "a\n")]
    wrong += [{"key": "a", "value": value} for value in ("b*", " b", "b\n")]

    for each in wrong:
        body = {"tags": [{"key": "right"}, each]}
        assert api.rejection(body, f"{TAGS}/{job['id']}/tags/create") == (400, "ModelArts.2788"), each
    assert tags_of(api, job["id"]) == {}


def test_jobs_are_found_by_all_of_the_keys_and_one_of_the_values(api: Any) -> None:
    first, second, third = (api.create_job()["metadata"] for _ in range(3))
    own = api.unique("owner")
    tag(api, first["id"], owner=own, stage="test")
    tag(api, second["id"], owner=own, stage="run")
    wanted = {"key": "owner", "values": [own]}

    assert found_by(api, tags=[wanted]) == [second["name"], first["name"]]
    assert found_by(api, tags=[wanted, {"key": "stage", "values": ["test", "none"]}]) == [first["name"]]
    assert found_by(api, tags=[wanted], matches=[{"key": "resource_name", "value": second["name"]}]) == [second["name"]]
    assert third["name"] in found_by(api, without_any_tag=True, tags=[wanted])
    listed = api.call("POST", "/training-job-searches", json={"tags": [wanted]}).json()["items"]
    assert [entry["metadata"]["name"] for entry in listed] == [second["name"], first["name"]]
    for wrong in ([{"key": "a"}, {"key": "a"}], [{"values": ["b"]}]):
        assert api.rejection({"tags": wrong}, f"{TAGS}/resource-instances/filter") == (400, "ModelArts.2788"), wrong


def test_the_keys_of_a_project_have_all_their_values_and_go_with_their_jobs(api: Any) -> None:
    key = api.unique("key")
    jobs = [api.create_job()["metadata"]["id"] for _ in range(3)]
    for job_id, value in zip(jobs, "bab", strict=True):
        tag(api, job_id, **{key: value})

    listed = api.call("GET", f"{TAGS}/tags").json()["tags"]
    assert {"key": key, "values": ["a", "b"]} in listed
    assert api.call("GET", f"{TAGS}/tags", params={"offset": len(listed), "limit": 1}).json() == {"tags": []}

    for job_id in jobs:
        api.call("DELETE", f"/training-jobs/{job_id}")
    assert key not in {entry["key"] for entry in api.call("GET", f"{TAGS}/tags").json()["tags"]}
    for method, path in (("GET", "tags"), ("POST", "tags/create"), ("DELETE", "tags/delete")):
        body: dict[str, Any] = {"json": {"tags": []}} if method != "GET" else {}
        assert rejected(api.call(method, f"{TAGS}/{jobs[0]}/{path}", **body)) == (400, "ModelArts.2775"), (method, path)
