"""The documents hold: whatever they allow gets a response that they describe."""

from __future__ import annotations

from pathlib import Path

import pytest

import modelarts_openapi
from modelarts_contract.documents import operations
from modelarts_contract.run import reports
from modelarts_contract.run.plan import Plan
from modelarts_contract.run.result import Result
from modelarts_contract.run.session import tried

BASELINE = Path(__file__).with_name("baseline.json")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """What `modelarts contract run --baseline tests/contract/baseline.json` finds, on an emulator of its own."""
    return tried(Plan(baseline=BASELINE), None, tmp_path_factory.mktemp("run"))


@pytest.mark.timeout(1800)
def test_a_part_of_the_operations_keeps_its_documents(tmp_path: Path) -> None:
    """Every eighth operation of each document; all of them are tried where all tests run."""
    chosen = [id_ for name in modelarts_openapi.NAMES for id_ in sorted(operations(name))[::8]]

    found = tried(Plan(baseline=BASELINE, operations=tuple(chosen)), None, tmp_path).new

    assert found == [], "\n\n".join(map(reports.described, found))


@pytest.mark.ci
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("document", modelarts_openapi.NAMES)
def test_nothing_the_service_does_contradicts_the_document(result: Result, document: str) -> None:
    """No valid request is rejected too often, and every operation succeeds."""
    found = [finding for finding in result.new if finding.document == document]

    assert found == [], "\n\n".join(map(reports.described, found))


@pytest.mark.ci
@pytest.mark.timeout(600)
def test_nothing_is_shown_that_the_documents_do_not_have(result: Result) -> None:
    """A member that only the emulator has may be a leak; the baseline lists what is known."""
    assert result.new_notes == []


@pytest.mark.ci
@pytest.mark.parametrize("document", modelarts_openapi.NAMES)
def test_every_operation_is_tried(result: Result, document: str) -> None:
    tried = {id_ for id_, operation in result.documents[document].operations.items() if operation.cases}

    assert tried == {id_ for id_, operation in operations(document).items() if operation.is_emulated}
