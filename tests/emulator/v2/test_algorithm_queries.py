"""A list of algorithms is searched, sorted and cut into pages as it is asked for, or rejected."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest


@pytest.fixture
def stored(api: Any) -> Any:
    """A prefix, and a function that stores an algorithm under a name that begins with it."""
    prefix = api.unique("list")

    def store(name: str) -> Any:
        body = api.algorithm_body()
        body["metadata"]["name"] = f"{prefix}-{name}"
        return api.call("POST", "/algorithms", json=body).json()

    return prefix, store


def names(response: httpx.Response) -> list[str]:
    assert response.status_code == 200, response.text
    return [item["metadata"]["name"].rpartition("-")[2] for item in response.json()["items"]]


def test_a_list_is_sorted_searched_and_cut_into_pages_by_number_of_algorithms(api: Any, stored: Any) -> None:
    prefix, store = stored
    for name in ("b", "a", "c"):
        store(name)

    def found(**query: Any) -> list[str]:
        return names(api.call("GET", "/algorithms", params={"searches": f"name:{prefix.upper()}", **query}))

    assert found(sort_by="name") == ["c", "b", "a"]
    assert found(sort_by="name", order="asc") == ["a", "b", "c"]
    assert sorted(found()) == ["a", "b", "c"]
    assert found(sort_by="name", limit=2) == ["c", "b"]
    assert found(sort_by="name", limit=2, offset=1) == ["b", "a"]
    assert found(offset=3) == []


def test_the_newest_algorithm_comes_first_unless_asked_otherwise(api: Any, stored: Any) -> None:
    prefix, store = stored
    for name in ("b", "a", "c"):
        store(name)
        time.sleep(0.002)  # Times are kept in milliseconds.

    def found(**query: Any) -> list[str]:
        return names(api.call("GET", "/algorithms", params={"searches": f"name:{prefix}", **query}))

    assert found() == ["c", "a", "b"]
    assert found(order="asc") == ["b", "a", "c"]


def test_a_condition_without_a_text_restricts_nothing(api: Any, stored: Any) -> None:
    stored[1]("a")
    total = api.call("GET", "/algorithms").json()["total"]

    assert {api.call("GET", "/algorithms", params={"searches": text}).json()["total"] for text in ("", "name:")} == {
        total
    }


def test_a_list_says_how_many_there_are_and_how_it_was_made(api: Any, stored: Any) -> None:
    prefix, store = stored
    for name in ("a", "b"):
        store(name)

    response = api.call("GET", "/algorithms", params={"searches": f"name:{prefix}", "limit": 1}).json()

    assert len(response.pop("items")) == 1
    asked = {"limit": 1, "offset": 0, "sort_by": "create_time", "order": "desc", "group_by": ""}
    assert response == {"total": 2, "count": 1, **asked}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"limit": "51"}, "ModelArts.2764"),
        ({"offset": "-1"}, "ModelArts.2764"),
        ({"order": "newest"}, "ModelArts.2764"),
        ({"searches": "digits"}, "ModelArts.2764"),
        ({"searches": "colour:red"}, "ModelArts.2807"),
        ({"sort_by": "colour"}, "ModelArts.2790"),
        ({"group_by": "name"}, "ModelArts.2788"),
        ({"workspace_id": "7"}, "ModelArts.0102"),
    ],
)
def test_a_list_that_cannot_be_made_is_rejected(api: Any, query: dict[str, str], code: str) -> None:
    response = api.call("GET", "/algorithms", params=query)

    assert (response.status_code, response.json()["error_code"]) == (400, code)
