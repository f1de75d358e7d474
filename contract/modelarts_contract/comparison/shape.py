"""The shape of a schema: what it accepts, by kind of JSON value.

Keywords of JSON Schema concern one kind of value each, so a union of different kinds, such as `anyOf: [X, null]`, and a
conjunction (`allOf`) can be written as one table: the same meaning gives the same shape, however it is put down.
Rules that cannot be written so, such as `if`, stay as they are: a schema may have one more or one less of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

KINDS = ("boolean", "integer", "fraction", "string", "array", "object", "null")  # integer and fraction: number
OF_TYPE = {**{kind: [kind] for kind in KINDS}, "number": ["integer", "fraction"]}
TEXTS = frozenset(
    ["$comment", "default", "deprecated", "description", "example", "examples", "externalDocs", "links", "summary",
     "title"]
)  # fmt: skip
NAMED = frozenset(["$defs", "dependentRequired", "dependentSchemas", "patternProperties", "properties"])
RULES_OF_TEXT = ("contentEncoding", "contentMediaType", "pattern")
UNORDERED = frozenset(["allOf", "anyOf", "enum", "oneOf", "required"])
LEAST = {"string": "minLength", "array": "minItems", "object": "minProperties"}
MOST = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}
UNDERSTOOD = TEXTS | set(LEAST.values()) | set(MOST.values()) | {
    "$ref", "additionalProperties", "allOf", "anyOf", "const", "contentEncoding", "contentMediaType", "contentSchema",
    "else", "enum", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maximum", "minimum", "multipleOf",
    "oneOf", "pattern", "properties", "required", "then", "type", "uniqueItems",
}  # fmt: skip

Limits = dict[str, Any]


def is_text(key: str) -> bool:
    """Whether the keyword says nothing about what is sent: texts, and keys of ours, which `notes` compares."""
    return key in TEXTS or key.startswith("x-")


def find(document: Mapping[str, Any], reference: str) -> Any:
    """What a local reference names; `LookupError` if nothing."""
    found: Any = document
    for step in reference.removeprefix("#/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            raise LookupError(reference)
        found = found[name]
    return found


@dataclass(frozen=True)
class Shape:
    """Limits by kind of value, where a kind that is missing is not accepted; and rules that hold beside them."""

    kinds: Mapping[str, Limits]
    rules: frozenset[Rule] = frozenset()

    @property
    def types(self) -> str:
        """The kinds as the keyword `type` would list them."""
        if len(self.kinds) == len(KINDS):
            return "any"
        names = [kind for kind in KINDS if kind in self.kinds]
        if "integer" in names and "fraction" in names:
            names.remove("integer")
        return "|".join("number" if name == "fraction" else name for name in names) or "nothing"


@dataclass(frozen=True)
class Rule:
    """A keyword that stays as it is: its canonical text, or those of the branches of a union."""

    keyword: str
    branches: frozenset[str]


@dataclass(frozen=True)
class Schema:
    """A schema as it is written at a place of a document, or, with `parts`, several that hold at once."""

    document: Mapping[str, Any] = field(repr=False, compare=False)
    written: Any = field(compare=False)
    place: str
    parts: tuple[Schema, ...] = field(default=(), compare=False)

    def inner(self, *steps: str | int) -> Schema:
        written = self.written
        for step in steps:
            written = written[step] if isinstance(step, int) or step in written else True
        return Schema(self.document, written, "/".join([self.place, *map(str, steps)]))

    def chain(self) -> Iterator[Schema]:
        """The schema, what its reference names, and so on."""
        schema, seen = self, set[str]()
        while schema.place not in seen:
            yield schema
            seen.add(schema.place)
            if not isinstance(schema.written, dict) or "$ref" not in schema.written:
                return
            reference = schema.written["$ref"]
            schema = Schema(self.document, find(self.document, reference), reference.removeprefix("#/"))

    def origin(self) -> str:
        """The place of the schema itself, where this one does nothing but name it."""
        for schema in self.chain():
            if not isinstance(schema.written, dict) or {key for key in schema.written if not is_text(key)} != {"$ref"}:
                return schema.place
        return self.place

    def notes(self) -> Mapping[str, Any]:
        """The keys that are texts, or ours; those beside a reference before those behind it."""
        schemas = [schema for part in self.parts or (self,) for schema in part.chain()]
        written = [schema.written for schema in reversed(schemas) if isinstance(schema.written, dict)]
        return {key: value for each in written for key, value in each.items() if is_text(key)}

    def canonical(self) -> str:
        """The same text for schemas that differ in nothing but texts and names of components."""
        if self.parts:
            return " & ".join(sorted({part.canonical() for part in self.parts}))
        return json.dumps(expanded(self.document, self.written), sort_keys=True)

    def shape(self, seen: frozenset[str] = frozenset()) -> Shape:
        """What the schema accepts; `seen` holds the references that led here."""
        if self.parts:
            return reduce(conjunction, (part.shape(seen) for part in self.parts))
        if self.written is False:
            return Shape({})
        if not isinstance(self.written, dict):
            return Shape({kind: {} for kind in KINDS})
        shapes = [own(self)]
        if "$ref" in self.written and self.written["$ref"] not in seen:
            shapes += [schema.shape(seen | {self.written["$ref"]}) for schema in [*self.chain()][1:2]]
        shapes += [self.inner("allOf", index).shape(seen) for index in range(len(self.written.get("allOf", ())))]
        shapes += [union(self, keyword, seen) for keyword in ("anyOf", "oneOf") if keyword in self.written]
        return reduce(conjunction, shapes)


def own(schema: Schema) -> Shape:
    """The shape that the keywords of the schema itself make, without references and combinations."""
    written = schema.written
    listed = written.get("type", ["number", "integer", "boolean", "string", "array", "object", "null"])
    kinds = {kind for name in ([listed] if isinstance(listed, str) else listed) for kind in OF_TYPE[name]}
    values: dict[str, set[str]] = {}
    for value in written.get("enum", [written["const"]] if "const" in written else []):
        values.setdefault(kind_of(value), set()).add(json.dumps(value, sort_keys=True, ensure_ascii=False))
    if values:
        kinds &= set(values)
    shape = {kind: limits(schema, kind) for kind in KINDS if kind in kinds}
    for kind in values.keys() & shape.keys() - {"null"}:
        shape[kind]["enum"] = frozenset(values[kind])
    return Shape(shape, frozenset(rules(schema)))


def rules(schema: Schema) -> Iterator[Rule]:
    """Keywords that no table of limits can hold."""
    for key in schema.written:
        if key not in UNDERSTOOD and not is_text(key):
            beside = ("if", "then", "else") if key == "if" else (key,)
            rule = {word: schema.written[word] for word in beside if word in schema.written}
            yield Rule(key, frozenset([json.dumps(expanded(schema.document, rule), sort_keys=True)]))


def kind_of(value: Any) -> str:
    if value is None:
        return "null"
    for kind, type_ in (("boolean", bool), ("integer", int), ("string", str), ("array", list), ("object", dict)):
        if isinstance(value, type_):
            return kind
    return "integer" if float(value).is_integer() else "fraction"


def limits(schema: Schema, kind: str) -> Limits:
    """The limits of the schema for one kind of value; the keys that are missing do not limit."""
    written = schema.written
    found: Limits = {key: written[key] for table in (LEAST, MOST) if (key := table.get(kind, "")) in written}
    if kind in ("integer", "fraction"):
        found |= bounds(written, whole=kind == "integer")
    if kind in ("integer", "fraction", "string") and written.get("format", "password") != "password":
        found["format"] = frozenset([written["format"]])
    if kind == "string":
        found |= {key: frozenset([written[key]]) for key in RULES_OF_TEXT if key in written}
        found["content"] = schema.inner("contentSchema")
    if kind == "array":
        found["items"] = schema.inner("items")
        if written.get("uniqueItems"):
            found["uniqueItems"] = frozenset([True])
    if kind == "object":
        found["properties"] = {name: schema.inner("properties", name) for name in written.get("properties", {})}
        found["required"] = frozenset(written.get("required", ()))
        found["additional"] = schema.inner("additionalProperties")
        found["model"] = model(schema)
    return found


def bounds(written: Mapping[str, Any], *, whole: bool) -> Limits:
    """`least` and `most` as (number, 1 where the number itself is excluded); of whole numbers none is excluded."""
    found: Limits = {}
    low = [(written[key], int(key != "minimum")) for key in ("minimum", "exclusiveMinimum") if key in written]
    high = [(written[key], int(key != "maximum")) for key in ("maximum", "exclusiveMaximum") if key in written]
    if low:
        value, excluded = max(low)
        found["least"] = (math.floor(value) + 1 if excluded else math.ceil(value), 0) if whole else (value, excluded)
    if high:
        value, excluded = min(high, key=lambda bound: (bound[0], -bound[1]))
        found["most"] = (math.ceil(value) - 1 if excluded else math.floor(value), 0) if whole else (value, excluded)
    if "multipleOf" in written:
        found["multipleOf"] = frozenset([written["multipleOf"]])
    return found


def model(schema: Schema) -> str | None:
    """The name after which the generator calls the object's class; None where the schema makes no class of its own."""
    written = schema.written
    if "$ref" in written or not written.keys() & {"additionalProperties", "allOf", "properties", "type"}:
        return None
    if "title" in written:
        return str(written["title"])
    head, _, name = schema.place.rpartition("/")
    return name if head == "components/schemas" else "(an object written in place)"


def conjunction(one: Shape, other: Shape) -> Shape:
    """What both accept."""
    shared = [kind for kind in KINDS if kind in one.kinds and kind in other.kinds]
    return Shape({kind: joined(one.kinds[kind], other.kinds[kind]) for kind in shared}, one.rules | other.rules)


def joined(one: Limits, other: Limits) -> Limits:
    """Both limits of one kind at once."""
    found = {**one, **other}
    for key in one.keys() & other.keys():
        a, b = one[key], other[key]
        if key.startswith("min") or key == "least":
            found[key] = max(a, b)
        elif key == "most":
            found[key] = min(a, b, key=lambda bound: (bound[0], -bound[1]))
        elif key.startswith("max"):
            found[key] = min(a, b)
        elif key == "enum":
            found[key] = a & b
        elif key in ("items", "content", "additional"):
            found[key] = both(a, b)
        elif key == "properties":
            found[key] = {
                name: both(a.get(name, one["additional"]), b.get(name, other["additional"])) for name in [*a, *b]
            }
        else:  # the name of a class, or rules that all hold
            found[key] = (a or b) if key == "model" else a | b
    return found


def both(one: Schema, other: Schema) -> Schema:
    if one.written is True or one.place == other.place:
        return other
    if other.written is True:
        return one
    parts = {part.place: part for schema in (one, other) for part in (schema.parts or (schema,))}
    return Schema(one.document, None, " & ".join(sorted(parts)), tuple(parts[place] for place in sorted(parts)))


def union(schema: Schema, keyword: str, seen: frozenset[str]) -> Shape:
    """What at least one branch accepts; branches of the same kind that differ make the union a rule.

    Rules of branches become rules of the union: they are taken to be about the kinds of their branch.
    """
    branches = [schema.inner(keyword, index) for index in range(len(schema.written[keyword]))]
    branches = [branch for branch in branches if not isinstance(branch.written, dict) or
                branch.written.get("$ref") not in seen]  # fmt: skip
    shapes = [branch.shape(seen) for branch in branches]
    kinds: dict[str, Limits] = {}
    mixed = False
    for shape in shapes:
        for kind, found in shape.kinds.items():
            mixed |= kind in kinds and (kinds[kind] != found or keyword == "oneOf")
            kinds[kind] = found
    if not mixed:
        return Shape(kinds, frozenset(rule for shape in shapes for rule in shape.rules))
    rule = Rule(keyword, frozenset(branch.canonical() for branch in branches))
    return Shape({kind: {} for kind in kinds}, frozenset([rule]))


def expanded(document: Mapping[str, Any], value: Any, stack: tuple[str, ...] = (), *, named: bool = False) -> Any:
    """The value without texts and with references replaced by what they name; where one repeats, by how far up."""
    if isinstance(value, list):
        return [expanded(document, item, stack) for item in value]
    if not isinstance(value, dict):
        return value
    if named:
        return {name: expanded(document, item, stack) for name, item in value.items()}
    found = {
        key: expanded(document, item, stack, named=key in NAMED)
        for key, item in value.items()
        if key != "$ref" and not is_text(key)
    }
    for key in UNORDERED & found.keys():
        if isinstance(found[key], list):  # of a parameter, `required` is no list
            found[key] = sorted(found[key], key=json.dumps)
    if isinstance(reference := value.get("$ref"), str):
        if reference in stack:
            return found | {"$ref": len(stack) - stack.index(reference)}
        inner = expanded(document, find(document, reference), (*stack, reference))
        return found | {"$ref": inner} if found else inner
    return found
