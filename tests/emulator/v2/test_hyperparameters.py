"""Hyperparameters: defaults that fit, values that fit, names given once."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.v2.hyperparameters import check_definitions, merge


def parameter(name: str = "p", value: str = "", **constraint: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "constraint": constraint}


def code_of(call: Any, *arguments: Any) -> str | None:
    try:
        call(*arguments)
    except ServiceError as rejection:
        return str(rejection.code).removeprefix("ModelArts.")
    return None


NUMBERS: dict[str, Any] = {"type": "Integer", "valid_type": "range", "valid_range": ["1", "10"]}
CHOICE: dict[str, Any] = {"type": "String", "valid_type": "choice", "valid_range": ["sgd", "adam"]}


@pytest.mark.parametrize(
    ("definitions", "code"),
    [
        ([parameter(value="3", **NUMBERS)], None),
        ([parameter(value="adam", **CHOICE)], None),
        ([parameter(value="True", type="Boolean")], None),
        ([parameter(value="1e-3", type="Float")], None),
        ([parameter(value="", type="Integer")], None),
        ([{"name": "bare"}], None),
        ([parameter(value="3.5", type="Integer")], "2768"),
        ([parameter(value="many", type="Float")], "2768"),
        ([parameter(value="maybe", type="Boolean")], "2768"),
        ([parameter(value="11", **NUMBERS)], "2769"),
        ([parameter(value="rmsprop", **CHOICE)], "2769"),
        ([parameter(editable=False)], "2766"),
        ([parameter(), parameter()], "2767"),
        ([parameter(name="")], "2788"),
        ([parameter(name="x" * 65)], "2788"),
    ],
)
def test_definitions_are_accepted_only_if_their_defaults_fit(definitions: list[Any], code: str | None) -> None:
    assert code_of(check_definitions, definitions) == code


@pytest.mark.parametrize(
    ("declared", "value", "code"),
    [
        (parameter(value="3", **NUMBERS), "10", None),
        (parameter(value="3", **NUMBERS), "11", "2770"),
        (parameter(value="3", **NUMBERS), "ten", "2825"),
        (parameter(value="3", **NUMBERS), "\u0665", "2825"),  # a digit that scripts do not expect
        (parameter(value="adam", **CHOICE), "sgd", None),
        (parameter(value="adam", **CHOICE), "rmsprop", "2765"),
        (parameter(value="a", editable=False), "a", None),
        (parameter(value="a", editable=False), "b", "2814"),
        (parameter(value="", required=True), "", "2766"),
        (parameter(value="", required=True), "x", None),
        (parameter(value="0.5", type="Float", valid_type="range", valid_range=["", "1"]), "-7", None),
        (parameter(value="0.5", type="Float", valid_type="range", valid_range=["0"]), "99", None),
        (parameter(value="2", type="Integer", valid_type="choice", valid_range=["2", "4"]), "3", "2770"),
    ],
)
def test_a_value_is_accepted_only_if_it_fits_the_constraint(declared: Any, value: str, code: str | None) -> None:
    assert code_of(merge, [declared], [{"name": "p", "value": value}], False) == code


def test_the_algorithms_parameters_come_first_with_the_jobs_values_then_the_jobs_own() -> None:
    declared = [parameter("a", "1"), parameter("b", "2")]
    given = [{"name": "own", "value": "x"}, {"name": "b", "value": "3"}]

    merged = merge(declared, given, True)

    assert [(entry["name"], entry["value"]) for entry in merged] == [("a", "1"), ("b", "3"), ("own", "x")]
    assert declared[1]["value"] == "2"


def test_parameters_of_the_jobs_own_need_an_algorithm_that_allows_them() -> None:
    assert code_of(merge, [], [{"name": "own", "value": "x"}], False) == "2814"


def test_a_required_parameter_that_the_job_leaves_out_is_rejected() -> None:
    assert code_of(merge, [parameter(required=True)], [], True) == "2766"
