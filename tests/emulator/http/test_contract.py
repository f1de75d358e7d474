"""The documents as the emulator applies them, on a document of a few lines."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.http.contract import Contract, Operation, bind, decode
from modelarts_emulator.http.errors import Problem, ServiceError

DOCUMENT: dict[str, Any] = {
    "security": [{"token": []}],
    "paths": {
        "/things/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "post": {
                "operationId": "changeThing",
                "parameters": [{"$ref": "#/components/parameters/Count"}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
                },
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
                    "202": {"description": "Nothing."},
                    "400": {"x-error-codes": ["A.1"], "content": {"application/json": {"schema": {}}}},
                },
            },
        }
    },
    "components": {
        "parameters": {"Count": {"name": "count", "in": "query", "schema": {"type": "integer", "maximum": 9}}},
        "schemas": {
            "Thing": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string"},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Slot"}},
                    "more": {"$ref": "#/components/schemas/Thing"},
                },
            },
            "Slot": {"anyOf": [{"$ref": "#/components/schemas/Part"}, {"type": "null"}]},
            "Part": {"type": "object", "properties": {"kind": {"$ref": "#/components/schemas/Kind"}}},
            "Kind": {"enum": ["a", "b", "d", "e"], "x-error-code": "ModelArts.2812"},
        },
    },
}  # fmt: skip


@pytest.fixture
def operation() -> Operation:
    return Contract.of("test", DOCUMENT).operations[0]


def test_a_document_and_handlers_that_differ_are_rejected_by_the_names_of_the_operations() -> None:
    contract = Contract.of("test", DOCUMENT)

    with pytest.raises(EmulatorError, match=r"test and the emulator differ: no handler for changeThing$"):
        bind(contract, {})
    with pytest.raises(EmulatorError, match=r"handlers for unknown operations killThing$"):
        bind(contract, {"changeThing": 1, "killThing": 2})


def test_an_operation_that_is_not_emulated_has_no_handler_and_is_documented() -> None:
    contract = Contract.of("test", DOCUMENT)

    assert bind(contract, {}, ["changeThing"]) == {}
    with pytest.raises(EmulatorError, match=r"not emulated, and with handlers: changeThing$"):
        bind(contract, {"changeThing": 1}, ["changeThing"])
    with pytest.raises(EmulatorError, match=r"not emulated, and unknown: killThing$"):
        bind(contract, {"changeThing": 1}, ["killThing"])


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b'{"name": 1}', Problem.INVALID_PARAMETER, ["name", '"string"']),
        (b"{}", Problem.INVALID_PARAMETER, ["name", "required"]),
        (b"[]", Problem.INVALID_PARAMETER, ["request body", '"object"']),
        (b'{"name": "x", "colour": 1}', Problem.INVALID_PARAMETER, ["colour", "unexpected"]),
        (b'{"name": "x", "more": {"name": 2}}', Problem.INVALID_PARAMETER, ["more.name"]),
        (b'{"name": "x", "parts": [{"kind": "c"}]}', "ModelArts.2812", ["parts.0.kind", '"a", "b", "d", "e"']),
        (
            b'{"name": "x", "more": {"name": "y", "parts": [3]}}',
            Problem.INVALID_PARAMETER,
            ["more.parts.0", "object", "null"],
        ),
    ],
)
def test_a_body_that_does_not_fit_is_rejected_naming_the_member_and_what_was_expected(
    operation: Operation, body: bytes, code: str | Problem, words: list[str]
) -> None:
    with pytest.raises(ServiceError) as caught:
        operation.read_body(body, "application/json")

    assert caught.value.code == code
    for word in words:
        assert word in caught.value.message


def test_a_body_that_is_too_deep_to_be_checked_is_rejected(operation: Operation) -> None:
    with pytest.raises(ServiceError, match="nested too deeply") as caught:
        operation.read_body(b'{"name":' * 400 + b"1" + b"}" * 400, "")

    assert caught.value.code == Problem.INVALID_JSON


def test_a_rejection_does_not_repeat_the_value_which_may_be_a_secret(operation: Operation) -> None:
    with pytest.raises(ServiceError) as caught:
        operation.read_body(b'{"name": ["hunter2"]}', "application/json")

    assert "hunter2" not in caught.value.message


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (b"", "application/json"),
        (b"{", "application/json"),
        (b"\xff", "application/json"),
        (b"NaN", "application/json"),
        (b'"\\ud800"', "application/json"),
        (b'"\xed\xa0\x80"', "application/json"),
        (b'{"a": "\xc0\x80"}', "application/json"),
        ('"\\ud800"'.encode("utf-16-le"), "application/json"),
        ('"\ud800"'.encode("utf-16-le", "surrogatepass"), "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"{}", "text/plain"),
        (b"{}", "application/x-www-form-urlencoded"),
    ],
)
def test_a_body_that_is_not_json_is_rejected(content: bytes, content_type: str) -> None:
    with pytest.raises(ServiceError) as caught:
        decode(content, content_type)

    assert caught.value.code == Problem.INVALID_JSON


def test_a_whole_number_is_an_integer_however_it_is_written() -> None:
    """As for the schemas that bodies are checked against."""
    body = decode(b'{"a": 1.0, "b": 2e3, "c": 0.5, "d": 1e300}', "")

    assert {name: (value, type(value)) for name, value in body.items()} == {
        "a": (1, int),
        "b": (2000, int),
        "c": (0.5, float),
        "d": (1e300, float),
    }


def test_an_unknown_query_parameter_is_rejected_by_name(operation: Operation) -> None:
    operation.reject_unknown_query(["count"])
    with pytest.raises(ServiceError, match="unknown name colour, size") as caught:
        operation.reject_unknown_query(["size", "count", "colour"])

    assert caught.value.code == Problem.INVALID_QUERY


@pytest.mark.parametrize(
    ("status", "body", "problem"),
    [
        (200, {"name": "x"}, None),
        (202, None, None),
        (400, {"error_code": "A.1"}, None),
        (200, {"name": 1}, "name"),
        (200, None, "without a body"),
        (202, {}, "with a body"),
        (201, {}, "must not respond with 201"),
        (400, {"error_code": "A.2"}, "must not respond with 400 with A.2"),
    ],
)
def test_a_response_is_checked_against_its_document(
    operation: Operation, status: int, body: Any, problem: str | None
) -> None:
    found = operation.check_response(status, body)

    assert (found is None) == (problem is None), found
    assert problem is None or problem in str(found)


def test_an_operation_is_public_only_if_its_document_says_so() -> None:
    """Only an empty list of requirements means that no token is needed."""
    document = copy.deepcopy(DOCUMENT)
    assert not Contract.of("test", document).operations[0].public
    document["paths"]["/things/{id}"]["post"]["security"] = []
    assert Contract.of("test", document).operations[0].public


def test_an_operation_without_security_is_an_error_that_names_it() -> None:
    """A forgotten `security` must not open an operation to everybody."""
    document = copy.deepcopy(DOCUMENT)
    del document["security"]

    with pytest.raises(EmulatorError, match=r"test does not say who may call changeThing: .*`security: \[\]`"):
        Contract.of("test", document)
