"""The emulator shows every member that the documents print, and to another project nothing at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from modelarts_contract.documents import Operation, operations
from modelarts_contract.run.service import Service
from modelarts_documents.schema import resolve

# What a response repeats from a request of another kind than the example's; the rest must be there.
REPEATED: dict[str, tuple[str, ...]] = {
    "v1.listTrainingJobVersions": (".versions[].volumes[]",),
    "v1.showTrainingJobVersion": (".volumes[]",),
    "v1.showTrainingJobConfig": (".volumes[]",),
    "v2.showAlgorithmByUuid": (".job_config.", ".resource_requirements", ".advanced_config"),
    # The records of a job that was restarted after a hang; and trials show the hyperparameters of their search.
    "v2.showTrainingJobDetails": (".algorithm.", ".spec.", ".metadata.annotations", ".status.running_records[]."),
    "v2.showAutoSearchPerTrial": (".data[][].",),
    "v2.showAutoSearchTrials": (".items.data[][].",),
}


def printed() -> Iterator[Any]:
    """Yield the operations that read, with the examples of their successes."""
    for name in ("v1", "v2"):
        for operation in operations(name).values():
            if operation.method != "GET" or not operation.is_emulated:
                continue
            content = (operation.response(200) or {}).get("content", {})
            for example, entry in content.get("application/json", {}).get("examples", {}).items():
                yield pytest.param(operation, resolve(operation.document, entry)["value"], id=f"{name}: {example}")


def members(value: Any, place: str = "") -> set[str]:
    """The paths of all members of a value; those of a list's items are of one item."""
    if isinstance(value, list):
        return {member for item in value for member in members(item, f"{place}[]")}
    if not isinstance(value, dict):
        return set()
    own = {f"{place}.{name}" for name in value}
    return own.union(*(members(item, f"{place}.{name}") for name, item in value.items()))


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=300, trust_env=False) as connected:
        yield connected


def ids(service: Service, operation: Operation) -> dict[str, Any]:
    """Parameters of paths that name our things."""
    stand_ins = service.stand_ins
    known = {**stand_ins, **stand_ins["v1"], **(stand_ins["searched"] if "autosearch" in operation.path else {})}
    if "visualization-jobs" in operation.path:
        known["job_id"] = known["visualization_job_id"]
    known |= {"algorithm_type": "parameters-search", "algorithm_name": "bayes_opt_search"}
    return {**known, "project_id": service.environment["MODELARTS_PROJECT_ID"]}


def read(client: httpx.Client, service: Service, operation: Operation) -> Any:
    """The emulator's response about things that exist."""
    known = ids(service, operation)
    query = {"log_file": known["log_file"]} if operation.operation_id == "showTrainingJobLog" else None
    url = service.endpoint + operation.url_path(known)
    response = client.get(url, params=query, headers={"X-Auth-Token": service.token})
    assert response.is_success, response.text
    return response.json()


@pytest.mark.parametrize(("operation", "example"), list(printed()))
def test_every_printed_member_is_there(
    client: httpx.Client, service: Service, operation: Operation, example: Any
) -> None:
    found = members(read(client, service, operation))

    repeated = REPEATED.get(f"{operation.name}.{operation.operation_id}", ())

    assert {member for member in members(example) - found if not member.startswith(repeated)} == set()


WRONG_PROJECT = (404, "ModelArts.2786")
OPERATIONS = [
    operation
    for name in ("v1", "v2")
    for operation in operations(name).values()
    if "{project_id}" in operation.path and operation.is_emulated
]


def example(operation: Operation) -> Any:
    """A body that the document prints, or one that suits it."""
    body = operation.definition.get("requestBody", {}).get("content", {}).get("application/json", {})
    examples = [each["value"] for each in body.get("examples", {}).values() if "value" in each]
    return examples[0] if examples else {"job_desc": "taken"} if body else None


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: f"{operation.name}-{operation.operation_id}")
def test_another_project_is_shut_out(client: httpx.Client, service: Service, operation: Operation) -> None:
    """Its token opens nothing of ours, and in its own project nothing of ours is shown."""
    neighbour, owner = service.stand_ins["neighbour"], service.environment["MODELARTS_PROJECT_ID"]
    body, found = example(operation), ids(service, operation)

    def call(project_id: str) -> httpx.Response:
        url = service.endpoint + operation.url_path({**found, "project_id": project_id})
        return client.request(operation.method, url, json=body, headers={"X-Auth-Token": neighbour["token"]})

    ours, theirs = call(owner), call(neighbour["project_id"])

    assert (ours.status_code, ours.json()["error_code"]) == WRONG_PROJECT
    if operation.path_names and operation.path_names[0] in ("training_job_id", "algorithm_id", "job_id", "config_name"):
        assert theirs.status_code == 400
    shown = theirs.text.replace(str(theirs.url), "") if theirs.status_code != 400 else ""
    assert [name for name in ("algorithm_id", "training_job_id") if found[name] in shown] == []
