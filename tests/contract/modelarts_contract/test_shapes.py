"""Differences between the shapes of two JSON values."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_contract.shapes import differences


@pytest.mark.parametrize(
    ("recorded", "emulated", "expected"),
    [
        ({"a": 1}, {"a": 2.5}, []),
        ({"a": None}, {}, []),
        ({"a": None}, {"a": {"b": 1}}, ["only emulated: a (object)"]),
        ({"a": "x"}, {"a": 1}, ["other type: a is text, not number"]),
        ({"a": True}, {"a": 1}, ["other type: a is boolean, not number"]),
        ({"a": {"b": {"c": 1}}}, {"a": {}}, ["only recorded: a.b (object)"]),
        ({"a": []}, {"a": [1]}, []),
        ({"a": [{"b": 1}, {"c": 1}]}, {"a": [{"c": 1}]}, ["only recorded: a[].b (number)"]),
        ({"a": [1, "x"]}, {"a": ["x"]}, []),
        ([1], {"a": 1}, ["only emulated: a (number)", "other type: body is list, not object"]),
        ("text", None, []),
    ],
)
def test_missing_fields_and_other_types_are_differences(recorded: Any, emulated: Any, expected: list[str]) -> None:
    """Null is like a missing field; entries of lists are taken together; numbers are one type."""
    assert [f"{found.kind.value}: {found.message}" for found in differences(recorded, emulated)] == expected
