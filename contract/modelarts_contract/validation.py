"""What is wrong with an exchange, or new in it, by the documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .documents import Documents, Operation, Schema, json_schema, resolve
from .exchange import Exchange

__all__ = ["Finding", "Kind", "findings"]

Pointer = tuple[str, ...]

FIRST_TIME_S = 1_262_304_000  # 2010: the service is younger
MARGIN_S = 10 * 366 * 86_400  # how far a clock may be ahead: that of an emulator can be moved
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
    SERVER_ERROR = "server error"
    CONTENT_TYPE = "content type"
    SUCCESS = "success"
    LEAK = "leak"
    SECURITY = "security"
    ABSENT = "absent"
    STORY = "story"
    PAGE_SIZE = "page size"
    PAGES = "pages"
    TOTAL = "total"
    ORDER = "order"
    FILTER = "filter"
    TIME = "time"
    NAME = "name"
    UPDATE = "update"
    IDENTITY = "identity"
    DELETED = "deleted"
    PHASE = "phase"
    UNKNOWN_FIELD = "unknown field"
    UNKNOWN_VALUE = "unknown value"
    MISSING_FIELD = "missing field"


NEWS = frozenset({Kind.UNKNOWN_FIELD, Kind.UNKNOWN_VALUE, Kind.MISSING_FIELD})


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference between an exchange and the documents.

    `where` is the path of the field in the body or the name of the parameter. `pointer` leads to the part of the
    document that does not have the unknown thing, key by key, and `value` is that thing: the JSON value of a field, the
    value, text of a parameter, code or status.
    """

    kind: Kind
    operation: str
    message: str
    where: str = ""
    document: str = ""
    pointer: Pointer = ()
    value: Any = None

    @property
    def breaks_contract(self) -> bool:
        """Whether client or service broke the contract; what is merely new is allowed, responses are open."""
        return self.kind not in NEWS


def findings(exchange: Exchange, documents: Documents, *, rejected_requests: bool = False) -> Iterator[Finding]:
    """The differences, those of the request first.

    A request that the service rejected with a status from 400 on is judged only if `rejected_requests` says so: its
    client may test what happens. A recording may lack the response (status 0), or its body.
    """
    address = urlsplit(exchange.url)
    found = documents.find(exchange.method, address.path)
    if found is None:
        other = documents.methods_of(address.path)
        hint = f"; the path has {', '.join(other)}" if other else ""
        yield Finding(Kind.UNKNOWN_OPERATION, "", f"no document has {exchange.method} {address.path}{hint}")
        return
    operation, path_values = found
    if 0 < exchange.status < 400 or (rejected_requests and exchange.status):
        yield from of_parameters(operation, path_values, parse_qsl(address.query, keep_blank_values=True))
        yield from of_request(operation, exchange)
    if exchange.status:
        yield from of_response(operation, exchange)


def of_parameters(operation: Operation, path: Mapping[str, str], query: list[tuple[str, str]]) -> Iterator[Finding]:
    known = operation.parameters("query")
    named = operation.operation_id
    for name, text in query:
        if name not in known:
            message = f"query parameter {name} is not documented"
            yield Finding(Kind.UNKNOWN_PARAMETER, named, message, name, operation.name, operation.pointer, text)
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
        message = f"status {exchange.status} is not documented"
        yield Finding(Kind.UNKNOWN_STATUS, named, message, "", operation.name, operation.pointer, exchange.status)
        return
    schema = json_schema(documented)
    if schema is None or not exchange.has_body or (not exchange.response_body and exchange.method == "HEAD"):
        return
    try:
        body = exchange.response_json()
    except ValueError:
        yield Finding(Kind.INVALID_RESPONSE, named, f"the response is not JSON: {quoted(exchange.response_body)}")
        return
    status = str(exchange.status) if str(exchange.status) in operation.definition["responses"] else "default"
    place = (*operation.pointer, "responses", status)
    media = next(media for media in documented["content"] if "json" in media)
    codes = documented.get("x-error-codes")
    code = body.get("error_code") if isinstance(body, dict) else None
    if codes and code is not None and code not in codes:
        message = f"code {code} is not documented with status {exchange.status}"
        yield Finding(Kind.UNKNOWN_CODE, named, message, "", operation.name, place, code)
    for error in operation.validator(f"response {exchange.status}", schema).iter_errors(body):
        yield Finding(Kind.INVALID_RESPONSE, named, f"{dotted(error.instance_path)}{error.message}", plain(error))
    yield from in_headers(operation, exchange, documented)
    yield from new_in(operation, schema, body, "", (*place, "content", media, "schema"), exchange.started_at)


def in_headers(operation: Operation, exchange: Exchange, documented: Schema) -> Iterator[Finding]:
    """Headers that a response must have."""
    for name, header in documented.get("headers", {}).items():
        required = resolve(operation.document, header).get("required")
        if required and exchange.response_headers and name.lower() not in exchange.response_headers:
            yield Finding(Kind.INVALID_RESPONSE, operation.operation_id, f"the header {name} is missing", name)


def new_in(
    operation: Operation, schema: Schema, value: Any, where: str, pointer: Pointer, now: datetime
) -> Iterator[Finding]:
    """Fields and values that the schema, to which `pointer` leads, does not name, and times that cannot be."""
    named = operation.operation_id
    alternatives = list(branches(operation, schema, pointer))
    if isinstance(value, list):
        for branch, place in alternatives:
            if "items" in branch:
                for number, child in enumerate(value):
                    yield from new_in(operation, branch["items"], child, f"{where}[{number}]", (*place, "items"), now)
                return
    if isinstance(value, dict):
        properties = {
            name: (field, (*place, "properties", name))
            for branch, place in alternatives
            for name, field in branch.get("properties", {}).items()
        }
        others = next(
            (
                (branch["additionalProperties"], (*place, "additionalProperties"))
                for branch, place in alternatives
                if isinstance(branch.get("additionalProperties"), dict)
            ),
            None,
        )
        for name, (field, place) in properties.items():
            if "x-always-present" in field and name not in value and "error_code" not in value:
                inner = f"{where}.{name}".removeprefix(".")
                message = f"field {inner} is missing: {field['x-always-present']}"
                yield Finding(Kind.MISSING_FIELD, named, message, inner, operation.name, place)
        for name, child in value.items():
            inner = f"{where}.{name}".removeprefix(".")
            if name in properties:
                field, place = properties[name]
                yield from new_in(operation, field, child, inner, place, now)
            elif others is not None:
                yield from new_in(operation, others[0], child, inner, others[1], now)
            elif properties:
                owner = next(place for branch, place in alternatives if branch.get("properties"))
                message = f"field {inner} is not documented"
                yield Finding(Kind.UNKNOWN_FIELD, named, message, inner, operation.name, owner, child)
    for branch, _ in alternatives:
        if "x-time-unit" in branch and (problem := problem_of_time(branch, value, now)):
            yield Finding(Kind.TIME, named, f"{where} is {value!r}: {problem}", where, operation.name, pointer)
    listed = [(place, branch["x-known-values"]) for branch, place in alternatives if branch.get("x-known-values")]
    if listed and isinstance(value, str | int) and all(value not in known for _, known in listed):
        message = f"{where} has the value {value!r}, which is not documented"
        yield Finding(Kind.UNKNOWN_VALUE, named, message, where, operation.name, listed[0][0], value)


def problem_of_time(schema: Schema, value: Any, now: datetime) -> str:
    """Why a value cannot be a time, or a duration, in its unit; empty if it can."""
    unit = schema["x-time-unit"]
    if isinstance(value, str) and unit == "RFC 3339" and value:
        try:
            return "" if datetime.fromisoformat(value).tzinfo else "the time has no offset from UTC"
        except ValueError:
            return "it is not a time of RFC 3339"
    text = str(value)
    if not re.fullmatch(r"-?\d+", text):
        return ""
    number, in_s = int(text), 1000 if unit == "ms" else 1
    if "x-duration-name" in schema:
        return "a duration is not negative" if number < 0 else ""
    if number == 0 or FIRST_TIME_S * in_s <= number <= (now.timestamp() + MARGIN_S) * in_s:
        return ""
    return f"it is not a time of these years in {unit} since 1970"


def branches(operation: Operation, schema: Schema, pointer: Pointer) -> Iterator[tuple[Schema, Pointer]]:
    """The schema and its alternatives without references, each with the way to it in the document."""
    while "$ref" in schema:
        pointer = tuple(schema["$ref"].removeprefix("#/").split("/"))
        schema = resolve(operation.document, {"$ref": schema["$ref"]})
    yield schema, pointer
    for key in ("allOf", "anyOf", "oneOf"):
        for number, branch in enumerate(schema.get(key, ())):
            yield from branches(operation, branch, (*pointer, key, str(number)))


def dotted(path: list[str | int]) -> str:
    return f"{'.'.join(map(str, path))}: " if path else ""


def plain(error: Any) -> str:
    return ".".join(map(str, error.instance_path))


def quoted(body: bytes) -> str:
    text = " ".join(body[: 4 * NOT_JSON_LENGTH].decode("utf-8", "replace").split())
    return text[:NOT_JSON_LENGTH] or "it is empty"
