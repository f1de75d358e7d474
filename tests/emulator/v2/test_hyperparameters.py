"""Hyperparameters: defaults that fit, values that fit, names given once."""

from __future__ import annotations

from typing import Any

import pytest


def parameter(name: str = "p", value: str = "", **constraint: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "constraint": constraint}


def code_of(response: Any) -> str | None:
    """The code with which a request was rejected; None if it was served."""
    return None if response.status_code == 201 else str(response.json()["error_code"]).removeprefix("ModelArts.")


def create_from(api: Any, declared: list[Any], given: list[Any], customizable: bool) -> Any:
    """Create a job with these values from an algorithm with these hyperparameters."""
    own = {"parameters": declared, "parameters_customization": customizable, "inputs": None, "outputs": None}
    algorithm_id = api.create_algorithm(**own)["metadata"]["id"]
    body = api.job_body(id=algorithm_id, code_dir=None, boot_file=None, engine=None, parameters=given)
    return api.call("POST", "/training-jobs", json=body)


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
        ([parameter(value="maybe", type="Boolean")], "2768"),
        ([parameter(value="rmsprop", **CHOICE)], "2769"),
        ([parameter(editable=False)], "2766"),
        ([parameter(name="")], "2788"),
    ],
)
def test_definitions_are_accepted_only_if_their_defaults_fit(api: Any, definitions: Any, code: str | None) -> None:
    body = api.algorithm_body(parameters=definitions)

    assert code_of(api.call("POST", "/algorithms", json=body)) == code


@pytest.mark.parametrize(
    ("declared", "value", "code"),
    [
        (parameter(value="3", **NUMBERS), "10", None),
        (parameter(value="3", **NUMBERS), "\u0665", "2825"),  # a digit that scripts do not expect
        (parameter(value="adam", **CHOICE), "sgd", None),
        (parameter(value="a", editable=False), "a", None),
        (parameter(value="", required=True), "", "2766"),
        (parameter(value="", required=True), "x", None),
        (parameter(value="0.5", type="Float", valid_type="range", valid_range=["", "1"]), "-7", None),
        (parameter(value="0.5", type="Float", valid_type="range", valid_range=["0"]), "99", None),
        (parameter(value="2", type="Integer", valid_type="choice", valid_range=["2", "4"]), "3", "2770"),
    ],
)
def test_a_value_is_accepted_only_if_it_fits_the_constraint(
    api: Any, declared: Any, value: str, code: str | None
) -> None:
    assert code_of(create_from(api, [declared], [{"name": "p", "value": value}], False)) == code


def test_the_algorithms_parameters_come_first_with_the_jobs_values_then_the_jobs_own(api: Any) -> None:
    """Those of the job's own need an algorithm that allows them."""
    declared = [parameter("a", "1"), parameter("b", "2")]
    given = [{"name": "own", "value": "x"}, {"name": "b", "value": "3"}]

    shown = create_from(api, declared, given, True).json()["algorithm"]["parameters"]

    assert [(entry["name"], entry["value"]) for entry in shown] == [("a", "1"), ("b", "3"), ("own", "x")]
    assert code_of(create_from(api, declared, given, False)) == "2814"
