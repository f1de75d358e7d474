"""A stored algorithm can be looked up, and changed part by part."""

from __future__ import annotations

import threading
from typing import Any

import pytest

PARAMETER = {"name": "epochs", "value": "10", "constraint": {"type": "Integer", "editable": True, "required": True}}


def address(algorithm: Any) -> str:
    return f"/algorithms/{algorithm['metadata']['id']}"


def test_an_algorithm_is_shown_as_it_was_stored(api: Any) -> None:
    stored = api.create_algorithm()

    response = api.call("GET", address(stored))

    assert (response.status_code, response.json()) == (200, stored)


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_algorithm_that_does_not_exist_is_rejected_with_its_code(api: Any, method: str) -> None:
    response = api.call(method, "/algorithms/no-such-id", **({"json": {}} if method == "PUT" else {}))

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2755")


def test_a_part_that_is_given_replaces_the_stored_one_and_the_others_stay(api: Any) -> None:
    stored = api.create_algorithm(parameters=[PARAMETER])
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


def test_requirements_and_search_are_replaced_as_well(api: Any) -> None:
    stored = api.create_algorithm()
    requirements = [{"key": "flavor_type", "values": ["CPU"], "operator": "in"}]

    response = api.call("PUT", address(stored), json={"resource_requirements": requirements, "advanced_config": {}})

    assert response.status_code == 201
    assert response.json()["resource_requirements"] == [{"key": "flavor_type", "value": ["CPU"], "operator": "in"}]
    assert response.json()["advanced_config"] == {}


def test_an_algorithm_may_keep_its_name_when_it_is_changed(api: Any) -> None:
    stored = api.create_algorithm()
    metadata = {"name": stored["metadata"]["name"], "id": stored["metadata"]["id"], "description": "new"}

    response = api.call("PUT", address(stored), json={"metadata": metadata})

    assert (response.status_code, response.json()["metadata"]["description"]) == (201, "new")


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


def test_an_algorithm_cannot_take_the_name_of_another(api: Any) -> None:
    first, second = api.create_algorithm(), api.create_algorithm()

    response = api.call("PUT", address(second), json={"metadata": {"name": first["metadata"]["name"]}})

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2821")


def test_a_job_keeps_what_it_took_over_when_its_algorithm_is_changed(api: Any) -> None:
    stored = api.create_algorithm(inputs=None, outputs=None, parameters=[PARAMETER])
    body = api.job_body() | {"algorithm": {"id": stored["metadata"]["id"]}}
    job = api.create_job(body)

    api.call("PUT", address(stored), json={"metadata": {"name": api.unique("renamed")}})

    assert api.job(job["metadata"]["id"])["algorithm"] == job["algorithm"]


def test_a_change_that_waits_for_object_storage_keeps_nobody_from_writing(
    api: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code is looked at before the transaction begins."""
    slow, other = api.create_algorithm(), api.create_algorithm()
    store = api.emulator.objects._store  # the one that the handlers use
    is_asked, is_free, look = threading.Event(), threading.Event(), store.head_bucket

    def head_bucket(name: str) -> Any:
        if name == "slow-bucket":
            is_asked.set()
            is_free.wait(15)
        return look(name)

    monkeypatch.setattr(store, "head_bucket", head_bucket)
    program = {"code_dir": "/slow-bucket/code/", "boot_file": "/slow-bucket/code/train.py"}
    config = {**program, "engine": {"engine_id": slow["job_config"]["engine"]["engine_id"]}}
    responses: list[Any] = []
    changing = threading.Thread(
        target=lambda: responses.append(api.call("PUT", address(slow), json={"job_config": config}))
    )
    changing.start()
    assert is_asked.wait(15)

    assert api.call("PUT", address(other), json={"metadata": {"name": api.unique("quick")}}).status_code == 201
    assert not responses
    is_free.set()
    changing.join()
    assert responses[0].json()["error_code"] == "ModelArts.2757"
