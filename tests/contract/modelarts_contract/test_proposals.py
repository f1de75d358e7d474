"""What a recording has and a document lacks is proposed at the place in the document that lacks it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from modelarts_contract import documents
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.proposals import overlays

REJECTED: Any = {"description": "Rejected.", "x-error-codes": ["A.1"]}


def document(reference: str) -> dict[str, Any]:
    """One whose operation shares its rejection with another one, which the reference names."""
    return {
        "openapi": "3.1.0",
        "paths": {
            "/one": {"get": {"operationId": "one", "responses": {"400": {"$ref": reference}}}},
            "/two": {"get": {"operationId": "two", "responses": {"400": REJECTED}}},
        },
        "components": {
            "responses": {"a/b ~c": REJECTED, "No": {"$ref": "#/paths/~1two/get/responses/400"}},
            "x-listed": [REJECTED],
        },
    }


@pytest.mark.parametrize(
    ("name", "reference", "target"),
    [
        ("path", "#/paths/~1two/get/responses/400", "$['paths']['/two']['get']['responses']['400']"),
        ("percent", "#/components/responses/a~1b%20~0c", "$['components']['responses']['a/b ~c']"),
        ("list", "#/components/x-listed/0", "$['components']['x-listed'][0]"),
        ("twice", "#/components/responses/No", "$['paths']['/two']['get']['responses']['400']"),
    ],
)
def test_a_proposal_leads_behind_references_of_any_spelling(name: str, reference: str, target: str) -> None:
    documents.add(name, document(reference), {})
    found = Finding(
        Kind.UNKNOWN_CODE, "one", "A.2 is new", "", name, ("paths", "/one", "get", "responses", "400"), "A.2"
    )

    added, _ = yaml.safe_load(overlays([found]))["actions"]

    assert added == {"target": f"{target}['x-error-codes']", "update": "A.2"}
