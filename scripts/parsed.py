"""What a client is made of: the operations and models of one document, independent of what parsed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

    kind: Literal["any", "null", "scalar", "literal", "list", "object", "map", "union"]
    name: str = ""  # the type of a scalar; the class of a literal, an object or a map
    parts: tuple[Value, ...] = ()  # the branches of a union; what a list or a map holds
    mark: tuple[str, tuple[str | int, ...]] | None = None  # the member, and its values, that tell it from other objects

    @property
    def branches(self) -> tuple[Value, ...]:
        """The parts of a union, or the value itself."""
        return self.parts if self.kind == "union" else (self,)

    @property
    def not_null(self) -> Value:
        """The value without null."""
        kept = tuple(part for part in self.branches if part.kind != "null")
        return kept[0] if len(kept) == 1 else replace(self, parts=kept) if self.kind == "union" else self

    @property
    def holds_objects(self) -> bool:
        return self.kind == "object" or any(part.holds_objects for part in self.parts)

    @property
    def holds_containers(self) -> bool:
        return any(part.kind in {"list", "map", "object"} for held in self.parts for part in held.branches)


@dataclass(frozen=True)
class Field:
    """A property of an object."""

    name: str
    python_name: str
    value: Value
    is_required: bool
    text: str
    is_secret: bool
    place: Sequence[str] = ()
    written: Mapping[str, Any] = field(default_factory=dict)  # as the document has it


@dataclass(frozen=True)
class Model:
    """An object."""

    class_name: str
    module: str
    place: Sequence[str]
    text: str
    fields: tuple[Field, ...]
    others: Value | None  # what properties without a name may be
    is_sent: bool = False  # whether a request can hold it
    view: str = ""  # `x-view` of the document

    @property
    def is_map(self) -> bool:
        return not self.fields and self.others is not None

    @property
    def is_request(self) -> bool:
        return self.is_sent and not self.is_map


@dataclass(frozen=True)
class Literals:
    """An enumeration."""

    class_name: str
    module: str
    place: Sequence[str]
    values: tuple[str | int, ...]


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation."""

    name: str
    python_name: str
    location: str
    value: Value
    is_required: bool
    place: Sequence[str] = ()
    written: Mapping[str, Any] = field(default_factory=dict)  # as the document has it

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
    """A call."""

    name: str
    tag: str
    place: Sequence[str]
    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: Value | None
    media: str  # of the body
    is_body_required: bool
    successes: tuple[Success, ...]
    written: Mapping[str, Any]  # as the document has it


@dataclass(frozen=True)
class Parsed:
    """A document."""

    models: tuple[Model, ...]
    literals: tuple[Literals, ...]
    operations: tuple[Operation, ...]

    @property
    def tags(self) -> list[str]:
        return list(dict.fromkeys(operation.tag for operation in self.operations))
