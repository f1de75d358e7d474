"""Algorithms: created, shown, listed, changed and deleted."""

from __future__ import annotations

import threading
import time
from typing import Any

import httpx
import pytest

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


def test_an_algorithm_that_could_not_be_run_is_rejected(api: Any) -> None:
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


def test_a_deleted_algorithm_is_gone_at_once_and_its_jobs_stay(api: Any) -> None:
    algorithm_id = api.create_algorithm(inputs=[], outputs=[])["metadata"]["id"]
    job = api.create_job(api.job_body(id=algorithm_id))

    deleted = api.call("DELETE", f"/algorithms/{algorithm_id}")

    assert (deleted.status_code, deleted.content) == (202, b"")
    for method in ("GET", "PUT", "DELETE"):
        again = api.call(method, f"/algorithms/{algorithm_id}", **({"json": {}} if method == "PUT" else {}))
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


EPOCHS = {"name": "epochs", "value": "10", "constraint": {"type": "Integer", "editable": True, "required": True}}


def test_a_part_that_is_given_replaces_the_stored_one_and_the_others_stay(api: Any) -> None:
    stored = api.create_algorithm(parameters=[EPOCHS])
    name = api.unique("renamed")
    api.store.put(api.bucket, "other/boot.py", b"print('something else')\n")
    program = {"code_dir": f"/{api.bucket}/other/", "boot_file": f"/{api.bucket}/other/boot.py"}

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


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"metadata": {"name": "spa ced"}}, "ModelArts.2788"),
        ({"metadata": {"name": "another", "id": "another-id"}}, "ModelArts.2788"),
        ({"metadata": {"name": "another", "workspace_id": "7"}}, "ModelArts.0102"),
        ({"job_config": {"code_dir": "/bucket/code/", "boot_file": "/bucket/code/boot.py"}}, "ModelArts.2780"),
        ({"job_config": {}}, "ModelArts.2757"),
        ({"colour": "red"}, "ModelArts.2788"),
    ],
)
def test_a_change_that_is_rejected_changes_nothing(api: Any, change: dict[str, Any], code: str) -> None:
    stored = api.create_algorithm()

    response = api.call("PUT", address(stored), json=change)

    assert (response.status_code, response.json()["error_code"]) == (400, code)
    assert api.call("GET", address(stored)).json() == stored


def test_an_algorithm_may_keep_its_name_and_cannot_take_that_of_another(api: Any) -> None:
    first, second = api.create_algorithm(), api.create_algorithm()
    metadata = {"name": second["metadata"]["name"], "id": second["metadata"]["id"], "description": "new"}

    kept = api.call("PUT", address(second), json={"metadata": metadata})
    taken = api.call("PUT", address(second), json={"metadata": {"name": first["metadata"]["name"]}})

    assert (kept.status_code, kept.json()["metadata"]["description"]) == (201, "new")
    assert (taken.status_code, taken.json()["error_code"]) == (400, "ModelArts.2821")


def test_a_job_keeps_what_it_took_over_when_its_algorithm_is_changed(api: Any) -> None:
    stored = api.create_algorithm(inputs=None, outputs=None, parameters=[EPOCHS])
    body = api.job_body() | {"algorithm": {"id": stored["metadata"]["id"]}}
    job = api.create_job(body)

    api.call("PUT", address(stored), json={"metadata": {"name": api.unique("renamed")}})

    assert api.job(job["metadata"]["id"])["algorithm"] == job["algorithm"]


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


@pytest.fixture
def stored(api: Any) -> Any:
    """A prefix, and a function that stores an algorithm under a name that begins with it."""
    prefix = api.unique("list")

    def store(name: str) -> Any:
        body = api.algorithm_body()
        body["metadata"]["name"] = f"{prefix}-{name}"
        return api.call("POST", "/algorithms", json=body).json()

    return prefix, store


def names(response: httpx.Response) -> list[str]:
    assert response.status_code == 200, response.text
    return [item["metadata"]["name"].rpartition("-")[2] for item in response.json()["items"]]


def test_a_list_is_sorted_searched_and_cut_into_pages_by_number_of_algorithms(api: Any, stored: Any) -> None:
    prefix, store = stored
    for name in ("b", "a", "c"):
        store(name)
        time.sleep(0.002)  # Times are kept in milliseconds.

    def found(**query: Any) -> list[str]:
        return names(api.call("GET", "/algorithms", params={"searches": f"name:{prefix.upper()}", **query}))

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


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"limit": "51"}, "ModelArts.2764"),
        ({"offset": "-1"}, "ModelArts.2764"),
        ({"order": "newest"}, "ModelArts.2764"),
        ({"searches": "digits"}, "ModelArts.2764"),
        ({"searches": "colour:red"}, "ModelArts.2807"),
        ({"sort_by": "colour"}, "ModelArts.2790"),
        ({"group_by": "name"}, "ModelArts.2788"),
        ({"workspace_id": "7"}, "ModelArts.0102"),
    ],
)
def test_a_list_that_cannot_be_made_is_rejected(api: Any, query: dict[str, str], code: str) -> None:
    response = api.call("GET", "/algorithms", params=query)

    assert (response.status_code, response.json()["error_code"]) == (400, code)


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


@pytest.fixture
def job(api: Any) -> Any:
    return api.create_job()["metadata"]


def test_a_key_of_a_job_has_the_value_that_was_set_last(api: Any, job: Any) -> None:
    tag(api, job["id"], team="vision", **{"größe @": "a/b = c"})
    tag(api, job["id"], team="speech")

    assert tags_of(api, job["id"]) == {"größe @": "a/b = c", "team": "speech"}


def test_a_tag_is_removed_by_its_key_and_the_value_if_one_is_given(api: Any, job: Any) -> None:
    tag(api, job["id"], team="vision", stage="test", kept="yes")
    gone = [{"key": "team"}, {"key": "stage", "value": "test"}, {"key": "kept", "value": "no"}, {"key": "unknown"}]

    assert api.call("DELETE", f"{TAGS}/{job['id']}/tags/delete", json={"tags": gone}).status_code == 204
    assert tags_of(api, job["id"]) == {"kept": "yes"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "a/b"}, {"key": " a"}, {"key": "a "}, {"key": "_sys_a"}, {"key": "a*"}, {"key": "a\n"},
        {"key": "a", "value": "b*"}, {"key": "a", "value": " b"}, {"key": "a", "value": "b\n"},
    ],
)  # fmt: skip
def test_forbidden_characters_of_a_tag_are_rejected(api: Any, job: Any, wrong: Any) -> None:
    path = f"{TAGS}/{job['id']}/tags/create"

    assert api.rejection({"tags": [{"key": "right"}, wrong]}, path) == (400, "ModelArts.2788")
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


def test_the_keys_of_a_project_have_all_their_values(api: Any) -> None:
    key = api.unique("key")
    jobs = [api.create_job()["metadata"]["id"] for _ in range(3)]
    for job_id, value in zip(jobs, "bab", strict=True):
        tag(api, job_id, **{key: value})

    listed = api.call("GET", f"{TAGS}/tags").json()["tags"]
    assert {"key": key, "values": ["a", "b"]} in listed
    assert api.call("GET", f"{TAGS}/tags", params={"offset": len(listed), "limit": 1}).json() == {"tags": []}


@pytest.mark.parametrize(
    "conditions",
    [
        {"tags": [{"key": "a"}, {"key": "a"}]},
        {"tags": [{"values": ["b"]}]},
    ],
)
def test_two_conditions_of_one_key_and_one_without_a_key_are_rejected(api: Any, conditions: Any) -> None:
    assert api.rejection(conditions, f"{TAGS}/resource-instances/filter") == (400, "ModelArts.2788")


def test_tags_go_with_their_job_which_has_to_exist(api: Any, job: Any) -> None:
    key = api.unique("key")
    tag(api, job["id"], **{key: "a"})
    api.call("DELETE", f"/training-jobs/{job['id']}")

    assert key not in {entry["key"] for entry in api.call("GET", f"{TAGS}/tags").json()["tags"]}
    for method, path in (("GET", "tags"), ("POST", "tags/create"), ("DELETE", "tags/delete")):
        body: dict[str, Any] = {"json": {"tags": []}} if method != "GET" else {}
        response = api.call(method, f"{TAGS}/{job['id']}/{path}", **body)
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2775")
