"""Changes of a document with verdicts that were fixed before: tests/data/diff/verdicts.yaml."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelarts_contract.comparison.change import ordered
from modelarts_contract.comparison.document import compare

DATA = Path(__file__).resolve().parents[3] / "data/diff"
SHOP = yaml.safe_load((DATA / "shop.yaml").read_text("utf-8"))
VERDICTS = yaml.safe_load((DATA / "verdicts.yaml").read_text("utf-8"))
ITEM = "paths/~{shop_id}~orders~{order_id}"
SHORTHANDS = {
    "item": ITEM,
    "list": "paths/~{shop_id}~orders/get",
    "op": f"{ITEM}/post",
    "order": "components/schemas/Order",
    "request": "components/schemas/OrderRequest",
}


def at(document: Any, path: str) -> tuple[Any, Any]:
    """What holds the value at the path, and its key there."""
    head, _, rest = path.partition("/")
    *steps, last = [step.replace("~", "/") for step in f"{SHORTHANDS.get(head, head)}/{rest}".strip("/").split("/")]
    for step in steps:
        document = document[int(step) if isinstance(document, list) else step]
    return document, int(last) if isinstance(document, list) and last != "-" else last


def put(document: Any, path: str, value: Any) -> None:
    owner, key = at(document, path)
    if key == "-":
        owner.append(value)
    else:
        owner[key] = copy.deepcopy(value)


def take(document: Any, path: str) -> Any:
    owner, key = at(document, path)
    return owner.pop(key)


def states(row: dict[str, Any]) -> tuple[Any, Any]:
    """The document before and after the change of a row."""
    before = copy.deepcopy(SHOP)
    for path, value in row.get("base", {}).items():
        put(before, path, value)
    for path in row.get("base-del", ()):
        take(before, path)
    after = copy.deepcopy(before)
    for path, value in row.get("set", {}).items():
        put(after, path, value)
    for path in row.get("del", ()):
        take(after, path)
    for path, target in row.get("move", {}).items():
        put(after, target, take(after, path))
    for old, new in row.get("rename", {}).items():
        after["components"]["schemas"][new] = after["components"]["schemas"].pop(old)
        after = json.loads(json.dumps(after).replace(f'schemas/{old}"', f'schemas/{new}"'))
    return before, after


@pytest.mark.parametrize("row", VERDICTS, ids=[row["what"] for row in VERDICTS])
def test_a_change_breaks_whom_it_should_and_is_named(row: dict[str, Any]) -> None:
    changes = ordered(compare("shop", *states(row)))

    broken = {change.broken for change in changes} - {None}
    assert broken == {row["breaks"]} - {"nobody"}
    assert any(row["says"] in str(change) for change in changes), [*map(str, changes)]


def test_the_table_has_enough_changes_that_rules_for_all_documents_judge_otherwise() -> None:
    """The levels err and warn of oasdiff say that something breaks."""
    otherwise = [row for row in VERDICTS if (row["breaks"] != "nobody") != (row["oasdiff"] in ("err", "warn"))]

    assert len(VERDICTS) >= 60
    assert len({row["what"] for row in VERDICTS}) == len(VERDICTS)
    assert len(otherwise) >= 20


def test_words_that_nobody_compares_break() -> None:
    after = copy.deepcopy(SHOP)
    after["webhooks"] = {"news": {}}
    put(after, "op/callbacks", {"done": {}})
    put(after, "op/parameters/2/allowEmptyValue", True)

    changes = ordered(compare("shop", SHOP, after))

    assert [change.place for change in changes if change.breaking] == ["", "header X-Trace", ""]
    assert all("changed beyond comparison" in change.what for change in changes)


def test_what_several_responses_share_is_reported_once() -> None:
    after = copy.deepcopy(SHOP)
    after["components"]["schemas"]["Error"]["properties"] = {}

    assert [str(change) for change in compare("shop", SHOP, after)] == [
        "shop changeOrder response 400,404 code: removed"
    ]


def test_a_component_of_a_mere_value_may_be_renamed() -> None:
    def named(name: str) -> Any:
        document = copy.deepcopy(SHOP)
        document["components"]["schemas"][name] = {"type": "string"}
        put(document, "order/properties/id", {"$ref": f"#/components/schemas/{name}"})
        return document

    assert [change.reach for change in compare("shop", named("Id"), named("Name"))] == ["text"]
