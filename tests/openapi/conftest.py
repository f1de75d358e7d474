"""The documents twice: as they are written (files) and as they are published (bundled)."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import jsonschema_rs
import pytest
import yaml

import modelarts_openapi
from modelarts_contract.documents import operations_of
from modelarts_documents.schema import graph, resolve, walk

F = TypeVar("F", bound=Callable[..., Any])

COMPONENTS = ("components", "schemas")
DOCUMENTS = Path(__file__).parents[2] / "openapi"


@dataclass(frozen=True)
class Operation:
    """An operation of a bundled document, with the parameters of its path."""

    name: str
    document: Mapping[str, Any]
    method: str
    path: str
    facts: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.facts["operationId"])

    def resolve(self, node: dict[str, Any]) -> dict[str, Any]:
        return dict(resolve(self.document, node))

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """Those of the query, the headers and the path, without references."""
        return [self.resolve(parameter) for parameter in self.facts["parameters"]]

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

    def values(self, schema: dict[str, Any], value: Any) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
        """Every value in a payload with its schemas, and the component that each is; JSON in a text, too."""
        for place in walk(self.document, schema, value):
            for part in place.parts:
                yield part.pointer[-1] if part.pointer[:-1] == COMPONENTS else "", part.schema, place.value
                if "contentSchema" in part.schema and isinstance(place.value, str):
                    yield from self.values(part.schema["contentSchema"], json.loads(place.value))

    def schemas(self, schema: dict[str, Any]) -> dict[str, Mapping[str, Any]]:
        """Every schema below this one by its address in the document, components only once."""
        return {"/".join(node.pointer): node.schema for node in graph(self.document, ((self.id,), schema))}


@functools.cache
def operations() -> list[Operation]:
    return [
        Operation(name, each.document, each.method, each.path, each.definition)
        for name in modelarts_openapi.NAMES
        for each in operations_of(name, modelarts_openapi.load(name))
    ]


@functools.cache
def contents(name: str) -> dict[str, Any]:
    """The files of a document's paths, as its table of contents refers to them."""
    return dict(yaml.safe_load((DOCUMENTS / name / "openapi.yaml").read_text("utf-8"))["paths"])


def file_of(operation: Operation) -> str:
    """The file in which the operation is written."""
    return f"openapi/{operation.name}/{contents(operation.name)[operation.path]['$ref']}"


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
                    error.add_note(f"The operation is {operation.name} {operation.id}, in {file_of(operation)}.")
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
