"""The contract tests find what they are for: each test breaks one promise in a proxy and expects it to be reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.contract.conftest import Contract
from tests.contract.corpus.changes import (
    JSON,
    Change,
    at,
    error,
    ignoring,
    not_found_is_empty,
    on_errors_for,
    response,
    set_to,
    without,
    without_login,
)

from modelarts_contract import proxy
from modelarts_contract.documents import Documents, operations
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.run import completeness
from modelarts_contract.run.outcome import Outcome
from modelarts_contract.run.service import Service

pytestmark = pytest.mark.ci


def no_allow(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Reject a method that there is not without saying which there are."""
    found = forward(request)
    return replace(found, headers={name: text for name, text in found.headers.items() if name != "allow"})


# Which operation (or the method that none has) is broken how, and what schemathesis must find there.
CALLS: dict[str, tuple[str, Callable[[], Change], set[str]]] = {
    "wrong status": ("showTrainingJobFlavors", response(lambda r: replace(r, status=203)), {"status_code_conformance"}),
    "missing member": ("showTrainingJobEngines", without("items"), {"response_schema_conformance"}),
    "wrong type": ("listAlgorithms", set_to("total", "many"), {"response_schema_conformance"}),
    "lost authentication": ("showSearchAlgorithms", without_login("none"), {"ignored_auth"}),
    "unlisted error code": (
        "deleteTrainingJob",
        error(at("error_code", lambda _: "ModelArts.9999")),
        {"documented_code"},
    ),
    "rejection without envelope": (
        "stopTrainingJob",
        error(lambda _: {"detail": "no"}),
        {"response_schema_conformance"},
    ),
    "malformed body accepted": (
        "changeTrainingJobDescription",
        lambda: not_found_is_empty,
        {"negative_data_rejection"},
    ),
    "limit above the largest": ("listTrainingJobEvents", ignoring("limit"), {"negative_data_rejection"}),
    "fails on an empty text": (
        "listTrainingJobs",
        on_errors_for('""', 500),
        {"not_a_server_error", "positive_data_acceptance", "negative_data_rejection"},  # in valid bodies, and in others
    ),
    "no Allow": ("TRACE", lambda: no_allow, {"unsupported_method"}),
}
MOODY = "createTrainingExperiment"


class Moody:
    """Every second request that would succeed is rejected."""

    def __init__(self) -> None:
        self.successes = 0

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        self.successes += found.status < 300
        rejected = b'{"error_code": "ModelArts.2764", "error_msg": "not today"}'
        return ProxyResponse(400, rejected, JSON) if found.status < 300 and self.successes % 2 else found


def label(name: str) -> str:
    """An operation as reports name it; the method that none has is tried at the path of each."""
    return operations("v2")[name].label if name != "TRACE" else f"TRACE {operations('v2')['listTrainingJobs'].path}"


def checks(outcome: Outcome, label: str) -> set[str]:
    """The checks that failed for one operation (`GET /path`)."""
    return {finding.check for finding in outcome.findings if label == finding.label}


@pytest.fixture(scope="module")
def broken_calls(service: Service, contract: Contract) -> Outcome:
    """One run over operations each of which is broken in its own way."""
    changes = {name: make() for name, make, _ in CALLS.values()} | {MOODY: Moody()}
    documents = Documents(["v2"])

    def handle(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = documents.find(request.method, request.path)
        change = changes.get(found[0].operation_id if found else request.method)
        return change(request, forward) if change else forward(request)

    chosen = [part for name in changes if name != "TRACE" for part in ("--include-operation-id", name)]
    with proxy.serving(service.endpoint, handle) as url:
        return contract("v2", *chosen, "--phases", "examples,coverage", "--max-examples", "5", url=url)


@pytest.mark.parametrize(("operation", "findings"), [(name, found) for name, _, found in CALLS.values()], ids=CALLS)
def test_a_broken_call_is_found(broken_calls: Outcome, operation: str, findings: set[str]) -> None:
    assert findings == checks(broken_calls, label(operation))


def test_an_operation_that_rejects_every_second_valid_request_is_found(broken_calls: Outcome) -> None:
    """No check of schemathesis finds it: every operation may respond with 400."""
    text, rejected = completeness.rejected_too_often("v2", [broken_calls])[MOODY]

    assert "at least 90% must" in text
    assert rejected.response is not None
    assert "not today" in rejected.response.body
