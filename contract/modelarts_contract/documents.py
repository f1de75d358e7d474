"""The documents with what contract tests add to them (`overlays/`), and their operations, found by requests."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import jsonschema_rs
import yaml

import modelarts_openapi
from modelarts_openapi.error_codes import ERROR_CODES

__all__ = ["ABSENT", "HARMLESS", "METHODS", "Documents", "Link", "Operation", "add", "load", "operations", "overlay"]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
ABSENT = frozenset(code for code, fact in ERROR_CODES.items() if fact.exception == "NotFound")
"""The error codes of "not found" that say nothing else; version 1 says it in words."""
OVERLAYS = Path(__file__).parent / "overlays"
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
EMPTY: Mapping[str, Any] = {"operations": {}, "setup": {}}
FURTHER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
Schema = Mapping[str, Any]
Pointer = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a response: the operation it leads to, with expressions for its parameters."""

    operation_id: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
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

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches the path of a request."""
        return pattern_of(self.path)

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
    def collection(self) -> str:
        """The plural noun of the things that are created or changed, such as `training-jobs`."""
        return self.path.partition("{project_id}/")[2].partition("/")[0]

    @property
    def path_names(self) -> list[str]:
        """The parameters of the path, in their order, without the project's."""
        return [name for name in re.findall(r"\{(\w+)\}", self.path) if name != "project_id"]

    def parameters(self, place: str) -> dict[str, Schema]:
        """The parameters in `path`, `query` or `header` by their names."""
        found = (resolve(self.document, parameter) for parameter in self.definition.get("parameters", ()))
        return {parameter["name"]: parameter for parameter in found if parameter["in"] == place}

    def url_path(self, values: Mapping[str, Any]) -> str:
        """The path of a request with these values of its path parameters."""
        return re.sub(r"\{(\w+)\}", lambda found: quote(str(values[found[1]]), safe=""), self.path)

    def body_schema(self) -> Schema | None:
        """The schema of the request's JSON body; None if the operation has no body."""
        return json_schema(resolve(self.document, self.definition.get("requestBody", {})))

    def settings(self) -> dict[str, Schema]:
        """The schemas of the values that a request sets, by name: parameters of the query, and members of the body."""
        body = resolve(self.document, self.body_schema() or {}).get("properties", {})
        return {**{name: found.get("schema", {}) for name, found in self.parameters("query").items()}, **body}

    def response(self, status: int) -> Schema | None:
        """The documented response with the status; `default` stands for rejections only. None if no response has it."""
        responses = self.definition["responses"]
        found = responses.get(str(status), responses.get("default") if status >= 400 else None)
        return None if found is None else resolve(self.document, found)

    def links(self, status: int) -> Iterator[Link]:
        """Where a response with the status leads; it also leads where other responses of its schema lead."""
        response = self.definition["responses"].get(str(status), {})
        own = [resolve(self.document, link) for link in response.get("links", {}).values()]
        known = {link["operationId"] for link in own}
        for link in [*own, *links_of_schema(self.name, reference(response))]:
            if link in own or (link["operationId"] not in known and "$request.body" not in str(link)):
                yield Link(link["operationId"], link.get("parameters", {}))

    def validator(self, key: str, schema: Schema) -> Any:
        """A validator of the schema, made once for the key."""
        if key not in self._validators:
            whole = {**schema, "components": self.document["components"]}
            self._validators[key] = jsonschema_rs.Draft202012Validator(whole)
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
        operation, match = min(matches, key=lambda found: len(found[1].groupdict()))
        return operation, {name: unquote(value) for name, value in match.groupdict().items()}

    def describe(self, method: str, url: str) -> bool:
        """Whether they have the request; the root of a host does not count, because every host has one."""
        path = urlsplit(url).path
        return path.strip("/") != "" and self.find(method, path) is not None

    def methods_of(self, path: str) -> list[str]:
        """The methods that the documents have for the path."""
        return sorted({operation.method for operation in self.operations if operation.pattern.fullmatch(path)})


def add(name: str, document: dict[str, Any], contract: dict[str, Any]) -> None:
    """Let this process know one more document, with its overlay."""
    FURTHER[name] = document, contract


@functools.cache
def overlay(name: str) -> dict[str, Any]:
    """The overlay of the document of that name; an empty one if it has none."""
    if name in FURTHER:
        return {**EMPTY, **FURTHER[name][1]}
    file = OVERLAYS / f"{name}.yaml"
    text = file.read_text("utf-8") if file.exists() else ""
    found: dict[str, Any] = yaml.load(text, LOADER) or {}  # noqa: S506
    return {**EMPTY, **found}


@functools.cache
def load(name: str) -> dict[str, Any]:
    """The document of that name with its overlay, which all callers share and none changes.

    What the overlay says of the whole document is its `x-contract`. Raises LookupError if the overlay is about an
    unknown operation.
    """
    document = FURTHER[name][0] if name in FURTHER else modelarts_openapi.load(name)
    by_id = {operation["operationId"]: operation for operation in each(document)}
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
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                definition = {
                    **item[method],
                    "parameters": [*item.get("parameters", ()), *item[method].get("parameters", ())],
                }
                id_ = definition.get("operationId", f"{method.upper()} {path}")
                yield Operation(name, document, id_, method.upper(), path, definition)


@functools.cache
def pattern_of(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path)))


@functools.cache
def links_of_schema(name: str, schema: str) -> list[Schema]:
    """The links of all successes of the document whose bodies have this schema, by its reference."""
    return [
        resolve(operation.document, link)
        for operation in operations(name).values()
        for status, response in operation.definition["responses"].items()
        if schema and status < "3" and reference(response) == schema
        for link in response.get("links", {}).values()
    ]


def each(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The operations of a document as it has them."""
    paths = document["paths"].values()
    return [item[method] for item in paths for method in METHODS if method in item]


def reference(response: Schema) -> str:
    """The reference to the schema of a response; empty if it has none."""
    return str((json_schema(response) or {}).get("$ref", ""))


def json_schema(described: Schema) -> Schema | None:
    """The schema of JSON content."""
    for media, content in described.get("content", {}).items():
        if "json" in media:
            found: Schema = content.get("schema", {})
            return found
    return None


def find(document: Schema, reference: str) -> Any:
    """What a local reference names; raises LookupError if nothing."""
    found: Any = document
    for step in reference.removeprefix("#/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or name not in found:
            raise LookupError(reference.removeprefix("#/"))
        found = found[name]
    return found


def resolve(document: Schema, schema: Schema) -> Schema:
    """The schema behind references."""
    while "$ref" in schema:
        schema = find(document, schema["$ref"])
    return schema


def branches(document: Schema, schema: Schema, pointer: Pointer = ()) -> Iterator[tuple[Schema, Pointer]]:
    """The schema and its alternatives without references, each with the way to it in the document, key by key."""
    while "$ref" in schema:
        pointer = tuple(schema["$ref"].removeprefix("#/").split("/"))
        schema = find(document, schema["$ref"])
    yield schema, pointer
    for key in ("allOf", "anyOf", "oneOf"):
        for number, branch in enumerate(schema.get(key, ())):
            yield from branches(document, branch, (*pointer, key, str(number)))
