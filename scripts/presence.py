"""What the documented examples say about fields of responses: which are always there, and of which types."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


class Presence:
    """Which schemas belong to requests, and which fields every example of a response has, and not as null."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._components: dict[str, dict[str, Any]] = document.get("components", {})
        self.requests: set[str] = set()
        self._objects: Counter[str] = Counter()
        self._found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._types: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for item in document["paths"].values():
            for operation in (item[method] for method in METHODS if method in item):
                self._collect(operation.get("requestBody", {}))
                for schema, example in self._examples(operation):
                    self._count(schema, example)

    def is_always_there(self, schema: str, field: str) -> bool:
        return 0 < self._objects[schema] == self._found[schema][field]

    def types(self, schema: str, field: str) -> set[str]:
        """The Python types of the field's values, other than None."""
        return self._types[schema, field]

    def _resolved(self, value: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in value:
            _, _, kind, name = value["$ref"].split("/")
            value = self._components[kind][name]
        return value

    def _collect(self, node: Any) -> None:
        """Add the schemas that a request can hold."""
        if isinstance(node, list):
            for each in node:
                self._collect(each)
        elif isinstance(node, dict) and "$ref" in node:
            _, _, kind, name = node["$ref"].split("/")
            if kind != "schemas" or name not in self.requests:
                self.requests |= {name} if kind == "schemas" else set()
                self._collect(self._components[kind][name])
        elif isinstance(node, dict):
            self._collect([value for key, value in node.items() if key not in {"example", "examples"}])

    def _examples(self, operation: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
        """The examples of the operation's responses with their schemas."""
        for response in operation["responses"].values():
            for media in self._resolved(response).get("content", {}).values():
                for example in media.get("examples", {}).values():
                    yield media.get("schema", {}), self._resolved(example).get("value")

    def _count(self, schema: dict[str, Any], value: Any) -> None:
        """Count the fields of the value, and of everything in it."""
        if "$ref" in schema and isinstance(value, dict):
            name = schema["$ref"].rpartition("/")[2]
            self._objects[name] += 1
            for field, content in value.items():
                if content is not None:
                    self._found[name][field] += 1
                    self._types[name, field].add(type(content).__name__)
        schema = self._resolved(schema)
        for key in ("allOf", "anyOf", "oneOf"):
            for branch in schema.get(key, []):
                self._count(branch, value)
        if isinstance(value, dict):
            for field, content in value.items():
                self._count(schema.get("properties", {}).get(field, {}), content)
        elif isinstance(value, list):
            for content in value:
                self._count(schema.get("items", {}), content)
