"""The operations of the documents, found by the method and path of a request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

import modelarts_openapi

__all__ = ["Documents", "Operation", "resolve"]

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """An operation with its document; `pattern` matches the path of a request."""

    name: str
    document: Schema = field(repr=False)
    operation_id: str
    method: str
    path: str
    definition: Schema = field(repr=False)
    pattern: re.Pattern[str] = field(repr=False)
    _validators: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def pointer(self) -> tuple[str, ...]:
        """The way to the operation in its document, key by key."""
        return "paths", self.path, self.method.lower()

    def parameters(self, place: str) -> dict[str, Schema]:
        """The parameters in `path`, `query` or `header` by their names."""
        found = (resolve(self.document, parameter) for parameter in self.definition.get("parameters", ()))
        return {parameter["name"]: parameter for parameter in found if parameter["in"] == place}

    def url_path(self, values: Mapping[str, str]) -> str:
        """The path of a request with these values of its path parameters."""
        return re.sub(r"\{(\w+)\}", lambda found: quote(values[found[1]], safe=""), self.path)

    def body_schema(self) -> Schema | None:
        """The schema of the request's JSON body; None if the operation has no body."""
        body = resolve(self.document, self.definition.get("requestBody", {}))
        return json_schema(body)

    def response(self, status: int) -> Schema | None:
        """The documented response with the status; `default` stands for rejections only. None if there is none."""
        responses = self.definition["responses"]
        found = responses.get(str(status), responses.get("default") if status >= 400 else None)
        return None if found is None else resolve(self.document, found)

    def validator(self, key: str, schema: Schema) -> Any:
        """A validator of the schema, made once for the key."""
        if key not in self._validators:
            whole = {**schema, "components": self.document["components"]}
            self._validators[key] = jsonschema_rs.Draft202012Validator(whole)
        return self._validators[key]


class Documents:
    """All operations of the named documents."""

    def __init__(self, names: Iterable[str] = modelarts_openapi.NAMES) -> None:
        self.operations = tuple(operation for name in names for operation in operations(name))

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

    def methods_of(self, path: str) -> list[str]:
        """The methods that the documents have for the path."""
        return sorted({operation.method for operation in self.operations if operation.pattern.fullmatch(path)})


@cache
def operations(name: str) -> tuple[Operation, ...]:
    return tuple(operations_of(name, modelarts_openapi.load(name)))


def operations_of(name: str, document: Schema) -> Iterator[Operation]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                definition = {
                    **item[method],
                    "parameters": [*item.get("parameters", ()), *item[method].get("parameters", ())],
                }
                pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))
                yield Operation(
                    name, document, definition["operationId"], method.upper(), path, definition, re.compile(pattern)
                )


def json_schema(described: Schema) -> Schema | None:
    """The schema of JSON content."""
    for media, content in described.get("content", {}).items():
        if "json" in media:
            found: Schema = content.get("schema", {})
            return found
    return None


def resolve(document: Schema, schema: Schema) -> Schema:
    """The schema behind references."""
    while "$ref" in schema:
        found: Any = document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        schema = found
    return schema
