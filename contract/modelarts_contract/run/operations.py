"""What the documents say about each operation: what it reads, creates or changes, and whose id it needs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import documents

__all__ = ["HARMLESS", "METHODS", "Operation", "find", "named", "operations", "read"]

METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
ID = "[0-9A-Za-z_-]+"


@dataclass(frozen=True)
class Operation:
    """An operation of a document; `kind` is "read", "create", "change", or "login", which is about credentials.

    `contract` is what the overlay says of it, `not_emulated` why the emulator does not serve it, None if it does.
    """

    operation_id: str
    method: str
    path: str
    kind: str
    contract: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    not_emulated: str | None = None

    @property
    def label(self) -> str:
        """The operation as reports name it."""
        return f"{self.method} {self.path}"

    @property
    def collection(self) -> str:
        """The plural noun of what is created or changed, such as `training-jobs`."""
        return self.path.partition("{project_id}/")[2].partition("/")[0]

    def things(self, parameters: Mapping[str, Any]) -> set[str]:
        """What a path with these parameters names, each as the path to it: `training-jobs/1`."""
        return {self.thing(name, parameters) for name in parameters if name != "project_id"}

    def thing(self, name: str, parameters: Mapping[str, Any]) -> str:
        """What the parameter of this name stands for, as the path to it: `training-jobs/1/versions/2`."""
        before, parameter, _ = self.path.rpartition("{project_id}/")[2].partition(f"{{{name}}}")
        return (before + parameter).format_map(parameters)

    @property
    def path_names(self) -> list[str]:
        """The parameters of the path, in their order, without the project's."""
        return [name for name in re.findall(r"\{(\w+)\}", self.path) if name != "project_id"]

    def target(self, parameters: Mapping[str, Any]) -> str:
        """The thing that a path with these parameters is about: the last that it names; empty if it names none."""
        return self.thing(self.path_names[-1], parameters) if self.path_names else ""

    @property
    def owner_parameter(self) -> str | None:
        """The path parameter that holds the id of what is changed."""
        return self.path_names[0] if self.path_names else None

    def path_parameters(self, path: str) -> dict[str, str] | None:
        """The parameters of a path of this operation, None for another path or an id with special characters."""
        found = pattern(self.path).fullmatch(path)
        return found and found.groupdict()


@functools.cache
def pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", rf"(?P<\1>{ID})", re.escape(path)))


@functools.cache
def operations(document: str) -> Mapping[str, Operation]:
    """The operations of a document, by id."""
    return {operation.operation_id: operation for operation in read(documents.load(document))}


def read(document: Mapping[str, Any]) -> Iterator[Operation]:
    """Yield the operations of a document that has its overlay."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                contract = item[method].get("x-contract", {})
                found = contract.get("kind") or kind(method, item[method])
                reason = item[method].get("x-emulated-reason", "") if item[method].get("x-emulated") is False else None
                yield Operation(item[method]["operationId"], method.upper(), path, found, contract, reason)


def kind(method: str, operation: Mapping[str, Any]) -> str:
    if method.upper() in HARMLESS or "x-pagination" in operation:  # a search by POST is a list in pages
        return "read"
    return "create" if method == "post" and operation["operationId"].startswith("create") else "change"


def find(document: str, method: str, path: str) -> Operation | None:
    """The operation that a request is for, None if the document has none."""
    for operation in operations(document).values():
        if operation.method == method and operation.path_parameters(path) is not None:
            return operation
    return None


def named(document: str, kinds: set[str]) -> set[str]:
    """The ids of the operations of these kinds."""
    return {operation.operation_id for operation in operations(document).values() if operation.kind in kinds}
