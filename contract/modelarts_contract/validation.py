"""What is wrong with an exchange, or new in it, by the documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract.documents import Documents, Schema, overlay
from modelarts_contract.exchange import Exchange, Exponent, loads
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.redaction import is_replaced
from modelarts_contract.seen import Seen, whole
from modelarts_documents.keys import Pointer
from modelarts_documents.messages import pairs
from modelarts_documents.schema import Place, at, resolve

__all__ = ["ASSUMED", "FIRST_TIME_S", "GATEWAY", "findings", "in_form", "path_of"]

FIRST_TIME_S = 1_262_304_000  # 2010: the service is younger
MARGIN_S = 10 * 366 * 86_400  # how far a time may be ahead of the clock
GATEWAY = "APIG."  # its codes, such as that of an API which is not published, come with any operation
ASSUMED = "x-assumption"  # what no page says: a response that differs is a note
NEW = 3  # members that a finding names
NOT_JSON_LENGTH = 80  # characters of another body that a finding quotes


def findings(exchange: Exchange, documents: Documents) -> Iterator[Finding]:
    """The differences between an exchange and the documents, those of the request first."""
    seen = Seen.of(exchange, documents)
    if seen is not None:
        yield from in_form(seen)
        return
    path = urlsplit(exchange.url).path
    others = documents.methods_of(path)
    hint = f"; the path has {', '.join(others)}" if others else ""
    yield Finding(Kind.UNKNOWN_OPERATION, "", f"no document has {exchange.method} {path}{hint}")


def in_form(seen: Seen, *, rejected_requests: bool = False) -> Iterator[Finding]:
    """The differences between an exchange and its operation.

    A request that the service rejected with a status from 400 on is judged only if `rejected_requests` says so: its
    client may test what happens. A recording may lack the response (status 0), or its body.
    """
    status = seen.exchange.status
    if 0 < status < 400 or (rejected_requests and status):
        yield from of_parameters(seen)
        yield from of_request(seen)
    if status:
        yield from of_response(seen)


def of_parameters(seen: Seen) -> Iterator[Finding]:
    queried = pairs(urlsplit(seen.exchange.url).query)
    for place, given in (("query", queried), ("path", [*seen.path.items()])):
        known, notations = seen.operation.parameters(place), seen.operation.notations(place)
        names = {name for name, _ in given}
        for name in dict.fromkeys(name for name, _ in given):
            if not any(notation.owns(name) for notation in notations.values()):
                message = f"{place} parameter {name} is not documented{basis(seen)}"
                yield Finding.of(seen, Kind.UNKNOWN_PARAMETER, message, name, value=getattr(seen, place)[name])
        for name, notation in notations.items():
            problem = ""
            if any(map(notation.owns, names)):
                validator = seen.operation.validator(f"{place} {name}", notation.schema)
                errors = validator.iter_errors(notation.read(given, validator.is_valid))
                problem = next((f": {error.message}" for error in errors), "")
            elif known[name].get("required"):
                problem = " is missing"
            if problem:
                message = f"{place} parameter {name}{problem}{basis(seen, known[name])}"
                yield Finding.of(seen, Kind.INVALID_PARAMETER, message, name)


def basis(seen: Seen, *described: Schema) -> str:
    """What a rule about a request rests on: the observation beside the part of the document, or the page."""
    operation = seen.operation.definition
    pages = [address.rpartition("/")[2].partition(".")[0] for address in operation.get("x-pages", {}).values()]
    own = next((part["x-source"] for part in described if "x-source" in part), None)
    source = own or (f"page {pages[0]}" if pages else operation.get("x-source"))
    return f" (source: {' '.join(source.split()).rstrip('.')})" if source else ""


def of_request(seen: Seen) -> Iterator[Finding]:
    schema = seen.operation.body_schema()
    if schema is None or not seen.exchange.has_request_body:
        return
    if seen.exchange.request_body:
        yield from of_body(seen, Kind.INVALID_REQUEST, "request", schema, seen.exchange.request_body)
    elif resolve(seen.operation.document, seen.operation.definition["requestBody"]).get("required"):
        yield Finding.of(seen, Kind.INVALID_REQUEST, f"the request has no body{basis(seen)}")


def of_body(seen: Seen, kind: Kind, name: str, schema: Schema, body: bytes) -> Iterator[Finding]:
    """What is wrong with the JSON of a request or a response."""
    try:
        value = loads(body)
    except ValueError as problem:
        text = " ".join(body[: 4 * NOT_JSON_LENGTH].decode("utf-8", "replace").split())
        why = "" if isinstance(problem, json.JSONDecodeError | UnicodeDecodeError) else f" ({problem})"
        yield Finding.of(
            seen, kind, f"the {name} is not JSON{why}: {repr(text[:NOT_JSON_LENGTH]) if text else 'it is empty'}"
        )
        return
    for error in seen.operation.validator(f"{name} {seen.exchange.status}", schema).iter_errors(value):
        where = path_of(error.instance_path)
        parts = at(seen.operation.document, schema, error.instance_path)
        described = [part.schema for part in parts]
        source = basis(seen, *described) if kind == Kind.INVALID_REQUEST else ""
        message, new = f"{where}: {error.message}".removeprefix(": "), None
        missing = getattr(error.kind, "property", None)  # of a required member
        if missing is not None:
            where, new = path_of([*error.instance_path, missing]), new_members(described, error.instance)[:NEW]
            renamed = f", and {', '.join(new)} {'is' if len(new) == 1 else 'are'} new" if new else ""
            message = f"{where} is missing{renamed}"
        is_assumed = missing is None and any(form_is_assumed(seen, each.pointer) for each in parts)
        found = Kind.UNUSUAL if is_assumed and kind is Kind.INVALID_RESPONSE else kind
        yield Finding.of(seen, found, message + source, where, value=new)


def form_is_assumed(seen: Seen, pointer: Pointer) -> bool:
    """Whether the form of a member, to which the pointer leads, is an assumption that responses settle."""
    place = f"{pointer[2]}.{pointer[-1]}" if pointer[:2] == ("components", "schemas") else ""
    return "fits" in overlay(seen.operation.name).get("assumptions", {}).get(place, {})


def path_of(steps: Iterable[str | int]) -> str:
    """A place in JSON, such as `items[0].metadata.id`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def new_members(described: Iterable[Schema], value: Any) -> list[str]:
    """The members of an object that no schema names; none if no schema names any."""
    documented = {name for schema in described for name in schema.get("properties", ())}
    return [name for name in value if name not in documented] if documented else []


def of_response(seen: Seen) -> Iterator[Finding]:
    operation, exchange, status = seen.operation, seen.exchange, seen.exchange.status
    documented = seen.documented
    if documented is None:
        yield Finding.of(seen, Kind.UNKNOWN_STATUS, f"status {status} is not documented", value=status)
        return
    if seen.schema is None or not exchange.has_body or (not exchange.response_body and exchange.method == "HEAD"):
        return
    codes = documented.get("x-error-codes")
    code = seen.shown.get("error_code") if isinstance(seen.shown, dict) else None
    is_of_gateway = str(code).startswith(GATEWAY) or is_replaced(code)
    if codes and code is not None and code not in codes and not is_of_gateway:
        message = f"code {code} is not documented with status {status}"
        yield Finding.of(seen, Kind.UNKNOWN_CODE, message, pointer=seen.pointer, value=code)
    yield from of_body(seen, Kind.INVALID_RESPONSE, "response", seen.schema, exchange.response_body)
    for name, header in documented.get("headers", {}).items():
        required = resolve(operation.document, header).get("required")
        if required and exchange.response_headers and name.lower() not in exchange.response_headers:
            yield Finding.of(seen, Kind.INVALID_RESPONSE, f"the header {name} is missing", name)
    holders = {place.where: place for place in seen.places}
    for place in seen.places:
        yield from new_in(seen, place, holders.get(place.where[:-1]))


def new_in(seen: Seen, place: Place, holder: Place | None) -> Iterator[Finding]:
    """That no schema names the field or the value, or that it is a time that cannot be; `holder` is what it is in."""
    where = path_of(place.where)
    value, alternatives = place.value, place.parts
    if not alternatives and holder is not None and isinstance(holder.value, dict):
        named = [part for part in holder.parts if part.schema.get("properties")]
        if named and not any(place.where[-1] in part.schema["properties"] for part in named):
            text = f"field {where} is not documented"
            yield Finding.of(seen, Kind.UNKNOWN_FIELD, text, where, named[0].pointer, value)
        return
    listed = [part for part in alternatives if part.schema.get("x-known-values")]
    if listed and isinstance(value, str | int) and all(value not in part.schema["x-known-values"] for part in listed):
        message = f"{where} has the value {value!r}, which is not documented"
        yield Finding.of(seen, Kind.UNKNOWN_VALUE, message, where, listed[0].pointer, value)
    types = str([part.schema.get("type", "") for part in alternatives])
    if isinstance(value, float) and "integer" in types and ("number" not in types):
        form = "an exponent" if isinstance(value, Exponent) else "a fraction"  # many clients read neither
        text = f"{where} is a whole number, and is sent with {form}: {value!r}"
        yield Finding.of(seen, Kind.INVALID_RESPONSE, text, where, alternatives[0].pointer)
    for schema, pointer in alternatives:
        is_time = "x-time-unit" in schema or "x-duration-unit" in schema
        if is_time and (problem := problem_of_time(schema, value, seen)):
            kind = Kind.UNUSUAL if ASSUMED in schema else Kind.TIME
            yield Finding.of(seen, kind, f"{where} is {value!r}: {problem}", where, pointer)


def problem_of_time(schema: Schema, given: Any, seen: Seen) -> str:
    """Why a value cannot be a time, or a duration, in its unit; empty if it can."""
    unit, value = schema.get("x-time-unit") or schema["x-duration-unit"], given
    if isinstance(value, str) and unit == "RFC 3339" and value:
        try:
            time = datetime.fromisoformat(value)
        except ValueError:
            return "it is not a time of RFC 3339"
        if time.tzinfo is None:
            return "the time has no offset from UTC"
        value, unit = round(time.timestamp()), "s"
    number, in_s = whole(value), 1000 if unit == "ms" else 1
    if number is None:
        return ""
    if "x-duration-unit" in schema:
        return "a duration is not negative" if number < 0 else ""
    now_s = max(seen.exchange.started_at.timestamp(), (seen.date_ms or 0) / 1000)  # or by the clock of the service
    if number == 0 or FIRST_TIME_S * in_s <= number <= (now_s + MARGIN_S) * in_s:
        return ""
    return f"it is not a time of these years{'' if isinstance(given, str) else f' in {unit} since 1970'}"
