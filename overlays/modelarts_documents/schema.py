"""What the references of a document lead to, and two walks: of a schema beside a value, and of all schemas.

Documents are those of OpenAPI 3.1, in one piece: each reference starts with `#`. In a schema, the keywords beside a
reference hold together with those that it names; elsewhere they stand for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from modelarts_documents.keys import METHODS, Pointer, inner, is_json, objects

Schema = Mapping[str, Any]
ALTERNATIVES = ("allOf", "anyOf", "oneOf")
CONDITIONAL = ("then", "else")
TOP = 3  # keys down to a component, and to an operation


class Part(NamedTuple):
    """A schema, and the way to it in its document; what it refers to is another part."""

    schema: Schema
    pointer: Pointer


@dataclass(frozen=True, slots=True)
class Place:
    """A value within another one, by the names and indexes that lead there, and every schema that describes it."""

    where: tuple[str | int, ...]
    value: Any
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A schema of a document, the way to it, and the names of the members that it was reached through."""

    pointer: Pointer
    schema: Schema
    members: tuple[str, ...]


@cache
def pointer_of(reference: str) -> Pointer:
    """The keys of a local reference such as `#/components/schemas/Job`; raises LookupError for another one."""
    path = unquote(reference.removeprefix("#"))
    if not reference.startswith("#") or (path and not path.startswith("/")):
        raise LookupError(reference)
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:])


def find(document: Schema, reference: str) -> Any:
    """What a local reference names; raises LookupError, with the reference, if nothing."""
    try:
        return part_at(document, pointer_of(reference))
    except LookupError:
        raise LookupError(reference) from None


def part_at(document: Any, pointer: Pointer) -> Any:
    """What stands at the end of the way; raises LookupError if nothing."""
    for step in pointer:
        if isinstance(document, list) and step.isdecimal():
            document = document[int(step)]
        elif isinstance(document, Mapping):
            document = document[step]
        else:
            raise LookupError(step)
    return document


def resolve(document: Schema, node: Schema) -> Schema:
    """The object behind references, with the keys that stand beside them.

    Raises LookupError, with the reference, for one that leads nowhere or back to itself.
    """
    seen = set[str]()
    while isinstance(reference := node.get("$ref"), str):
        target = find(document, reference)
        if reference in seen or not isinstance(target, Mapping):
            raise LookupError(reference)
        seen.add(reference)
        node = {**target, **beside} if (beside := _beside(node)) else target
    return node


def _beside(node: Schema) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key != "$ref"} if len(node) > 1 else {}


def operations(document: Schema) -> Iterator[tuple[str, str, Schema, dict[str, Any]]]:
    """Path, method, path item and operation of each operation in `paths`."""
    for path, written in (document.get("paths") or {}).items():
        if isinstance(written, Mapping) and not path.startswith("x-"):
            item = resolve(document, written)
            yield from ((path, method, item, item[method]) for method in METHODS if isinstance(item.get(method), dict))


def json_schema(carrier: Schema) -> Schema | None:
    """The schema of the JSON of a body, response or parameter; an empty one if it has JSON without a schema."""
    for media, content in carrier.get("content", {}).items():
        if is_json(media):
            found: Schema = content.get("schema", {})
            return found
    return None


def parts(document: Schema, schema: Any, pointer: Pointer = ()) -> Iterator[Part]:
    """The schema, what it refers to, and what both are put together of, each once and without references."""
    seen, ahead = set[int](), [Part(schema, pointer)]
    while ahead:
        part = ahead.pop()
        if id(part.schema) in seen or not isinstance(part.schema, Mapping):
            continue
        seen.add(id(part.schema))
        below = [
            Part(branch, (*part.pointer, word, str(number)))
            for word in ALTERNATIVES
            for number, branch in enumerate(part.schema.get(word, ()))
        ]
        below += (Part(part.schema[word], (*part.pointer, word)) for word in CONDITIONAL if word in part.schema)
        if isinstance(reference := part.schema.get("$ref"), str):
            below.insert(0, Part(find(document, reference), pointer_of(reference)))
            if beside := _beside(part.schema):
                yield Part(beside, part.pointer)
        else:
            yield part
        ahead += reversed(below)


def members(document: Schema, holders: Iterable[Part], step: str | int) -> list[Part]:
    """The schemas of a member, or of an entry of a list, of what these schemas describe.

    A schema for members without a name counts only for one that no schema names.
    """
    named: list[tuple[Any, Pointer]] = []
    others: list[tuple[Any, Pointer]] = []
    for schema, pointer in holders:
        if isinstance(step, int):
            first = schema.get("prefixItems", ())
            if step < len(first):
                named.append((first[step], (*pointer, "prefixItems", str(step))))
            elif "items" in schema:
                named.append((schema["items"], (*pointer, "items")))
            continue
        if step in schema.get("properties", ()):
            named.append((schema["properties"][step], (*pointer, "properties", step)))
        for pattern, inside in schema.get("patternProperties", {}).items():
            if _matches(pattern, step):
                named.append((inside, (*pointer, "patternProperties", pattern)))
        if "additionalProperties" in schema:
            others.append((schema["additionalProperties"], (*pointer, "additionalProperties")))
    return [part for inside, pointer in named or others for part in parts(document, inside, pointer)]


def at(document: Schema, schema: Any, steps: Iterable[str | int]) -> list[Part]:
    """The schemas of the value to which the steps lead; an entry of a list may have a name, or its index as text."""
    found = [*parts(document, schema)]
    for step in steps:
        index = int(step) if str(step).isdecimal() else 0
        found = members(document, found, step) or members(document, found, index)
    return found


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:  # of a dialect that Python does not have
        return False


def walk(document: Schema, schema: Any, value: Any, pointer: Pointer = ()) -> Iterator[Place]:
    """The value and all that is in it, outer places first, each with the schemas that describe it.

    `pointer` is the way to the schema. Where nothing describes a value, the walk does not go into it.
    """
    known: dict[tuple[int, str | int], tuple[Part, ...]] = {}  # the tuples stay alive in it
    top = tuple(parts(document, schema, pointer))  # alive as long as its id is a key
    ahead = [Place((), value, top)]
    while ahead:
        place = ahead.pop()
        yield place
        inside = place.value
        if not place.parts or not isinstance(inside, dict | list):
            continue
        entries: Iterable[tuple[str | int, Any]] = inside.items() if isinstance(inside, dict) else enumerate(inside)
        places = len(max((part.schema.get("prefixItems", ()) for part in place.parts), key=len))
        below = []
        for step, child in entries:
            key = id(place.parts), min(step, places) if isinstance(step, int) else step
            if key not in known:
                known[key] = tuple(members(document, place.parts, step))
            below.append(Place((*place.where, step), child, known[key]))
        ahead += reversed(below)


def starts(document: Schema) -> Iterator[tuple[Pointer, Any]]:
    """Every schema of a document that is in no other schema, with the way to it."""
    within: Pointer | None = None
    for pointer, kind, schema in objects(document):
        if kind == "schemas" and (within is None or pointer[: len(within)] != within):
            within = pointer
            yield pointer, schema


def graph(document: Schema, *roots: tuple[Pointer, Any], follow: bool = True) -> Iterator[Node]:
    """Every schema that can be reached from the roots, once, shortest ways first; with `follow` through references."""
    ahead = [Node(pointer, schema, ()) for pointer, schema in roots]
    seen = set[int]()
    for node in ahead:
        if id(node.schema) in seen or not isinstance(node.schema, Mapping):
            continue
        seen.add(id(node.schema))
        yield node
        if follow and isinstance(reference := node.schema.get("$ref"), str):
            ahead.append(Node(pointer_of(reference), find(document, reference), node.members))
        for key, value in node.schema.items():
            kind = inner("schemas", key)
            if kind == "schemas":
                ahead.append(Node((*node.pointer, key), value, node.members))
            elif kind == "[schemas]" and isinstance(value, list):
                ahead += (
                    Node((*node.pointer, key, str(index)), each, node.members) for index, each in enumerate(value)
                )
            elif kind == "{schemas}" and isinstance(value, Mapping):
                ahead += (
                    Node(
                        (*node.pointer, key, name), each, (*node.members, name) if key == "properties" else node.members
                    )
                    for name, each in value.items()
                )


def self_contained(document: Schema, schema: Schema) -> dict[str, Any]:
    """The schema with the parts of the document that it refers to: a validator keeps all that it is given."""
    found = dict(schema)
    for node in graph(document, ((), schema)):
        if not isinstance(reference := node.schema.get("$ref"), str):
            continue
        source, holder = document, found
        *way, last = pointer_of(reference)[:TOP]
        for step in way:
            source, holder = source[step], holder.setdefault(step, {})
        holder[last] = source[last]
    return found
