"""Version 1: another project neither sees nor changes anything; and the hints let its defects be found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.contract import defects, first_version
from tests.contract.conftest import Contract

from modelarts_contract.run import runs
from modelarts_contract.run.operations import operations
from modelarts_contract.run.outcome import Outcome
from modelarts_contract.run.service import Service

OPERATIONS = operations("v1")
NOT_FOUND = "ModelArts.0105"
WRONG_PROJECT = (404, "ModelArts.2786")
WITH_BODY = {"updateTrainingJob", "updateVisualizationJob"}
# Which operation is broken how, and what must be found there.
BROKEN_CALLS: dict[str, tuple[str, defects.Defect, set[str]]] = {
    "missing member": ("listJobEngines", defects.without("engines"), {"JsonSchemaError"}),
    "unlisted error code": ("deleteVisualizationJob", defects.unlisted_code, {"documented_code"}),
    "rejection without envelope": ("stopTrainingJobVersion", defects.bare_rejection, {"JsonSchemaError"}),
}
BROKEN_CHAINS: dict[str, tuple[str, defects.Defect, str]] = {
    "lost creation": (
        "showTrainingJobConfig",
        defects.lost("Training job configuration {id} does not exist."),
        "CreatedIsFound",
    ),
    "use after delete": ("deleteVisualizationJob", defects.acknowledged, "UseAfterFree"),
}
CHAINED = [
    "createTrainingJobConfig",
    "showTrainingJobConfig",
    "createVisualizationJob",
    "showVisualizationJob",
    "deleteVisualizationJob",
]


@pytest.fixture(scope="module")
def ours(service: Service) -> Service:
    return service


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=30) as client:
        yield client


def call(
    client: httpx.Client, service: Service, operation_id: str, project_id: str, token: str
) -> tuple[int, str | None, Any]:
    """Status, code and body of the operation about our things, in this project, with this token."""
    known, operation = service.stand_ins["v1"], OPERATIONS[operation_id]
    is_board = operation.collection == "visualization-jobs"
    ids = {**known, "project_id": project_id, "job_id": known["visualization_job_id" if is_board else "job_id"]}
    body: Any = first_version.bodies(service, "short").get(operation_id)
    if operation_id == "createTrainingJobVersion":
        body["config"]["pre_version_id"] = known["version_id"]
    if operation_id == "updateTrainingJobConfig":
        body = {"worker_server_num": 1, "spec_id": known["spec_id"]}
    if operation_id in WITH_BODY:
        body = {"job_desc": "taken"}
    query = {"log_file": known["log_file"]} if operation_id == "showTrainingJobLog" else None
    url = f"{service.endpoint}{operation.path.format_map(ids)}"
    response = client.request(operation.method, url, params=query, json=body, headers={"X-Auth-Token": token})
    return response.status_code, response.json().get("error_code"), response.json()


@pytest.mark.parametrize("operation_id", OPERATIONS)
def test_another_project_is_shut_out(ours: Service, client: httpx.Client, operation_id: str) -> None:
    """Its token opens nothing of ours; in its own project our things are not found, and not listed."""
    neighbour, owner = ours.stand_ins["neighbour"], ours.environment["MODELARTS_PROJECT_ID"]
    known = ours.stand_ins["v1"]

    def state() -> list[Any]:
        shown = [
            call(client, ours, name, owner, ours.token)[2]
            for name in ("showTrainingJobVersion", "showTrainingJobConfig")
        ]
        jobs = call(client, ours, "listTrainingJobVersions", owner, ours.token)[2]["version_count"]
        return [*shown, jobs]

    before = state()
    assert call(client, ours, operation_id, owner, neighbour["token"])[:2] == WRONG_PROJECT

    status, code, body = call(client, ours, operation_id, neighbour["project_id"], neighbour["token"])
    if {"{job_id}", "{config_name}"} & set(OPERATIONS[operation_id].path.split("/")):
        assert (status, code) == (400, NOT_FOUND)
    elif operation_id in {"createTrainingJob", "createVisualizationJob"}:
        assert (status, code) == (400, "ModelArts.0104")
        assert "belongs to another account" in str(body)
    else:
        assert status == 200
        assert known["config_name"] not in str(body)
        assert known["log_file"] not in str(body)
    assert state() == before


def broken(service: Service, contract: Contract, table: dict[str, Any], name: str, *options: str) -> Outcome:
    found = {operation: defect for operation, defect, _ in table.values()}
    with defects.serving(service.endpoint, found, "v1") as url:
        return contract("v1", *options, url=url, name=f"{name}-broken")


@pytest.fixture(scope="module")
def broken_calls(ours: Service, contract: Contract) -> Outcome:
    only = [part for operation, _, _ in BROKEN_CALLS.values() for part in ("--include-operation-id", operation)]
    options = ["--phases", "examples,coverage", "--max-examples", "5"]
    return broken(ours, contract, BROKEN_CALLS, "v1-calls", *only, *options)


@pytest.fixture(scope="module")
def broken_chains(ours: Service, contract: Contract) -> Outcome:
    only = [part for name in CHAINED for part in ("--include-operation-id", name)]
    return broken(ours, contract, BROKEN_CHAINS, "v1-chains", *runs.CHAINS, *only, "--max-examples", "10")


@pytest.mark.parametrize(
    ("operation", "findings"), [(name, found) for name, _, found in BROKEN_CALLS.values()], ids=BROKEN_CALLS
)
def test_a_broken_call_is_found(broken_calls: Outcome, operation: str, findings: set[str]) -> None:
    assert findings == broken_calls.kinds(OPERATIONS[operation].label)


@pytest.mark.parametrize("finding", [finding for _, _, finding in BROKEN_CHAINS.values()], ids=BROKEN_CHAINS)
def test_a_broken_chain_is_found(broken_chains: Outcome, finding: str) -> None:
    assert finding in broken_chains.kinds()
    assert broken_chains.kinds() <= {finding for _, _, finding in BROKEN_CHAINS.values()}
