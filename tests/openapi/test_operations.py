"""What every operation of the documents has to say, and how far requests and responses may be trusted."""

from __future__ import annotations

import re
from typing import Any

import openapi_spec_validator
from tests.openapi.conftest import each_operation

import modelarts_openapi

CLOUDS = {"otc", "huaweicloud"}


def has_body(operation: Any) -> bool:
    """Whether a success of the operation has content."""
    return any("content" in response for response in operation.successes.values())


def test_the_bundled_document_is_valid_openapi(name: str) -> None:
    openapi_spec_validator.validate(modelarts_openapi.load(name))


@each_operation()
def test_an_operation_says_what_it_is_and_where_that_is_written(operation: Any) -> None:
    facts = operation.facts
    tags = {tag["name"] for tag in operation.document["tags"]}

    assert re.fullmatch(r"[a-z][A-Za-z]+", facts["operationId"])
    assert 1 <= len(facts["summary"].split()) <= 6
    assert not facts["summary"].endswith(".")
    assert facts["description"].endswith(".")
    assert len(facts["tags"]) == 1
    assert set(facts["tags"]) <= tags
    assert facts.get("x-original-name") or operation.name == "v1"  # its pages name no operations
    assert facts["x-availability"]
    assert set(facts.get("x-pages", ())) <= set(facts["x-availability"]) <= CLOUDS
    assert facts.get("x-pages") or facts["x-source"]


@each_operation()
def test_the_placeholders_of_a_path_are_its_path_parameters(operation: Any) -> None:
    parameters = [operation.resolve(parameter) for parameter in operation.parameters]

    assert set(re.findall(r"{(\w+)}", operation.path)) == {p["name"] for p in parameters if p["in"] == "path"}
    assert all(parameter["description"].endswith(".") for parameter in parameters)


@each_operation()
def test_a_rejection_has_a_form_and_the_codes_that_come_with_its_status(operation: Any) -> None:
    rejections = {status: response for status, response in operation.responses.items() if status[0] not in "23"}

    assert "default" in rejections
    assert all("application/json" in response["content"] for response in rejections.values())
    if operation.path.startswith("/v2/"):
        assert {"400", "401", "403", "404", "429", "500"} <= set(rejections)
        assert [status for status, response in rejections.items() if not response["x-error-codes"]] == []


@each_operation(lambda operation: "429" in operation.responses)
def test_the_response_to_too_many_calls_says_how_long_to_wait(operation: Any) -> None:
    assert "Retry-After" in operation.responses["429"]["headers"]


@each_operation(lambda operation: any(operation.examples))
def test_an_example_is_named_after_its_operation_and_fits_its_schema(operation: Any) -> None:
    findings = {name: operation.findings(schema, payload) for name, payload, schema in operation.examples}

    assert {name: found for name, found in findings.items() if found} == {}
    assert [name for name in findings if not re.fullmatch(rf"{operation.id}\.[a-z0-9-]+", name)] == []


@each_operation()
def test_a_body_has_an_example_unless_the_operation_says_why_not(operation: Any) -> None:
    bodies = [operation.resolve(operation.facts.get("requestBody", {})), *operation.successes.values()]
    media = [body["content"]["application/json"] for body in bodies if "content" in body]

    assert all(content.get("examples") for content in media) == ("x-without-examples" not in operation.facts)


@each_operation(lambda operation: operation.request_schema)
def test_a_request_admits_no_member_that_is_not_described(operation: Any) -> None:
    schemas = operation.schemas(operation.request_schema)

    loose = [where for where, schema in schemas.items() if "object" in str(schema.get("type"))
             and "additionalProperties" not in schema]  # fmt: skip
    assert loose == []


@each_operation(has_body)
def test_a_response_admits_members_and_values_that_are_not_described(operation: Any) -> None:
    for response in operation.successes.values():
        if "content" not in response:
            continue
        schemas = operation.schemas(response["content"]["application/json"]["schema"])
        closed = [where for where, schema in schemas.items() if "enum" in schema or "const" in schema
                  or schema.get("additionalProperties") is False]  # fmt: skip

        assert closed == []


@each_operation(has_body)
def test_a_response_admits_null_for_every_member_that_it_may_leave_out(operation: Any) -> None:
    for response in operation.successes.values():
        if "content" not in response:
            continue
        schemas = operation.schemas(response["content"]["application/json"]["schema"])
        members = {
            f"{where}.{member}": child
            for where, schema in schemas.items()
            for member, child in schema.get("properties", {}).items()
            if member not in schema.get("required", ())
        }
        # As items of one list, because a validator of the whole document takes long to make.
        children = {"prefixItems": [*members.values()]} if members else {}
        rejecting = operation.findings(children, [None] * len(members))

        assert [f"{[*members][int(re.split('[:/]', found)[0])]}: {found}" for found in rejecting] == []


@each_operation()
def test_an_id_that_is_a_text_has_no_format(operation: Any) -> None:
    """A published example has a UUID without dashes."""
    parameters = [operation.resolve(parameter) for parameter in operation.parameters]
    ids = [parameter["schema"] for parameter in parameters if parameter["name"].endswith("_id")]
    texts = [schema for schema in ids if schema["type"] == "string"]

    assert [schema for schema in texts if "format" in schema or "pattern" in schema] == []
