"""What only the first version does: successes say that they are, and ids are numbers."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def responses(by_id: dict[tuple[str, str], Any]) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Every operation of the first version with the schema of its only success."""
    found = {}
    for (document, name), operation in by_id.items():
        if document == "v1":
            [response] = operation.successes.values()
            found[name] = operation, response["content"]["application/json"]["schema"]
    return found


def test_every_success_has_status_200(responses: dict[str, tuple[Any, dict[str, Any]]]) -> None:
    assert {("200",)} == {tuple(operation.successes) for operation, _ in responses.values()}


def test_a_rejection_is_no_success(responses: dict[str, tuple[Any, dict[str, Any]]]) -> None:
    """Whatever its status: a success says what the thing is that it is about."""
    rejection = {"is_success": False, "error_code": "ModelArts.0105", "error_message": "Error string"}
    valid = {name for name, (operation, schema) in responses.items() if not operation.findings(schema, rejection)}

    assert valid == {name for name, (_, schema) in responses.items() if schema["$ref"].endswith("/Acknowledgement")}


def test_a_success_has_what_identifies_the_thing(responses: dict[str, tuple[Any, dict[str, Any]]]) -> None:
    bare = {"is_success": True}
    content = {name for name, (operation, schema) in responses.items() if operation.findings(schema, bare)}

    acknowledged = {name for name, (_, schema) in responses.items() if schema["$ref"].endswith("/Acknowledgement")}
    assert set(responses) - acknowledged == content


def test_an_id_in_a_path_is_a_number(responses: dict[str, tuple[Any, dict[str, Any]]]) -> None:
    parameters = [operation.resolve(p) for operation, _ in responses.values() for p in operation.parameters]
    types = {p["schema"]["type"] for p in parameters if p["in"] == "path" and p["name"] in {"job_id", "version_id"}}

    assert {"integer"} == types
