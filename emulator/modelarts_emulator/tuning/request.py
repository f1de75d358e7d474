"""The part of a request that asks for a search: what a job searches, or that it searches nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.tuning.policy import read_policy
from modelarts_emulator.tuning.suggestion_client import missing_libraries
from modelarts_emulator.v2.programs import Program

__all__ = ["check_stored", "resolve"]

TAG = {"key": "auto_search", "value": "True"}


def resolve(
    catalogue: Catalogue,
    program: Program,
    given: Mapping[str, Any],
    managed: Mapping[str, Any] | None,
    parameters: Sequence[Mapping[str, Any]],
) -> dict[str, Any] | None:
    """The job's `policies` as the service shows them: None without any.

    Raises ServiceError for what cannot be searched.

    A job that says nothing of policies searches as the stored algorithm that it names says.
    """
    if "policies" not in given:
        stored = ((managed or {}).get("advanced_config") or {}).get("auto_search")
        policies = {"auto_search": stored} if stored else None
    else:
        auto_search = (given["policies"] or {}).get("auto_search")
        policies = {"auto_search": auto_search} if auto_search else {}
    if not policies:
        return policies
    policy = read_policy(policies["auto_search"], catalogue.search_algorithms)
    if program.is_custom_image or TAG not in (program.engine.get("tags") or []):
        raise _wrong("the engine has no tag auto_search, only those that have it can search hyperparameters")
    types = {entry["name"]: str((entry.get("constraint") or {}).get("type") or "").lower() for entry in parameters}
    for dimension in policy.space:
        kind = types.get(dimension.name)
        if kind == "boolean":
            raise _wrong(f"{dimension.name} is of type Boolean: only numbers can be searched")
        if kind == "integer" and not (dimension.values and all(value.is_integer() for value in dimension.values)):
            raise _wrong(f"{dimension.name} is of type Integer: give discrete_values that are whole numbers")
    if missing := missing_libraries():
        raise ServiceError(
            "ModelArts.2858",
            f"Operation not supported: hyperparameter search needs {', '.join(missing)}:"
            ' run: pip install "modelarts-toolkit[search]".',
        )
    return policies


def check_stored(catalogue: Catalogue, advanced_config: Mapping[str, Any] | None) -> None:
    """Raise ServiceError if an algorithm is to be stored with a search that no job could make."""
    if auto_search := (advanced_config or {}).get("auto_search"):
        read_policy(auto_search, catalogue.search_algorithms)


def _wrong(what: str) -> ServiceError:
    return ServiceError("ModelArts.2826", f"Search parameters error: {what}.")
