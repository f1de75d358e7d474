"""Hyperparameters: the defaults and constraints that an algorithm declares, and the values that a job gives.

What the service documents are the members and the error codes; how `valid_type` and `valid_range` work together is
read from their names: "range" means a lower and an upper bound, anything else a list of allowed values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.tuning.policy import NUMBER, WHOLE
from modelarts_emulator.v2.conventions import invalid

Parameter = Mapping[str, Any]

NUMBERS = {"integer": WHOLE, "float": NUMBER}


def check_definitions(parameters: Sequence[Parameter]) -> None:
    """Raise ServiceError unless an algorithm's hyperparameters have distinct names and defaults that fit."""
    _check_names(parameters)
    for parameter in parameters:
        constraint = parameter.get("constraint") or {}
        name, value = parameter["name"], parameter.get("value") or ""
        if not value:
            if constraint.get("editable") is False:
                raise ServiceError(
                    "ModelArts.2766", f"Hyperparameter {name} has no default value and cannot be edited."
                )
            continue
        _check_value(f"Default of hyperparameter {name}", value, constraint, ("ModelArts.2768", "ModelArts.2769"))


def merge(declared: Sequence[Parameter], given: Sequence[Parameter], customizable: bool) -> list[dict[str, Any]]:
    """The job's hyperparameters: those of the algorithm with the job's values, then the job's own.

    Raises ServiceError for a value that does not fit.
    """
    _check_names(given)
    values = {parameter["name"]: parameter for parameter in given}
    merged = [_merged(parameter, values.pop(parameter["name"], None)) for parameter in declared]
    if values and not customizable:
        raise ServiceError(
            "ModelArts.2814", f"The algorithm has no hyperparameter {', '.join(values)} and allows no others."
        )
    check_definitions(list(values.values()))
    return merged + [dict(parameter) for parameter in values.values()]


def view(parameter: Parameter) -> dict[str, Any]:
    """A hyperparameter in the form of the service's responses."""
    return {"description": "", "i18n_description": None, **parameter}


def _merged(declared: Parameter, given: Parameter | None) -> dict[str, Any]:
    name, constraint = declared["name"], declared.get("constraint") or {}
    default = declared.get("value") or ""
    value = default if given is None or given.get("value") is None else given["value"]
    if value != default and constraint.get("editable") is False:
        raise ServiceError("ModelArts.2814", f"Hyperparameter {name} cannot be edited: the algorithm fixes its value.")
    if not value:
        if constraint.get("required"):
            raise ServiceError(
                "ModelArts.2766", f"Hyperparameter {name} is required and has neither a value nor a default."
            )
        return dict(declared) | {"value": value}
    out_of_range = "ModelArts.2770" if _kind(constraint) in NUMBERS else "ModelArts.2765"
    _check_value(f"The value of hyperparameter {name}", value, constraint, ("ModelArts.2825", out_of_range))
    return dict(declared) | {"value": value}


def _check_value(what: str, value: str, constraint: Mapping[str, Any], codes: tuple[str, str]) -> None:
    """Raise ServiceError with one of the codes unless the value has the constraint's type and lies in its range."""
    if not _has_type(value, constraint):
        raise ServiceError(codes[0], f"{what} is not of type {constraint['type']}.")
    if not _is_in_range(value, constraint):
        raise ServiceError(codes[1], f"{what} is not within {', '.join(constraint['valid_range'])}.")


def _check_names(parameters: Sequence[Parameter]) -> None:
    seen = set()
    for parameter in parameters:
        name = parameter["name"]
        if name in seen:
            raise ServiceError("ModelArts.2767", f"Hyperparameter {name} is given more than once.")
        if "\0" in (parameter.get("value") or ""):
            raise invalid("parameters.value", f"{name} holds a NUL character")
        seen.add(name)


def _kind(constraint: Mapping[str, Any]) -> str:
    return str(constraint.get("type") or "string").lower()


def _has_type(value: str, constraint: Mapping[str, Any]) -> bool:
    kind = _kind(constraint)
    if kind == "boolean":
        return value.lower() in ("true", "false")
    return kind not in NUMBERS or NUMBERS[kind].fullmatch(value.strip()) is not None


def _is_in_range(value: str, constraint: Mapping[str, Any]) -> bool:
    allowed = constraint.get("valid_range") or []
    if not allowed:
        return True
    if str(constraint.get("valid_type") or "").lower() != "range" or _kind(constraint) not in NUMBERS:
        return value in allowed
    bounds = [_bound(text, side) for text, side in zip(allowed, (-math.inf, math.inf), strict=False)]
    return bounds[0] <= float(value) <= (bounds[1] if len(bounds) > 1 else math.inf)


def _bound(text: str, otherwise: float) -> float:
    return float(text) if NUMBERS["float"].fullmatch(text.strip()) else otherwise
