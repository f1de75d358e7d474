"""What the documents say about pages is true of the operation's own parameters and response."""

from __future__ import annotations

from typing import Any

from tests.openapi.conftest import each_operation

SIZES = {"limit", "per_page"}
NEEDED = {"in", "limit", "position", "counts", "first", "items"}
OPTIONAL = {"largest", "total", "id", "setting", "x-assumption", "x-deviation"}


def knobs(operation: Any) -> dict[str, dict[str, Any]]:
    """What a caller can turn, by name, with its schema: query parameters and members of the body."""
    query = {each["name"]: each["schema"] for each in operation.parameters if each["in"] == "query"}
    body = operation.resolve(operation.request_schema or {})
    return query | body.get("properties", {})


def response_of(operation: Any) -> dict[str, Any]:
    """The schema of the response."""
    (response,) = operation.successes.values()
    return dict(operation.resolve(response["content"]["application/json"]["schema"]))


def member(operation: Any, node: dict[str, Any], path: str) -> dict[str, Any]:
    """The schema of a member at any depth; null does not count."""
    for name in path.split("."):
        node = operation.resolve(node["properties"][name])
        node = next((branch for branch in node.get("anyOf", ()) if branch.get("type") != "null"), node)
        node = operation.resolve(node)
    return node


@each_operation()
def test_a_list_with_a_size_of_pages_says_how_it_pages(operation: Any) -> None:
    """Operations that count things may have the parameters of a list and no use for them."""
    is_list = bool(SIZES & set(knobs(operation))) and not operation.id.startswith("count")

    assert is_list == ("x-pagination" in operation.facts)


@each_operation(lambda operation: "x-pagination" in operation.facts)
def test_the_parameters_and_members_of_pages_exist(operation: Any) -> None:
    pages = operation.facts["x-pagination"]
    given = knobs(operation)

    assert NEEDED <= set(pages) <= NEEDED | OPTIONAL
    assert pages["in"] == "query" or operation.request_schema is not None
    assert pages["counts"] in {"pages", "records"}
    assert given[pages["limit"]]["type"] == given[pages["position"]]["type"] == "integer"
    assert given[pages["limit"]].get("maximum") == pages.get("largest")
    assert given[pages["position"]].get("minimum", 0) <= pages["first"]
    response = response_of(operation)
    items = member(operation, response, pages["items"])
    assert "array" in items["type"]
    assert "total" not in pages or "integer" in member(operation, response, pages["total"])["type"]
    assert "id" not in pages or member(operation, operation.resolve(items["items"]), pages["id"])
