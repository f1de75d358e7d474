"""The documents twice: as they are written (files) and as they are published (bundled)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import jsonschema_rs
import pytest

import modelarts_openapi

F = TypeVar("F", bound=Callable[..., Any])

DOCUMENTS = Path(__file__).parents[2] / "openapi"
METHODS = ("get", "put", "post", "delete", "patch", "head", "options")


@dataclass(frozen=True)
class Operation:
    """An operation of a bundled document, with the parameters of its path."""

    name: str
    document: dict[str, Any]
    path: str
    facts: dict[str, Any]
    parameters: list[dict[str, Any]]

    @property
    def id(self) -> str:
        return self.facts["operationId"]

    def resolve(self, node: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in node:
            _, *keys = node["$ref"].split("/")
            node = self.document
            for key in keys:
                node = node[key]
        return node

    @property
    def responses(self) -> dict[str, dict[str, Any]]:
        return {status: self.resolve(response) for status, response in self.facts["responses"].items()}

    @property
    def successes(self) -> dict[str, dict[str, Any]]:
        return {status: response for status, response in self.responses.items() if status[0] in "23"}

    @property
    def request_schema(self) -> dict[str, Any] | None:
        content = self.resolve(self.facts.get("requestBody", {})).get("content", {})
        return content["application/json"]["schema"] if content else None

    @property
    def examples(self) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """(name, payload, schema) of every example of a body."""
        for part in (self.resolve(self.facts.get("requestBody", {})), *self.responses.values()):
            for media in part.get("content", {}).values():
                for name, example in media.get("examples", {}).items():
                    yield name, example["value"], media["schema"]

    def findings(self, schema: dict[str, Any], payload: Any) -> list[str]:
        """What is wrong with the payload."""
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "allOf": [schema]}
        validator = jsonschema_rs.validator_for({**whole, "components": self.document["components"]})
        return [
            f"{'/'.join(map(str, error.instance_path))}: {error.message}" for error in validator.iter_errors(payload)
        ]

    def schemas(self, schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Every schema below this one by its address in the document, components only once."""
        found: dict[str, dict[str, Any]] = {}
        open_ = [(self.id, schema)]
        while open_:
            where, node = open_.pop()
            if "$ref" in node:
                where, node = node["$ref"].rsplit("/", 1)[1], self.resolve(node)
            if where in found:
                continue
            found[where] = node
            open_ += [(f"{where}.{name}", child) for name, child in node.get("properties", {}).items()]
            open_ += [(f"{where}[]", node["items"])] if "items" in node else []
            open_ += [(f"{where}|{index}", child) for index, child in enumerate(node.get("anyOf", ()))]
            if isinstance(node.get("additionalProperties"), dict):
                open_ += [(f"{where}.*", node["additionalProperties"])]
        return found


@functools.cache
def operations() -> list[Operation]:
    documents = {name: modelarts_openapi.load(name) for name in modelarts_openapi.NAMES}
    return [
        Operation(name, document, path, item[method], item.get("parameters", []) + item[method].get("parameters", []))
        for name, document in documents.items()
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    ]


def each_operation(applies: Callable[[Operation], object] = lambda _: True) -> Callable[[F], F]:
    """Turn a test of one operation into a test of all to which it applies, of which there must be some."""

    def decorate(test: Any) -> Any:
        @functools.wraps(test)
        def test_all(**fixtures: Any) -> None:
            found = [operation for operation in operations() if applies(operation)]
            assert found, f"{test.__name__} applies to no operation"
            for operation in found:
                try:
                    test(operation=operation, **fixtures)
                except AssertionError as error:
                    error.add_note(f"The operation is {operation.name} {operation.id}.")
                    raise

        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name != "operation"]
        test_all.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return test_all

    return decorate


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", modelarts_openapi.NAMES)


@pytest.fixture(scope="session")
def by_id() -> dict[tuple[str, str], Operation]:
    """Operations by document and operationId."""
    return {(operation.name, operation.id): operation for operation in operations()}


@pytest.fixture(scope="session")
def folder() -> Path:
    return DOCUMENTS
