"""The contract tests find what they are for: each test breaks one promise in a proxy and expects it to be reported."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.contract import defects
from tests.contract.conftest import Contract

import modelarts_openapi
from modelarts_contract.run import completeness
from modelarts_contract.run.outcome import Outcome
from modelarts_contract.run.service import Service

pytestmark = pytest.mark.ci

# Which operation (or path, for methods it does not have) is broken how, and what schemathesis must find there.
CALLS: dict[str, tuple[str, Callable[[str], defects.Defect], set[str]]] = {
    "wrong status": ("showTrainingJobFlavors", lambda _: defects.status(203), {"UndefinedStatusCode"}),
    "missing member": ("showTrainingJobEngines", lambda _: defects.without("items"), {"JsonSchemaError"}),
    "wrong type": ("listAlgorithms", lambda _: defects.with_text("total"), {"JsonSchemaError"}),
    "lost authentication": ("showSearchAlgorithms", defects.open_door, {"IgnoredAuth"}),
    "unlisted error code": ("deleteTrainingJob", lambda _: defects.unlisted_code, {"documented_code"}),
    "rejection without envelope": ("stopTrainingJob", lambda _: defects.bare_rejection, {"JsonSchemaError"}),
    "malformed body accepted": (
        "changeTrainingJobDescription",
        lambda _: defects.gullible({}),
        {"AcceptedNegativeData"},
    ),
    "limit above the largest": ("listTrainingJobEvents", lambda _: defects.boundless, {"AcceptedNegativeData"}),
    "fails on an empty text": ("listTrainingJobs", lambda _: defects.fragile, {"ServerError", "RejectedPositiveData"}),
    "no Allow": ("/v2/{project_id}/training-job-searches", lambda _: defects.no_allow, {"UnsupportedMethodResponse"}),
}
MOODY = "createTrainingExperiment"


def label(name: str) -> str:
    """An operation as reports name it; a path is asked with the method that no operation has."""
    if name.startswith("/"):
        return f"TRACE {name}"
    for path, item in modelarts_openapi.load("v2")["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict) and operation["operationId"] == name:
                return f"{method.upper()} {path}"
    raise LookupError(name)


def run(service: Service, contract: Contract, broken: dict[str, defects.Defect], name: str, *options: str) -> Outcome:
    with defects.serving(service.endpoint, broken) as url:
        return contract("v2", *options, url=url, name=f"{name}-broken")


def kinds(outcome: Outcome, label: str = "") -> set[str]:
    """The kinds of findings, of one operation (`GET /path`) or of all."""
    return {finding["kind"] for finding in outcome.findings if label in (finding["operation"], "")}


def only(operations: list[str]) -> list[str]:
    return [part for name in operations for part in ("--include-operation-id", name)]


@pytest.fixture(scope="module")
def broken_calls(service: Service, contract: Contract) -> Outcome:
    """One run over operations each of which is broken in its own way."""
    token = service.token
    broken = {operation: make(token) for operation, make, _ in CALLS.values()} | {MOODY: defects.Moody()}
    operations = [name for name in broken if not name.startswith("/")]
    options = ["--phases", "examples,coverage", "--max-examples", "5"]
    return run(service, contract, broken, "calls", *only(operations), *options)


@pytest.mark.parametrize(("operation", "findings"), [(name, found) for name, _, found in CALLS.values()], ids=CALLS)
def test_a_broken_call_is_found(broken_calls: Outcome, operation: str, findings: set[str]) -> None:
    assert findings == kinds(broken_calls, label(operation))


def test_an_operation_that_rejects_every_second_valid_request_is_found(broken_calls: Outcome) -> None:
    """No check of schemathesis finds it: every operation may respond with 400."""
    text, rejected = completeness.rejected_too_often("v2", [broken_calls])[MOODY]

    assert "at least 90% must" in text
    assert "not today" in rejected["response"]["body"]
