"""Another project neither sees nor changes anything, by whichever operation."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from modelarts_contract.documents import Operation, operations
from modelarts_contract.run.service import Service

WRONG_PROJECT = (404, "ModelArts.2786")
OPERATIONS = [
    operation
    for name in ("v1", "v2")
    for operation in operations(name).values()
    if "{project_id}" in operation.path and operation.not_emulated is None
]


def example(operation: Operation) -> Any:
    """A body that the document prints, or one that suits it."""
    body = operation.definition.get("requestBody", {}).get("content", {}).get("application/json", {})
    examples = [each["value"] for each in body.get("examples", {}).values() if "value" in each]
    return examples[0] if examples else {"job_desc": "taken"} if body else None


def ids(service: Service, operation: Operation) -> dict[str, Any]:
    """Parameters of paths that name our things."""
    known = {**service.stand_ins, **service.stand_ins["searched"], **service.stand_ins["v1"]}
    if operation.collection == "visualization-jobs":
        known["job_id"] = known["visualization_job_id"]
    return {**known, "algorithm_type": "parameters-search", "algorithm_name": "bayes_opt_search"}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: f"{operation.name}-{operation.operation_id}")
def test_another_project_is_shut_out(service: Service, operation: Operation) -> None:
    """Its token opens nothing of ours, and in its own project nothing of ours is shown."""
    neighbour, owner = service.stand_ins["neighbour"], service.environment["MODELARTS_PROJECT_ID"]
    body, found = example(operation), ids(service, operation)
    with httpx.Client(headers={"X-Auth-Token": neighbour["token"]}, timeout=30, trust_env=False) as client:

        def call(project_id: str) -> httpx.Response:
            path = operation.url_path({**found, "project_id": project_id})
            return client.request(operation.method, service.endpoint + path, json=body)

        ours, theirs = call(owner), call(neighbour["project_id"])

    assert (ours.status_code, ours.json()["error_code"]) == WRONG_PROJECT
    if operation.path_names and operation.path_names[0] in ("training_job_id", "algorithm_id", "job_id", "config_name"):
        assert theirs.status_code == 400
    for name in ("algorithm_id", "training_job_id"):
        assert found[name] not in theirs.text.replace(str(theirs.url), "") or theirs.status_code == 400
