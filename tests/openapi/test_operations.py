"""What every operation of the documents has to say, and how far requests and responses may be trusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openapi_spec_validator
import pytest
import yaml
from tests.openapi.conftest import each_operation, operations

import modelarts_openapi
from modelarts_openapi.error_codes import ERROR_CODES
from modelarts_openapi.phases import PHASES, SECONDARY_PHASES, STATUS_NAMES

CLOUDS = {"otc", "huaweicloud"}
# What an operation refers to for each rejection.
SHARED = {"401": "Unauthorized", "403": "Forbidden", "404": "NotFound", "429": "TooManyRequests"}
SHARED |= {"500": "ServiceFailure", "default": "Unexpected"}
REJECTIONS = {status: f"$ref: ../../shared/responses/{name}.yaml" for status, name in SHARED.items()}
REJECTIONS["400"] = "a response of the document, such as ../responses/MalformedRequest.yaml, with its `x-error-codes`"


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
    names = {parameter["name"] for parameter in operation.parameters if parameter["in"] == "path"}

    assert set(re.findall(r"{(\w+)}", operation.path)) == names
    assert all(parameter["description"].endswith(".") for parameter in operation.parameters)


@each_operation()
def test_a_rejection_has_a_form_and_the_codes_that_come_with_its_status(operation: Any) -> None:
    rejections = {status: response for status, response in operation.responses.items() if status[0] not in "23"}

    needed = {"default"} | ({"400", "401", "403", "404", "429", "500"} if operation.path.startswith("/v2/") else set())
    missing = [f"{status} ({REJECTIONS[status]})" for status in sorted(needed - set(rejections))]
    assert not missing, f"add to `responses`: {', '.join(missing)}"
    assert all("application/json" in response["content"] for response in rejections.values())
    if operation.path.startswith("/v2/"):
        silent = [status for status, response in rejections.items() if not response.get("x-error-codes")]
        assert not silent, f"give these responses `x-error-codes`, the codes that come with them: {', '.join(silent)}"


@each_operation(lambda operation: "429" in operation.responses)
def test_the_response_to_too_many_calls_says_how_long_to_wait(operation: Any) -> None:
    assert "Retry-After" in operation.responses["429"]["headers"]


@each_operation(lambda operation: any(operation.examples))
def test_an_example_is_named_after_its_operation_and_fits_its_schema(operation: Any) -> None:
    findings = {name: operation.findings(schema, payload) for name, payload, schema in operation.examples}

    assert {name: found for name, found in findings.items() if found} == {}, "correct the schema, never the payload"
    misnamed = [name for name in findings if not re.fullmatch(rf"{operation.id}\.[a-z0-9-]+", name)]
    assert not misnamed, f"name examples {operation.id}.<case>, not {', '.join(misnamed)}"


@each_operation()
def test_a_body_has_an_example_unless_the_operation_says_why_not(operation: Any) -> None:
    bodies = [operation.resolve(operation.facts.get("requestBody", {})), *operation.successes.values()]
    media = [body["content"]["application/json"] for body in bodies if "content" in body]
    is_complete = all(content.get("examples") for content in media)

    if "x-without-examples" in operation.facts:
        assert not is_complete, "remove `x-without-examples`: no body of the operation lacks an example"
    else:
        assert is_complete, "give each body an example, a file of `examples/`, or say why not in `x-without-examples`"


@each_operation(lambda operation: operation.request_schema)
def test_a_request_admits_no_member_that_is_not_described(operation: Any) -> None:
    schemas = operation.schemas(operation.request_schema)

    loose = [where for where, schema in schemas.items() if "object" in str(schema.get("type"))
             and "additionalProperties" not in schema]  # fmt: skip
    assert loose == []


@each_operation(has_body)
def test_a_response_admits_members_and_values_that_are_not_described(operation: Any) -> None:
    for status, response in operation.successes.items():
        if "content" not in response:
            continue
        schemas = operation.schemas(response["content"]["application/json"]["schema"])
        closed = [where for where, schema in schemas.items() if "enum" in schema or "const" in schema
                  or schema.get("additionalProperties") is False]  # fmt: skip

        assert closed == [], status


@each_operation(has_body)
def test_a_response_admits_null_for_every_member_that_it_may_leave_out(operation: Any) -> None:
    for status, response in operation.successes.items():
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

        assert [f"{[*members][int(re.split('[:/]', found)[0])]}: {found}" for found in rejecting] == [], status


@each_operation()
def test_an_id_that_is_a_text_has_no_format(operation: Any) -> None:
    """A published example has a UUID without dashes."""
    ids = [parameter["schema"] for parameter in operation.parameters if parameter["name"].endswith("_id")]
    texts = [schema for schema in ids if schema["type"] == "string"]

    assert [schema for schema in texts if "format" in schema or "pattern" in schema] == []


def codes(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from node.get("x-error-codes", ())
        yield from (node["x-error-code"],) if "x-error-code" in node else ()
        for child in node.values():
            yield from codes(child)
    elif isinstance(node, list):
        for child in node:
            yield from codes(child)


def test_every_code_of_the_documents_is_explained() -> None:
    """Beside them, only the codes are that a client or the emulator treats differently from others."""
    documented = {code for name in modelarts_openapi.NAMES for code in codes(modelarts_openapi.load(name))}

    assert documented - set(ERROR_CODES) == set()
    assert [code for code in set(ERROR_CODES) - documented if not ERROR_CODES[code].exception] == []


def test_phases_and_statuses_are_those_of_the_documents() -> None:
    status = modelarts_openapi.load("v2")["components"]["schemas"]["JobStatus"]["properties"]
    numbers = modelarts_openapi.load("v1")["components"]["schemas"]["JobStatusCode"]

    assert status["phase"]["x-known-values"] == list(PHASES)
    assert set(SECONDARY_PHASES.values()) <= set(status["secondary_phase"]["x-known-values"])
    assert numbers["x-known-values"] == list(STATUS_NAMES)


# A moment of this century, in each unit; a value between them has another unit.
MOMENTS = {"s": (1e9, 5e9), "ms": (1e12, 5e12)}
TOO_SHORT = 15099239923  # a page prints a moment without its last two digits


@each_operation()
def test_the_moments_in_examples_have_the_documented_unit(operation: Any) -> None:
    """A moment that is said to be in milliseconds is one of this century in milliseconds, not in seconds."""
    wrong = []
    for example, payload, schema in operation.examples:
        for _, field, value in operation.values(schema, payload):
            unit = field.get("x-time-unit")
            if unit is not None and isinstance(value, int) and value not in {0, TOO_SHORT}:
                low, high = MOMENTS[unit]
                wrong += [] if low < value < high else [f"{example}: {value} is not a moment in {unit}"]

    assert wrong == []


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


def test_a_success_has_what_identifies_the_thing(responses: dict[str, tuple[Any, dict[str, Any]]]) -> None:
    """So a rejection is none, whatever its status; an acknowledgement says no more than that it is one."""
    rejection = {"is_success": False, "error_code": "ModelArts.0105", "error_message": "Error string"}
    acknowledged = {name for name, (_, schema) in responses.items() if schema["$ref"].endswith("/Acknowledgement")}

    for body in (rejection, {"is_success": True}):
        valid = {name for name, (operation, schema) in responses.items() if not operation.findings(schema, body)}
        assert valid == acknowledged, body


def test_an_id_in_a_path_is_a_number(responses: dict[str, tuple[Any, dict[str, Any]]]) -> None:
    parameters = [parameter for operation, _ in responses.values() for parameter in operation.parameters]
    types = {p["schema"]["type"] for p in parameters if p["in"] == "path" and p["name"] in {"job_id", "version_id"}}

    assert {"integer"} == types


PAGES = Path(__file__).parents[1] / "data" / "observed" / "pages-2021"
OPERATIONS = {f"{operation.name} {operation.id}": operation for operation in operations()}
ENTRIES: dict[str, Any] = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in sorted(PAGES.glob("*.yaml"))}


@pytest.mark.parametrize("payload", ENTRIES)
def test_a_payload_of_an_older_page_fits_the_documents(payload: str) -> None:
    entry = ENTRIES[payload]
    operation = OPERATIONS[entry["operation"]]
    if "request" in entry:
        carrier, body = operation.facts["requestBody"], entry["request"]["body"]
    else:
        status = entry["response"].get("status")
        responses = operation.facts["responses"]
        carrier, body = responses[str(status) if status else "default"], entry["response"]["body"]

    schema = operation.resolve(carrier)["content"]["application/json"]["schema"]

    assert bool(operation.findings(schema, body)) == ("differs" in entry), operation.findings(schema, body)
