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

from modelarts_documents.keys import copied, is_json
from modelarts_documents.messages import Notation, status_key
from modelarts_documents.schema import at, graph, json_schema, operations, resolve, self_contained
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.settings.files import explain, own_table

Handler = TypeVar("Handler")

INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}
Schema = Mapping[str, Any]
OWN_LIMIT = "this limit is the emulator's own"
"""The note in the error for a limit that `own_limits.toml` adds to the documents.

A document holds only what a page, a payload or an observation states, so that no guess rejects a caller of the service.
"""
Steps = Iterable[str | int]
"""The names and indexes that lead to a place in a body."""


@dataclass(slots=True)
class Compiled:
    """A schema of a document, and the validator of it, which is made on first use."""

    document: Schema
    schema: Schema
    _validator: Any = None

    def __call__(self) -> Any:
        """The validator; integers of 64 bits have the bounds of these, unless they have bounds of their own."""
        if self._validator is None:
            found = copied(self_contained(self.document, self.schema))
            for node in graph(found, ((), found)):
                part: Any = node.schema
                for bound, value in INT64.items() if part.get("format") == "int64" else ():
                    part.setdefault(bound, value)
            # The mask keeps passwords and other values out of the messages.
            self._validator = jsonschema_rs.Draft202012Validator(found, mask="the value")
        return self._validator

    def code_at(self, steps: Steps = ()) -> str | None:
        """The error code that the value at a place has of its own (`x-error-code`)."""
        found = (part.schema.get("x-error-code") for part in at(self.document, self.schema, steps))
        return next(filter(None, found), None)

    def members_at(self, steps: Steps = ()) -> set[str]:
        """The names of the members that the value at a place may have."""
        return {name for part in at(self.document, self.schema, steps) for name in part.schema.get("properties", ())}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One documented parameter.

    `aliases` are names (`x-aliases`) under which published clients send it.
    """

    notation: Notation
    place: str
    required: bool
    validator: Compiled
    aliases: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.notation.name

    def owns(self, name: str) -> bool:
        """Whether the parameter may have this name in a request."""
        return name in self.aliases or self.notation.owns(name)

    def read(self, given: Collection[tuple[str, str]]) -> Any:
        """The value that the request gives, None if it gives none; raises ServiceError if it does not fit."""
        if self.aliases:
            given = [(self.name if name in self.aliases else name, text) for name, text in given]
        code = Problem.INVALID_QUERY if self.place == "query" else Problem.INVALID_PARAMETER
        mine = [pair for pair in given if self.notation.owns(pair[0])]
        if not mine:
            if self.required:
                raise ServiceError(code, f"Invalid {self.place} parameter: {self.name} is missing.")
            return None
        validator = self.validator()
        value = self.notation.read(mine, lambda value: not _errors(validator, value))
        for error in _errors(validator, value):
            is_repeated = len(mine) > 1 and not self.notation.is_compound
            reason = f" is given {len(mine)} times" if is_repeated else f": {_reason(error)[1]}"
            text = f"Invalid {self.place} parameter: {self.name}{reason}."
            raise ServiceError(self.validator.code_at() or code, text)
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
    body_required: bool = False
    responses: Mapping[str, Compiled | None] = field(default_factory=dict)
    response_codes: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def read_parameters(self, place: str, given: Collection[tuple[str, str]]) -> dict[str, Any]:
        """The values of the parameters in this place.

        Raises ServiceError for the first that is missing or does not fit.
        """
        values = {entry.name: entry.read(given) for entry in self.parameters if entry.place == place}
        return {name: value for name, value in values.items() if value is not None}

    def reject_unknown_query(self, names: Iterable[str]) -> None:
        """Raise ServiceError if the query has a parameter that the operation does not have."""
        known = [entry for entry in self.parameters if entry.place == "query"]
        unknown = sorted({name for name in names if not any(entry.owns(name) for entry in known)})
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
            _drop_ignored(body, errors, self.shown_at)
            errors = _errors(self.body(), body)
        for error in errors:
            member, text = _reason(error)
            code = self.body.code_at(filter(None, member.split("."))) or Problem.INVALID_PARAMETER
            raise ServiceError(code, f"Invalid parameter ({member or 'request body'}): {text}.")
        return body

    def shown_at(self, steps: Steps) -> set[str]:
        """What a success of the operation has at a place; nothing if its request is about something else.

        They are about the same thing if most members of the request are in the response.
        """
        success = next((schema for status, schema in self.responses.items() if status.startswith("2")), None)
        if self.body is None or success is None:
            return set()
        asked = self.body.members_at()
        return success.members_at(steps) if 2 * len(asked & success.members_at()) > len(asked) else set()

    def check_response(self, status: int, body: Any) -> str | None:
        """What is wrong with a response according to the document; None if nothing is."""
        key = status_key(self.responses, status)
        if key is None:
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
        document = with_own_limits(name, document)
        return cls(name, tuple(_operation(name, document, *found) for found in operations(document)))


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
    if kind and not is_json(kind):
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


def _operation(
    name: str, document: Schema, path: str, method: str, item: Schema, source: Mapping[str, Any]
) -> Operation:
    body = resolve(document, source.get("requestBody", {}))
    parameters = [resolve(document, entry) for entry in [*item.get("parameters", []), *source.get("parameters", [])]]
    responses = {status: resolve(document, response) for status, response in source.get("responses", {}).items()}
    schemas = {status: json_schema(response) for status, response in responses.items()}
    return Operation(
        operation_id=source["operationId"],
        document=name,
        method=method.upper(),
        path=path,
        public=_is_public(name, document, source),
        parameters=tuple(_parameter(document, entry) for entry in parameters),
        body=Compiled(document, json_schema(body) or {}) if body else None,
        body_required=body.get("required", False),
        responses={
            status: None if schema is None else Compiled(document, schema) for status, schema in schemas.items()
        },
        response_codes={status: frozenset(response.get("x-error-codes", ())) for status, response in responses.items()},
    )


def _drop_ignored(body: Any, errors: Iterable[Any], shown: Callable[[Steps], set[str]]) -> None:
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


def _is_public(name: str, document: Schema, source: Mapping[str, Any]) -> bool:
    """Whether the operation needs no token; raises EmulatorError where the document does not say."""
    security = source.get("security", document.get("security"))
    if security is None:
        raise EmulatorError(
            f"the document {name} does not say who may call {source['operationId']}:"
            " give it a security requirement, or `security: []` if it needs no token"
        )
    return security == [] or {} in security


def _parameter(document: Schema, entry: Schema) -> Parameter:
    notation = Notation(document, entry)
    return Parameter(
        notation=notation,
        place=entry["in"],
        required=entry.get("required", False),
        validator=Compiled(document, notation.schema),
        aliases=tuple(entry.get("x-aliases", ())),
    )


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
    return member, f"{text} ({OWN_LIMIT})" if _is_own(error) else text


@functools.cache
def _limits() -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Every limit: what it is of, with the document's name before it, and a JSON Schema."""
    entries = own_table(__file__, "own_limits.toml")["limit"]
    return tuple((name, entry["rule"]) for entry in entries for name in entry["of"])


def with_own_limits(name: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the bundled document whose requests have the limits; raises EmulatorError if one is of nothing."""
    components = {kind: dict(entries) for kind, entries in document.get("components", {}).items()}
    for limited, rule in _limits():
        owner, _, place = limited.partition(" ")
        if owner != name:
            continue
        component, _, member = place.partition(".")
        kind, inner = ("schemas", ["properties", member]) if member else ("schemas", [])
        if component in components.get("parameters", {}):
            kind, inner = "parameters", ["schema"]
        try:
            components[kind][component] = _narrowed(components[kind][component], inner, rule)
        except KeyError:
            raise EmulatorError(f"own_limits.toml: the document {name} has no {place}") from None
    return {**document, "components": components}


def _is_own(error: Any) -> bool:
    """Whether a validation error comes from one of these limits: only they are written as `allOf`."""
    return "allOf" in error.schema_path


def _narrowed(schema: Mapping[str, Any], inner: list[str], rule: Mapping[str, Any]) -> dict[str, Any]:
    if inner:
        return {**schema, inner[0]: _narrowed(schema[inner[0]], inner[1:], rule)}
    return {**schema, "allOf": [*schema.get("allOf", ()), rule]}
