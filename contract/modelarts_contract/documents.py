"""The documents with what contract tests add to them (`overlays/`), and their operations, found by requests."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import jsonschema_rs

import modelarts_openapi
from modelarts_contract import declarations
from modelarts_documents.messages import Notation, status_key
from modelarts_documents.schema import json_schema, parts, resolve, self_contained
from modelarts_documents.schema import operations as written_in
from modelarts_openapi.error_codes import ERROR_CODES

__all__ = [
    "HARMLESS",
    "NOT_FOUND",
    "Documents",
    "Link",
    "Operation",
    "Schema",
    "add",
    "is_not_found",
    "load",
    "operations",
    "overlay",
]

HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
NOT_FOUND = frozenset(code for code, fact in ERROR_CODES.items() if fact.exception == "NotFound")
NAMED = re.compile(r"\{([^{}]+)\}")  # a parameter of a path
EMPTY: Mapping[str, Any] = {"operations": {}, "setup": {}}
FURTHER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a response: the operation it leads to, with expressions for its parameters."""

    operation_id: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation with its document; its definition has the parameters of its path as well."""

    name: str
    document: Schema = field(repr=False)
    operation_id: str
    method: str
    path: str
    definition: Schema = field(repr=False)
    _validators: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def label(self) -> str:
        """The operation as reports name it."""
        return f"{self.method} {self.path}"

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches the path of a request; its groups are the values of `parameter_names`."""
        literals = NAMED.split(self.path)[::2]
        return re.compile("([^/]+)".join(map(re.escape, literals)))

    @functools.cached_property
    def parameter_names(self) -> list[str]:
        """The parameters of the path, in their order."""
        return NAMED.findall(self.path)

    @property
    def contract(self) -> Mapping[str, Any]:
        """What the overlay says of it."""
        found: Mapping[str, Any] = self.definition.get("x-contract", {})
        return found

    @property
    def pagination(self) -> Mapping[str, Any]:
        """How its list is paged; empty if the response is not a list."""
        found: Mapping[str, Any] = self.definition.get("x-pagination", {})
        return found

    @property
    def kind(self) -> str:
        """What it does: "read", "create", "change", or "login", which is about credentials."""
        if "kind" in self.contract:
            return str(self.contract["kind"])
        if self.method in HARMLESS or self.pagination:  # a search by POST is a list in pages
            return "read"
        return "create" if self.method == "POST" and self.operation_id.startswith("create") else "change"

    def shown_at(self, place: str) -> str:
        """Where responses show a member of the body, or a parameter of the path: under its name, or as declared."""
        for sent, shown in self.contract.get("shows", {}).items():
            if f"{place}.".startswith(f"{sent}."):
                return f"{shown}{place.removeprefix(sent)}".removeprefix(".")
        return place

    def sent_at(self, place: str) -> list[str]:
        """The members of the body that responses may show at a place."""
        declared = self.contract.get("shows", {}).items()
        around = [(sent, f"{shown}." if shown else "") for sent, shown in declared]
        moved = [f"{sent}.{f'{place}.'.removeprefix(at)}" for sent, at in around if f"{place}.".startswith(at)]
        return [place, *(each.removesuffix(".") for each in moved)]

    @property
    def sorting(self) -> tuple[str, str, str]:
        """The member that orders the list, the parameter in it, and the one for the order; empty if none is known."""
        member = str(self.contract.get("sorted-by", {}).get("member", ""))
        return member, "".join(NAMED.findall(member)), str(self.contract.get("sorted-by", {}).get("order", ""))

    @property
    def is_emulated(self) -> bool:
        """Whether the emulator serves it."""
        return not self.contract.get("not-emulated", False)

    @property
    def needs_login(self) -> bool:
        return bool(self.definition.get("security", True))

    @property
    def pointer(self) -> tuple[str, ...]:
        """The way to the operation in its document, key by key."""
        return "paths", self.path, self.method.lower()

    @property
    def path_names(self) -> list[str]:
        """The parameters of the path, in their order, without the project's."""
        return [name for name in self.parameter_names if name != "project_id"]

    @functools.cached_property
    def _parameters(self) -> list[tuple[Schema, Notation]]:
        found = (resolve(self.document, parameter) for parameter in self.definition.get("parameters", ()))
        return [(parameter, Notation(self.document, parameter)) for parameter in found]

    def parameters(self, place: str) -> dict[str, Schema]:
        """The parameters in `path`, `query` or `header` by their names."""
        return {parameter["name"]: parameter for parameter, _ in self._parameters if parameter["in"] == place}

    def notations(self, place: str) -> dict[str, Notation]:
        """How the values of these parameters are written."""
        return {notation.name: notation for parameter, notation in self._parameters if parameter["in"] == place}

    def url_path(self, values: Mapping[str, Any]) -> str:
        """The path of a request with these values of its path parameters."""
        return NAMED.sub(lambda found: quote(str(values[found[1]]), safe=""), self.path)

    def body_schema(self) -> Schema | None:
        """The schema of the request's JSON body; None if the operation has no body."""
        return json_schema(resolve(self.document, self.definition.get("requestBody", {})))

    def settings(self) -> dict[str, Schema]:
        """The schemas of the values that a request sets, by name: parameters of the query, and members of the body."""
        found = {name: notation.schema for name, notation in self.notations("query").items()}
        for part in parts(self.document, self.body_schema() or {}):
            found |= part.schema.get("properties", {})
        return found

    def response_key(self, status: int) -> str | None:
        """What the document calls the response with the status: by it, by its range or `default`; None if nothing."""
        return status_key(self.definition["responses"], status)

    def response(self, status: int) -> Schema | None:
        """The documented response with the status; None if there is none."""
        key = self.response_key(status)
        return None if key is None else resolve(self.document, self.definition["responses"][key])

    def response_schema(self, status: int) -> Schema | None:
        """The schema of the JSON that the documented response with the status has."""
        return json_schema(self.response(status) or {})

    def links(self, status: int) -> Iterator[Link]:
        """Where a response with the status leads; it also leads where other responses of its schema lead."""
        response = self.response(status) or {}
        own = [resolve(self.document, link) for link in response.get("links", {}).values()]
        known = {link["operationId"] for link in own}
        for link in [*own, *links_of_schema(self.name, reference(response))]:
            if link in own or (link["operationId"] not in known and "$request.body" not in str(link)):
                yield Link(link["operationId"], link.get("parameters", {}))

    def validator(self, key: str, schema: Schema) -> Any:
        """A validator of the schema, made once for the key."""
        if key not in self._validators:
            self._validators[key] = jsonschema_rs.Draft202012Validator(self_contained(self.document, schema))
        return self._validators[key]


class Documents:
    """All operations of the named documents."""

    def __init__(self, names: Iterable[str] = modelarts_openapi.NAMES) -> None:
        self.names = tuple(names)
        self.operations = tuple(operation for name in self.names for operation in operations(name).values())

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """The operation with the values of its path parameters; one with fewer parameters goes before others."""
        matches = [
            (operation, match)
            for operation in self.operations
            if operation.method == method.upper() and (match := operation.pattern.fullmatch(path))
        ]
        if not matches:
            return None
        operation, match = min(matches, key=lambda found: len(found[1].groups()))
        return operation, dict(zip(operation.parameter_names, map(unquote, match.groups()), strict=True))

    def describe(self, method: str, url: str) -> bool:
        """Whether they have the request; the root of a host does not count, because every host has one."""
        path = urlsplit(url).path
        return path.strip("/") != "" and self.find(method, path) is not None

    def methods_of(self, path: str) -> list[str]:
        """The methods that the documents have for the path."""
        return sorted({operation.method for operation in self.operations if operation.pattern.fullmatch(path)})


def is_not_found(name: str, status: int, code: Any) -> bool:
    """Whether a response of a document with this status and error code says that something does not exist."""
    return status == 404 or code in NOT_FOUND or code in overlay(name).get("absent", {}).get(str(status), ())


def add(name: str, document: dict[str, Any], contract: dict[str, Any]) -> None:
    """Let this process know one more document, with its overlay."""
    FURTHER[name] = document, contract


@functools.cache
def overlay(name: str) -> dict[str, Any]:
    """The overlay of the document of that name; an empty one if it has none."""
    if name in FURTHER:
        return {**EMPTY, **FURTHER[name][1]}
    file = declarations.OVERLAYS / f"{name}.yaml"
    return {**EMPTY, **(declarations.read(file) if file.exists() else {})}


@functools.cache
def load(name: str) -> dict[str, Any]:
    """The document of that name with its overlay, which all callers share and none changes.

    What the overlay says of the whole document is its `x-contract`. Raises OverlayError if the overlay is not
    understood.
    """
    document = FURTHER[name][0] if name in FURTHER else modelarts_openapi.load(name)
    file = declarations.OVERLAYS / f"{name}.yaml"
    declarations.checked(name, document, overlay(name), file if file.exists() and name not in FURTHER else None)
    by_id = {operation["operationId"]: operation for *_, operation in written_in(document)}
    for operation_id, further in overlay(name)["operations"].items():
        operation = by_id[operation_id]
        operation["x-contract"] = further.get("x-contract", {})
    document["x-contract"] = {key: value for key, value in overlay(name).items() if key not in EMPTY}
    return document


@functools.cache
def operations(name: str) -> Mapping[str, Operation]:
    """The operations of the document of that name, by their ids."""
    return {operation.operation_id: operation for operation in operations_of(name, load(name))}


def operations_of(name: str, document: Schema) -> Iterator[Operation]:
    """The operations of a document."""
    for path, method, item, own in written_in(document):
        definition = {**own, "parameters": [*item.get("parameters", ()), *own.get("parameters", ())]}
        id_ = own.get("operationId", f"{method.upper()} {path}")
        yield Operation(name, document, id_, method.upper(), path, definition)


@functools.cache
def links_of_schema(name: str, schema: str) -> list[Schema]:
    """The links of all successes of the document whose bodies have this schema, by its reference."""
    document, found = load(name), operations(name).values()
    responses = [each.definition["responses"] for each in found if schema]
    successes = [resolve(document, each[status]) for each in responses for status in each if status < "3"]
    alike = [success.get("links", {}) for success in successes if reference(success) == schema]
    return [resolve(document, link) for links in alike for link in links.values()]


def reference(response: Schema) -> str:
    """The reference to the schema of a response; empty if it has none."""
    return str((json_schema(response) or {}).get("$ref", ""))
