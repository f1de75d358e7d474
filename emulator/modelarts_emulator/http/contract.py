"""The documents, as the emulator applies them: which operations there are, what they accept, how they may respond.

Nothing here knows what an operation does.
Schemas are compiled on first use; compiling all would double the start time.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import jsonschema_rs
import orjson

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.http import own_limits
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.settings.files import explain

Handler = TypeVar("Handler")

INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}
Compiled = Callable[[], Any]
"""Gives the validator of a schema."""
MembersAt = Callable[[Iterable[str | int]], set[str]]
"""Gives the members that a schema has at a place, which a path of names and indexes leads to."""
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One documented parameter; `kind` is the JSON type of its value, `code` the error code for a wrong value.

    `aliases` are names (`x-aliases`) under which published clients send it.
    """

    name: str
    place: str
    required: bool
    kind: str
    validator: Compiled
    code: str | None = None
    aliases: tuple[str, ...] = ()

    def read(self, texts: list[str]) -> Any:
        """The value that the request gives, None if it gives none; raises ServiceError if it does not fit."""
        code = Problem.INVALID_QUERY if self.place == "query" else Problem.INVALID_PARAMETER
        if not texts:
            if self.required:
                raise ServiceError(code, f"Invalid {self.place} parameter: {self.name} is missing.")
            return None
        if len(texts) > 1:
            raise ServiceError(code, f"Invalid {self.place} parameter: {self.name} is given {len(texts)} times.")
        value = _typed(texts[0], self.kind)
        for error in _errors(self.validator(), value):
            text = f"Invalid {self.place} parameter: {self.name}: {_reason(error)[1]}."
            raise ServiceError(self.code or code, text)
        return value


@dataclass(frozen=True, slots=True)
class Operation:
    """One documented operation."""

    operation_id: str
    document: str
    method: str
    path: str
    public: bool
    parameters: tuple[Parameter, ...]
    body: Compiled | None = None
    shown: Callable[[], MembersAt] = lambda: lambda _path: set()
    body_required: bool = False
    member_codes: Mapping[str, str] = field(default_factory=dict)
    responses: Mapping[str, Compiled | None] = field(default_factory=dict)
    response_codes: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def read_parameters(self, place: str, given: Callable[[str], list[str]]) -> dict[str, Any]:
        """The values of the parameters in this place.

        Raises ServiceError for the first that is missing or does not fit.
        """
        values = {}
        for entry in self.parameters:
            if entry.place == place:
                texts = [text for name in (entry.name, *entry.aliases) for text in given(name)]
                if (value := entry.read(texts)) is not None:
                    values[entry.name] = value
        return values

    def reject_unknown_query(self, names: Iterable[str]) -> None:
        """Raise ServiceError if the query has a parameter that the operation does not have."""
        parameters = [entry for entry in self.parameters if entry.place == "query"]
        unknown = sorted(set(names) - {name for entry in parameters for name in (entry.name, *entry.aliases)})
        if unknown:
            raise ServiceError(Problem.INVALID_QUERY, f"Invalid query parameter: unknown name {', '.join(unknown)}.")

    def read_body(self, content: bytes, content_type: str) -> Any:
        """The JSON body, None if there is none; raises ServiceError if it is not JSON or does not fit.

        A body that does not fit is an invalid parameter, unless the document gives the member a code of its own.
        Members that only the response has are ignored: the service takes back what it shows. So is null for an optional
        list or object: clients in Go send it for an empty one.
        """
        if self.body is None:
            return None
        if not content and not self.body_required:
            return None
        body = decode(content, content_type)
        errors = _errors(self.body(), body)
        if errors:
            _drop_ignored(body, errors, self.shown())
            errors = _errors(self.body(), body)
        for error in errors:
            member, text = _reason(error)
            place = ".".join(part for part in member.split(".") if not part.isdigit())
            code = self.member_codes.get(place) or Problem.INVALID_PARAMETER
            raise ServiceError(code, f"Invalid parameter ({member or 'request body'}): {text}.")
        return body

    def check_response(self, status: int, body: Any) -> str | None:
        """What is wrong with a response according to the document; None if nothing is."""
        key = str(status) if str(status) in self.responses else "default"
        if key not in self.responses:
            return f"{self.operation_id} must not respond with {status}"
        schema = self.responses[key]
        if schema is None:
            return None if body is None else f"{self.operation_id} responds with {status} with a body"
        if body is None:
            return None if status in (202, 204) else f"{self.operation_id} responds with {status} without a body"
        codes = self.response_codes.get(key)
        if codes and isinstance(body, dict) and body.get("error_code") not in codes:
            return f"{self.operation_id} must not respond with {status} with {body.get('error_code')}"
        for error in schema().iter_errors(body):
            where = ".".join(map(str, error.instance_path))
            return f"{self.operation_id} responds with {status}: {where}: {error.message}"
        return None


@dataclass(frozen=True, slots=True)
class Contract:
    """All operations of a document."""

    name: str
    operations: tuple[Operation, ...]

    @classmethod
    def of(cls, name: str, document: Mapping[str, Any]) -> Contract:
        """Compile a bundled document; raises EmulatorError if an operation has no `security`."""
        document = own_limits.applied(name, document)
        operations = []
        for path, item in document["paths"].items():
            item = _resolve(document, item)
            for method in METHODS:
                if method in item:
                    operations.append(_operation(name, document, path, method, item))
        return cls(name, tuple(operations))


def bind(contract: Contract, handlers: Mapping[str, Handler], not_emulated: Collection[str] = ()) -> dict[str, Handler]:
    """The handlers, if the document needs them and no others; raises EmulatorError naming what differs."""
    documented = {operation.operation_id for operation in contract.operations}
    found = {
        "no handler for": documented - set(handlers) - set(not_emulated),
        "handlers for unknown operations": set(handlers) - documented,
        "not emulated, and unknown:": set(not_emulated) - documented,
        "not emulated, and with handlers:": set(not_emulated) & set(handlers),
    }
    differences = [f"{text} {', '.join(sorted(names))}" for text, names in found.items() if names]
    if differences:
        raise EmulatorError(f"the document {contract.name} and the emulator differ: {'; '.join(differences)}")
    return dict(handlers)


def encode(value: Any) -> bytes:
    """The value as compact JSON."""
    try:
        return orjson.dumps(value)
    except TypeError:  # it holds a whole number of more than 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def decode(content: bytes, content_type: str) -> Any:
    """JSON as the service reads it; raises ServiceError (INVALID_JSON) for anything else."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise ServiceError(
            Problem.INVALID_JSON, f"Invalid JSON request body: the Content-Type is {kind}, not application/json."
        )
    if not content:
        raise ServiceError(Problem.INVALID_JSON, "Invalid JSON request body: it is empty.")
    try:
        text = content.decode(json.detect_encoding(content))
        body = STRICT.decode(text)
        if "\\u" in text:
            json.dumps(body, ensure_ascii=False).encode()  # an escaped half of a surrogate pair is not text
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ServiceError(Problem.INVALID_JSON, f"Invalid JSON request body: {reason}.") from None
    return body


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _number(text: str) -> float:
    """A number with a fraction or an exponent; `1.0` is an integer, as for a schema."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < INT64["maximum"] else value


STRICT = json.JSONDecoder(parse_constant=_reject_constant, parse_float=_number)


def _operation(name: str, document: Mapping[str, Any], path: str, method: str, item: Mapping[str, Any]) -> Operation:
    source = item[method]
    body = _resolve(document, source.get("requestBody", {}))
    parameters = [_resolve(document, entry) for entry in [*item.get("parameters", []), *source.get("parameters", [])]]
    responses = {status: _resolve(document, response) for status, response in source.get("responses", {}).items()}
    return Operation(
        operation_id=source["operationId"],
        document=name,
        method=method.upper(),
        path=path,
        public=_is_public(name, document, source),
        parameters=tuple(_parameter(document, entry) for entry in parameters),
        body=_validator(document, _json_schema(body) or {}) if body else None,
        shown=functools.cache(lambda: _shown(document, _json_schema(body) or {}, source)),
        body_required=body.get("required", False),
        member_codes=_member_codes(document, _json_schema(body) or {}, "", frozenset()),
        responses={
            status: None if (schema := _json_schema(response)) is None else _validator(document, schema)
            for status, response in responses.items()
        },
        response_codes={status: frozenset(response.get("x-error-codes", ())) for status, response in responses.items()},
    )


def _shown(document: Mapping[str, Any], request: Mapping[str, Any], source: Mapping[str, Any]) -> MembersAt:
    """What a success of the operation has at a place; nothing if its request is about something else.

    They are about the same thing if most members of the request are in the response.
    """
    successes = [response for status, response in source.get("responses", {}).items() if status.startswith("2")]
    success = (_json_schema(_resolve(document, successes[0])) if successes else None) or {}

    def members(path: Iterable[str | int]) -> set[str]:
        schema = _object(document, success)
        for step in path:
            inner = schema.get("items") if isinstance(step, int) else schema.get("properties", {}).get(step)
            schema = _object(document, inner or {})
        return set(schema.get("properties", {}))

    asked = _object(document, request).get("properties", {}).keys()
    return members if 2 * len(asked & members(())) > len(asked) else lambda _path: set()


def _object(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself, or the first one that its value may have beside null."""
    schema = _resolve(document, schema)
    branches = (_resolve(document, branch) for branch in schema.get("anyOf", ()))
    return next((branch for branch in branches if branch.get("type") != "null"), schema)


def _drop_ignored(body: Any, errors: Iterable[Any], shown: MembersAt) -> None:
    """Remove what is null for a list or object, and what is unexpected and in a response at the same place."""
    for error in errors:
        holder, path = body, [*error.instance_path]
        names = shown(path).intersection(getattr(error.kind, "unexpected", ()))
        if path and error.instance is None and {"array", "object"} & _expected_types(error.kind):
            names = {path.pop()}
        for step in path:
            holder = holder[step]
        for name in names if isinstance(holder, dict) else ():
            del holder[name]


def _expected_types(kind: Any) -> set[str]:
    """The JSON types that an error of validation names, in its branches, too."""
    inner = [error.kind for errors in getattr(kind, "context", ()) for error in errors]
    return {name for each in (kind, *inner) for name in getattr(each, "types", ())}


def _is_public(name: str, document: Mapping[str, Any], source: Mapping[str, Any]) -> bool:
    """Whether the operation needs no token; raises EmulatorError where the document does not say."""
    security = source.get("security", document.get("security"))
    if security is None:
        raise EmulatorError(
            f"the document {name} does not say who may call {source['operationId']}:"
            " give it a security requirement, or `security: []` if it needs no token"
        )
    return security == [] or {} in security


def _parameter(document: Mapping[str, Any], entry: Mapping[str, Any]) -> Parameter:
    schema = _resolve(document, entry.get("schema", {}))
    kinds = schema.get("type", "string")
    kind = next((name for name in ([kinds] if isinstance(kinds, str) else kinds) if name != "null"), "string")
    return Parameter(
        name=entry["name"],
        place=entry["in"],
        required=entry.get("required", False),
        kind=kind,
        validator=_validator(document, schema),
        code=schema.get("x-error-code"),
        aliases=tuple(entry.get("x-aliases", ())),
    )


def _json_schema(carrier: Mapping[str, Any]) -> Mapping[str, Any] | None:
    media = carrier.get("content", {}).get("application/json")
    return media.get("schema", {}) if media is not None else None


def _resolve(document: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in node:
        target: Any = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def _schema(document: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with the components that it refers to: a validator keeps all it is given, and there are many."""
    components: dict[str, Any] = {}
    unseen: list[Any] = [schema]
    while unseen:
        node = unseen.pop()
        if isinstance(node, Mapping):
            name = str(node.get("$ref", "")).removeprefix("#/components/schemas/")
            if name and name not in components:
                components[name] = document["components"]["schemas"][name]
                unseen.append(components[name])
            unseen.extend(node.values())
        elif isinstance(node, list):
            unseen.extend(node)
    return {**schema, "components": {"schemas": components}}


def _member_codes(
    document: Mapping[str, Any], schema: Mapping[str, Any], member: str, above: frozenset[str]
) -> dict[str, str]:
    """The error codes that members of a body have of their own (`x-error-code`), by the members' paths."""
    found = {member: schema["x-error-code"]} if "x-error-code" in schema else {}
    if (reference := schema.get("$ref")) is not None and reference not in above:
        found |= _member_codes(document, _resolve(document, schema), member, above | {reference})
    for name, inner in schema.get("properties", {}).items():
        found |= _member_codes(document, inner, f"{member}.{name}".lstrip("."), above)
    items = [schema["items"]] if "items" in schema else []
    for inner in [*items, *schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        found |= _member_codes(document, inner, member, above)
    return found


def _validator(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Compiled:
    # The mask keeps passwords and other values out of the messages.
    return functools.cache(
        lambda: jsonschema_rs.Draft202012Validator(_with_bounds(_schema(document, schema)), mask="the value")
    )


def _with_bounds(node: Any) -> Any:
    """The schema with the bounds of 64-bit integers, where it has that format and no bounds of its own."""
    if isinstance(node, list):
        return [_with_bounds(entry) for entry in node]
    if not isinstance(node, Mapping):
        return node
    bounds = INT64 if node.get("format") == "int64" else {}
    return bounds | {name: _with_bounds(value) for name, value in node.items()}


def _errors(validator: Any, value: Any) -> Iterable[Any]:
    try:
        return () if validator.is_valid(value) else list(validator.iter_errors(value))
    except UnicodeEncodeError:
        raise ServiceError(Problem.INVALID_PARAMETER, "Invalid parameter: it is not text in UTF-8.") from None
    except ValueError:  # the validator goes down 255 levels, and says so like this
        raise ServiceError(Problem.INVALID_JSON, "Invalid JSON request body: it is nested too deeply.") from None


def _reason(error: Any) -> tuple[str, str]:
    """The member that is wrong, and why; a limit that no page states says so."""
    member, text = explain(error)
    return member, f"{text} ({own_limits.SENTENCE})" if own_limits.is_own(error) else text


def _typed(text: str, kind: str) -> Any:
    try:
        if kind == "integer":
            return int(text) if text.isascii() and text.lstrip("-").isdigit() else text
        if kind == "number":
            return float(text)
    except ValueError:
        return text
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    return text
