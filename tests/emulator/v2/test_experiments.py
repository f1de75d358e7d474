"""Experiments, and the jobs that join them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import insert
from tests.emulator.conftest import rejected, serve

from modelarts_emulator.engine.database import open_database
from modelarts_emulator.v2 import experiments

REFERENCE = "training_experiment_reference"


def create(api: Any, **metadata: Any) -> Any:
    response = api.call("POST", "/training-experiments", json={"metadata": {"name": api.unique("group"), **metadata}})
    assert response.status_code == 201, response.text
    return response.json()


def show(api: Any, experiment_id: str) -> Any:
    return api.call("GET", f"/training-experiments/{experiment_id}").json()


def joining(api: Any, **reference: Any) -> Any:
    body = api.job_body()
    body["metadata"][REFERENCE] = reference
    return body


def test_an_experiment_is_created_changed_found_and_deleted(api: Any) -> None:
    created = create(api, description="first")["metadata"]
    path = f"/training-experiments/{created['id']}"
    assert show(api, created["id"]) == {"metadata": created, "statistic": {"job_count": 0}}

    changed = api.call("PUT", path, json={"description": "second"}).json()
    assert changed == {"name": created["name"], "description": "second"}
    listed = api.call("GET", "/training-experiments", params={"sort_by": "name", "order": "asc", "limit": 5000}).json()
    names = [entry["metadata"]["name"] for entry in listed["items"]]
    assert created["name"] in names
    assert names == sorted(names)

    assert api.call("DELETE", path).status_code == 202
    calls: dict[str, Any] = {"GET": {}, "PUT": {"json": {}}, "DELETE": {}}
    answers = {method: rejected(api.call(method, path, **body)) for method, body in calls.items()}
    assert answers == dict.fromkeys(calls, (400, "ModelArts.2842"))


def test_pages_of_more_entries_than_a_page_holds_leave_none_out(tmp_path: Path) -> None:
    """A page has a thousand at most, and the offset counts such pages."""
    with serve(tmp_path, executor="simulated") as api:
        row = {"project_id": api.emulator.identity.project_id, "description": "", "jobs_made": 0, "update_time": 1}
        names = {f"many-{number}" for number in range(1100)}
        engine = open_database(tmp_path / "emulator.db")
        with engine.begin() as connection:
            rows = [{"id": name, "name": name, "create_time": 1, **row} for name in names]
            connection.execute(insert(experiments.experiments), rows)
        engine.dispose()

        pages = [
            api.call("GET", "/training-experiments", params={"limit": 1050, "offset": page}).json() for page in (0, 1)
        ]

        query = {"limit": 1000, "offset": 1, "order": "asc", "sort_by": "update_time"}
        ascending = api.call("GET", "/training-experiments", params=query).json()["items"]

    assert pages[0]["limit"] == 1000
    assert [entry["metadata"]["id"] for entry in ascending] == sorted(names)[1000:], "of one time, by their ids"
    assert {entry["metadata"]["id"] for page in pages for entry in page["items"]} == names


def test_the_name_of_an_experiment_is_in_use_once(api: Any) -> None:
    name, other = create(api)["metadata"]["name"], create(api)["metadata"]

    def is_duplicate(name: str) -> Any:
        return api.call("GET", "/training-experiment-names", params={"experiment_name": name}).json()["is_duplicate"]

    assert (is_duplicate(name), is_duplicate(api.unique("group"))) == (True, False)
    assert api.rejection({"metadata": {"name": name}}, "/training-experiments") == (400, "ModelArts.2841")
    renamed = api.call("PUT", f"/training-experiments/{other['id']}", json={"name": name})
    assert rejected(renamed) == (400, "ModelArts.2841")


def test_jobs_have_numbers_in_their_experiment_and_show_its_name(api: Any) -> None:
    """An experiment that still has jobs is not deleted."""
    name = api.unique("group")
    first = api.create_job(joining(api, name=name, description="new"))["metadata"]
    key = first[REFERENCE]["id"]
    path = f"/training-experiments/{key}"
    second = api.create_job(joining(api, id=key))["metadata"]
    assert [job[REFERENCE]["serial_number"] for job in (first, second)] == ["1", "2"]
    assert show(api, key)["statistic"]["job_count"] == 2
    assert api.create_job(api.job_body())["metadata"].get(REFERENCE) is None

    api.call("PUT", path, json={"name": f"{name}-2"})
    assert api.job(first["id"])["metadata"][REFERENCE]["name"] == f"{name}-2"
    api.call("DELETE", f"/training-jobs/{second['id']}")
    third = api.create_job(joining(api, id=key))["metadata"]
    assert third[REFERENCE]["serial_number"] == "3"

    response = api.call("DELETE", path)
    assert rejected(response) == (400, "ModelArts.2788")
    assert "(2)" in response.json()["error_msg"]
    for job in (first, third):
        api.call("DELETE", f"/training-jobs/{job['id']}")
    assert api.call("DELETE", path).status_code == 202


def test_a_job_that_cannot_join_is_rejected_and_makes_no_experiment(api: Any) -> None:
    api.call("POST", "/training-experiments", json={"metadata": {"name": "taken"}})
    before = api.call("GET", "/training-experiments").json()["total"]

    assert api.rejection(joining(api, id="no-such")) == (400, "ModelArts.2842")
    assert api.rejection(joining(api, name="taken")) == (400, "ModelArts.2841")
    assert api.rejection(joining(api, description="a")) == (400, "ModelArts.2788")
    assert api.call("GET", "/training-experiments").json()["total"] == before
