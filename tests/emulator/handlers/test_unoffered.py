"""What the emulator lacks it refuses by name, and only that is left out of the contract tests."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import modelarts_openapi

CONFIGURATION = Path(__file__).parents[3] / "schemathesis.toml"


def left_out() -> set[str]:
    """The operations that the contract tests do not call."""
    projects = tomllib.loads(CONFIGURATION.read_text())["project"]
    entries = [entry for project in projects for entry in project.get("operations", [])]
    names = [entry["include-operation-id"] for entry in entries if entry.get("enabled") is False]
    return {name for entry in names for name in ([entry] if isinstance(entry, str) else entry)}


def operations() -> Iterator[tuple[str, str, str]]:
    """Every operation of version 2 with its method and its path in the project, made-up names filled in."""
    for path, item in modelarts_openapi.load("v2")["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict):
                inside = path.removeprefix("/v2/{project_id}").replace("{", "").replace("}", "")
                yield operation["operationId"], method.upper(), inside


@pytest.mark.parametrize(("operation", "method", "path"), list(operations()))
def test_an_operation_is_refused_with_501_if_and_only_if_the_contract_tests_leave_it_out(
    api: Any, operation: str, method: str, path: str
) -> None:
    answer = api.call(method, path, **({"json": {}} if method in {"POST", "PUT"} else {}))

    assert (answer.status_code == 501) == (operation in left_out())


@pytest.mark.parametrize("path", ["/training-jobs/some-id/autosearch-trials", "/training-jobs/autosearch/yaml-templates"])
def test_a_refusal_says_that_it_is_the_emulator_that_lacks_something(api: Any, path: str) -> None:
    refusal = api.call("GET", path).json()

    assert refusal["error_code"] == "ModelArts.2858"
    assert "the emulator does not offer" in refusal["error_msg"]
    assert refusal["error_solution"]


def test_a_malformed_call_is_refused_as_such_first(api: Any) -> None:
    answer = api.call("GET", "/training-jobs/some-id/autosearch-trials", params={"limit": "all"})

    assert (answer.status_code, answer.json()["error_code"]) == (400, "ModelArts.2764")
