"""The overlays are about operations that exist, and what they say is understood."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import modelarts_openapi
from modelarts_contract import documents
from modelarts_contract.documents import operations
from modelarts_contract.rules.kinds import RULES

KEYS = {
    *("kind", "statuses", "not-emulated", "leads", "harmless", "item-id", "body", "share", "filters", "sorted-by"),
    *("repeats", "not-read-back", "reads", "counts"),
}
OF_DOCUMENTS = {
    *("endpoint", "objects", "plans", "known", "setup", "parameters", "query"),
    *("operations", "resources", "effects", "facts"),
}
STEPS = {
    "call",
    "path",
    "query",
    "body",
    "set",
    "emulated",
    "keep",
    "waits",
    "lasts",
    "expect",
    "has",
    "lacks",
    "absent",
    "rejected",
}
CHANGES = {"keep", "remove", "set", "vary"}
HEADS = r"\$(known\.|name\.|short-name$|login\.|token$|new-token$|any$|none$|request\.|response\.)"


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_an_overlay_says_only_what_is_understood(name: str) -> None:
    contracts = [operation.contract for operation in operations(name).values() if operation.contract]
    setup = [step for steps in documents.overlay(name)["setup"].values() for step in steps]

    assert set(documents.overlay(name)["operations"]) <= set(operations(name))
    assert {key for contract in contracts for key in contract} <= KEYS
    assert {key for contract in contracts for key in contract.get("body", {})} <= CHANGES
    assert set(documents.overlay(name)) <= OF_DOCUMENTS
    effects = [step for effect in documents.overlay(name).get("effects", {}).values() for step in effect["steps"]]
    assert {key for step in (*setup, *effects) for key in step} <= STEPS
    assert {step["call"] for step in (*setup, *effects)} <= set(operations(name))
    facts = documents.overlay(name).get("facts", {})
    assert {kind for listed in facts.values() for fact in listed for kind in fact} <= {
        *RULES,
        "when",
        "recent",
        "assumed",
    }
    assert set(facts) <= set(documents.load(name)["components"]["schemas"])
    found = {match for text in texts(documents.overlay(name)) for match in re.findall(r"\$[^\s{}]+", text)}
    assert [expression for expression in found if not re.match(HEADS, expression)] == []


def test_a_document_without_an_overlay_can_be_read() -> None:
    assert documents.overlay("no-such-document") == {"operations": {}, "setup": {}}


def test_an_overlay_that_has_comments_only_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new.yaml").write_text("# nothing to say yet\n", "utf-8")
    monkeypatch.setattr(documents, "OVERLAYS", tmp_path)

    assert documents.overlay("new") == {"operations": {}, "setup": {}}
