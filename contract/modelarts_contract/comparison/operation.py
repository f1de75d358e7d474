"""The operations of a bundled document, ready for a comparison: references followed, defaults filled in, paired."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from modelarts_contract.documents import METHODS

from .shape import Schema, expanded, find, is_text

Document = Mapping[str, Any]
COMPARED = {
    "document": {"components", "info", "openapi", "paths", "security", "servers", "tags"},
    "operation": {"operationId", "parameters", "requestBody", "responses", "security", "servers", "tags"},
    "parameter": {"content", "in", "name", "required", "schema"},
    "body": {"content", "required"},
    "response": {"content", "headers"},
    "header": {"content", "required", "schema"},
    "media type": {"schema"},
}


@dataclass(frozen=True)
class Part:
    """A piece of a document, with references followed."""

    document: Document
    written: Mapping[str, Any]
    place: str

    @classmethod
    def of(cls, document: Document, written: Mapping[str, Any], place: str) -> Part:
        beside = dict(written)
        while "$ref" in beside:
            place = beside.pop("$ref").removeprefix("#/")
            beside = {**find(document, place), **beside}
        return cls(document, beside, place)

    def inner(self, step: str) -> Part:
        return Part.of(self.document, self.written.get(step, {}), f"{self.place}/{step}")

    def schema(self) -> Schema:
        return Schema(self.document, self.written.get("schema", True), f"{self.place}/schema")

    @property
    def is_required(self) -> bool:
        return bool(self.written.get("required"))

    def rest(self, kind: str) -> str:
        """What of this piece nobody compares, in one text."""
        strange = {key: value for key, value in self.written.items() if key not in COMPARED[kind] and not is_text(key)}
        return json.dumps(expanded(self.document, strange), sort_keys=True)


@dataclass(frozen=True)
class Operation:
    """An operation with its path's part."""

    name: str
    method: str
    path: str
    item: Part
    part: Part

    @property
    def route(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def signature(self) -> str:
        """The route without the names of its parameters."""
        return re.sub(r"\{[^}]*\}", "{}", self.route)

    @property
    def tag(self) -> str:
        return (self.part.written.get("tags") or ["default"])[0]  # type: ignore[no-any-return]

    def parameters(self) -> dict[tuple[str, str], Part]:
        """By place and name; parameters in the path by their position, because their names are not sent."""
        positions = {name: str(index) for index, name in enumerate(re.findall(r"\{([^}]*)\}", self.path))}
        found = {}
        for owner in (self.item, self.part):
            for index, written in enumerate(owner.written.get("parameters", ())):
                parameter = Part.of(owner.document, written, f"{owner.place}/parameters/{index}")
                where, name = parameter.written["in"], parameter.written["name"]
                key = positions.get(name, name) if where == "path" else name.lower() if where == "header" else name
                found[where, key] = parameter
        return found

    def security(self) -> set[frozenset[str]]:
        """Ways to be let in, each a set of demands."""
        document = self.part.document
        ways = self.part.written.get("security", document.get("security", []))
        return {
            frozenset(demand for name in way for demand in demands(document, name, way[name])) for way in ways or [{}]
        }


def demands(document: Document, name: str, scopes: list[str]) -> Iterator[str]:
    scheme = json.dumps(expanded(document, document["components"]["securitySchemes"][name]), sort_keys=True)
    yield from (scheme, *(f"{scheme} {scope}" for scope in scopes))


def operations(document: Document) -> list[Operation]:
    found = []
    for path, written in document["paths"].items():
        item = Part.of(document, written, f"paths/{path}")
        for method in METHODS:
            if method in item.written:
                part = item.inner(method)
                name = part.written.get("operationId", f"{method.upper()} {path}")
                found.append(Operation(name, method, path, item, part))
    return found


def pairs(old: Document, new: Document) -> Iterator[tuple[Operation | None, Operation | None]]:
    """Operations that belong together: by operationId, else by method and path."""
    before = {operation.name: operation for operation in operations(old)}
    after = {operation.name: operation for operation in operations(new)}
    for name in [name for name in before if name in after]:
        yield before.pop(name), after.pop(name)
    routes = {operation.signature: operation for operation in after.values()}
    yield from ((operation, routes.pop(operation.signature, None)) for operation in before.values())
    yield from ((None, operation) for operation in routes.values())
