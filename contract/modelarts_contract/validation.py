"""What is wrong with an exchange, or new in it, by the documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .documents import Documents, Operation, Schema, json_schema, resolve
from .exchange import Exchange

__all__ = ["Finding", "Kind", "findings"]

NOT_JSON_LENGTH = 80  # characters of another body that a finding quotes


class Kind(StrEnum):
    """What was found; the first four are about the request."""

    UNKNOWN_OPERATION = "unknown operation"
    UNKNOWN_PARAMETER = "unknown parameter"
    INVALID_PARAMETER = "invalid parameter"
    INVALID_REQUEST = "invalid request"
    UNKNOWN_STATUS = "unknown status"
    UNKNOWN_CODE = "unknown error code"
    INVALID_RESPONSE = "invalid response"
    UNKNOWN_FIELD = "unknown field"
    UNKNOWN_VALUE = "unknown value"


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference between an exchange and the documents.

    `where` is the path of the field in the body, `component` the schema that the field belongs to, and `value` the JSON
    value of an unknown field.
    """

    kind: Kind
    operation: str
    message: str
    where: str = ""
    component: str = ""
    value: Any = None

    @property
    def breaks_contract(self) -> bool:
        """Whether client or service broke the contract; what is merely new is allowed, responses are open."""
        return self.kind not in (Kind.UNKNOWN_FIELD, Kind.UNKNOWN_VALUE)


def findings(exchange: Exchange, documents: Documents) -> Iterator[Finding]:
    """The differences, those of the request first.

    A request that the service rejected with a status from 400 on is not judged: its client may test what happens.
    """
    address = urlsplit(exchange.url)
    found = documents.find(exchange.method, address.path)
    if found is None:
        other = documents.methods_of(address.path)
        hint = f"; the path has {', '.join(other)}" if other else ""
        yield Finding(Kind.UNKNOWN_OPERATION, "", f"no document has {exchange.method} {address.path}{hint}")
        return
    operation, path_values = found
    if exchange.status < 400:
        yield from of_parameters(operation, path_values, parse_qsl(address.query, keep_blank_values=True))
        yield from of_request(operation, exchange)
    yield from of_response(operation, exchange)


def of_parameters(operation: Operation, path: Mapping[str, str], query: list[tuple[str, str]]) -> Iterator[Finding]:
    known = operation.parameters("query")
    named = operation.operation_id
    for name, text in query:
        if name not in known:
            yield Finding(Kind.UNKNOWN_PARAMETER, named, f"query parameter {name} is not documented", name)
        elif problem := problem_of_text(operation, known[name], text):
            yield Finding(Kind.INVALID_PARAMETER, named, f"query parameter {name}: {problem}", name)
    given = {name for name, _ in query}
    for name, parameter in known.items():
        if parameter.get("required") and name not in given:
            yield Finding(Kind.INVALID_PARAMETER, named, f"query parameter {name} is missing", name)
    for name, parameter in operation.parameters("path").items():
        if name in path and (problem := problem_of_text(operation, parameter, path[name])):
            yield Finding(Kind.INVALID_PARAMETER, named, f"path parameter {name}: {problem}", name)


def problem_of_text(operation: Operation, parameter: Schema, text: str) -> str:
    """What is wrong with a parameter; a text that reads as JSON may stand for that value."""
    validator = operation.validator(f"{parameter['in']} {parameter['name']}", parameter.get("schema", {}))
    if validator.is_valid(text):
        return ""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return next((error.message for error in validator.iter_errors(value)), "")


def of_request(operation: Operation, exchange: Exchange) -> Iterator[Finding]:
    schema = operation.body_schema()
    named = operation.operation_id
    if schema is None:
        return
    if not exchange.request_body:
        if resolve(operation.document, operation.definition["requestBody"]).get("required"):
            yield Finding(Kind.INVALID_REQUEST, named, "the request has no body")
        return
    try:
        body = exchange.request_json()
    except ValueError:
        yield Finding(Kind.INVALID_REQUEST, named, f"the request is not JSON: {quoted(exchange.request_body)}")
        return
    for error in operation.validator("request", schema).iter_errors(body):
        yield Finding(Kind.INVALID_REQUEST, named, f"{dotted(error.instance_path)}{error.message}", plain(error))


def of_response(operation: Operation, exchange: Exchange) -> Iterator[Finding]:
    named = operation.operation_id
    documented = operation.response(exchange.status)
    if documented is None:
        yield Finding(Kind.UNKNOWN_STATUS, named, f"status {exchange.status} is not documented")
        return
    schema = json_schema(documented)
    if schema is None or (not exchange.response_body and exchange.method == "HEAD"):
        return
    try:
        body = exchange.response_json()
    except ValueError:
        yield Finding(Kind.INVALID_RESPONSE, named, f"the response is not JSON: {quoted(exchange.response_body)}")
        return
    codes = documented.get("x-error-codes")
    code = body.get("error_code") if isinstance(body, dict) else None
    if codes and code is not None and code not in codes:
        yield Finding(Kind.UNKNOWN_CODE, named, f"code {code} is not documented with status {exchange.status}")
    for error in operation.validator(f"response {exchange.status}", schema).iter_errors(body):
        yield Finding(Kind.INVALID_RESPONSE, named, f"{dotted(error.instance_path)}{error.message}", plain(error))
    yield from new_in(operation, schema, body, "", "")


def new_in(operation: Operation, schema: Schema, value: Any, where: str, component: str) -> Iterator[Finding]:
    """Fields and values that the schema does not name."""
    named = operation.operation_id
    alternatives = list(branches(operation, schema, component))
    if isinstance(value, list):
        for branch, owner in alternatives:
            if "items" in branch:
                for number, child in enumerate(value):
                    yield from new_in(operation, branch["items"], child, f"{where}[{number}]", owner)
                return
    if isinstance(value, dict):
        properties = {
            name: (field, owner)
            for branch, owner in alternatives
            for name, field in branch.get("properties", {}).items()
        }
        others = next(
            (
                branch["additionalProperties"]
                for branch, _ in alternatives
                if isinstance(branch.get("additionalProperties"), dict)
            ),
            None,
        )
        for name, child in value.items():
            place = f"{where}.{name}".removeprefix(".")
            if name in properties:
                yield from new_in(operation, properties[name][0], child, place, properties[name][1])
            elif others is not None:
                yield from new_in(operation, others, child, place, component)
            elif properties:
                owner = next(owner for branch, owner in alternatives if branch.get("properties"))
                yield Finding(Kind.UNKNOWN_FIELD, named, f"field {place} is not documented", place, owner, child)
    known = [entry for branch, _ in alternatives for entry in branch.get("x-known-values", ())]
    if known and isinstance(value, str | int) and value not in known:
        yield Finding(
            Kind.UNKNOWN_VALUE,
            named,
            f"{where} has the value {value!r}, which is not documented",
            where,
            component,
            value,
        )


def branches(operation: Operation, schema: Schema, component: str) -> Iterator[tuple[Schema, str]]:
    """The schema and its alternatives without references, each with the component that it is from."""
    while "$ref" in schema:
        component = schema["$ref"].rpartition("/")[2]
        schema = resolve(operation.document, {"$ref": schema["$ref"]})
    yield schema, component
    for key in ("allOf", "anyOf", "oneOf"):
        for branch in schema.get(key, ()):
            yield from branches(operation, branch, component)


def dotted(path: list[str | int]) -> str:
    return f"{'.'.join(map(str, path))}: " if path else ""


def plain(error: Any) -> str:
    return ".".join(map(str, error.instance_path))


def quoted(body: bytes) -> str:
    text = " ".join(body[: 4 * NOT_JSON_LENGTH].decode("utf-8", "replace").split())
    return text[:NOT_JSON_LENGTH] or "it is empty"
