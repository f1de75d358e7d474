"""What a client is made of: the operations and models of one document, independent of what parsed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Fact = tuple[Sequence[str], str]
"""What is wrong, behind the keys that lead to its place in the document."""


class ClientError(Exception):
    """The document cannot become a client: facts, each with the keys that lead to its place in the document."""

    def __init__(self, *facts: Fact) -> None:
        super().__init__("\n".join(fact for _, fact in facts))
        self.facts = facts


@dataclass(frozen=True)
class Value:
    """What a schema allows, in terms of Python."""

    kind: Literal["any", "null", "scalar", "literal", "list", "object", "map", "union", "unsupported"]
    name: str = ""  # the type of a scalar; the class of a literal, an object or a map
    parts: tuple[Value, ...] = ()  # the branches of a union; what a list or a map holds

    @property
    def branches(self) -> tuple[Value, ...]:
        """The parts of a union, or the value itself."""
        return self.parts if self.kind == "union" else (self,)

    @property
    def not_null(self) -> Value:
        """The value without null."""
        kept = tuple(part for part in self.branches if part.kind != "null")
        return kept[0] if len(kept) == 1 else replace(self, parts=kept) if self.kind == "union" else self


@dataclass(frozen=True)
class Field:
    """A property of an object."""

    name: str
    python_name: str
    value: Value
    is_required: bool
    text: str
    is_secret: bool
    written: dict[str, Any] = field(default_factory=dict)  # as the component has it


@dataclass(frozen=True)
class Model:
    """An object; `schema` is the component that it is, or that it is written in."""

    class_name: str
    module: str
    schema: str
    text: str
    fields: tuple[Field, ...]
    others: Value | None  # what properties without a name may be
    view: str = ""  # `x-view` of the document

    @property
    def is_map(self) -> bool:
        return not self.fields and self.others is not None


@dataclass(frozen=True)
class Literals:
    """An enumeration."""

    class_name: str
    module: str
    values: tuple[str | int, ...]


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation."""

    name: str
    python_name: str
    location: str
    value: Value
    is_required: bool
    written: dict[str, Any] = field(default_factory=dict)  # as the document has it

    @property
    def is_header_too(self) -> bool:
        """Whether a parameter of the query is also sent as a header of its name."""
        return self.written.get("x-also-in") == "header"


@dataclass(frozen=True)
class Success:
    """A documented success: the range of its statuses, and its body if it has one."""

    low: int
    high: int
    source: str  # the expression for the body
    value: Value | None


@dataclass(frozen=True)
class Operation:
    """A call; `item` and `written` are its path item and itself in the document."""

    name: str
    tag: str
    method: str
    path: str
    url: str  # the path with the Python names of its parameters
    summary: str
    description: str
    parameters: tuple[Parameter, ...]
    body: Value | None
    is_body_required: bool
    successes: tuple[Success, ...]
    item: dict[str, Any]
    written: dict[str, Any]


@dataclass(frozen=True)
class Parsed:
    """A document."""

    models: tuple[Model, ...]
    literals: tuple[Literals, ...]
    operations: tuple[Operation, ...]

    @property
    def tags(self) -> list[str]:
        return list(dict.fromkeys(operation.tag for operation in self.operations))
