"""Pages of lists: what the query says, and what holds where it says nothing."""

from __future__ import annotations

from typing import Any

import pytest

import modelarts_openapi
from modelarts_emulator.v1.paging import DEFAULT_PER_PAGE, read_page


@pytest.mark.parametrize(
    ("query", "page"),
    [({}, (0, 10)), ({"page": 3}, (20, 10)), ({"per_page": 4}, (0, 4)), ({"page": 3, "per_page": 4}, (8, 4))],
)
def test_a_page_has_ten_entries_unless_the_query_says_otherwise(query: dict[str, Any], page: tuple[int, int]) -> None:
    assert read_page(query) == page


def test_a_page_that_no_database_can_count_is_empty_and_no_error() -> None:
    assert read_page({"page": 2**60, "per_page": 1000}) == (2**62, 1000)


def test_the_size_of_a_page_is_the_documented_one() -> None:
    parameters = modelarts_openapi.load("v1")["components"]["parameters"].values()
    sizes = [entry["schema"]["default"] for entry in parameters if entry["name"] == "per_page"]

    assert set(sizes) == {DEFAULT_PER_PAGE}
