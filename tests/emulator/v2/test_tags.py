"""Tags of jobs, and the jobs that are found by them."""

from __future__ import annotations

from typing import Any

import pytest

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
