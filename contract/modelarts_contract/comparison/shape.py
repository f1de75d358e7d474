"""What schemas accept: kinds of values, and for each kind the cases of which a value must meet one.

Keywords of JSON Schema concern one kind of value each, and several schemas can hold together: those behind references,
beside them and in `allOf`. A case is one table of keywords for all of them, with the tightest bounds, and a union has a
case for each of its branches: the same meaning gives the same cases, however it is written. Rules that cannot be
written so, such as `if`, stay as they are: a case has one more or one less of them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from modelarts_documents.keys import inner
from modelarts_documents.schema import find

__all__ = ["KINDS", "Case", "Document", "Schemas", "Shape", "Together", "canonical", "is_text", "within"]

KINDS = ("boolean", "fraction", "integer", "string", "array", "object", "null")  # integer and fraction: number
ANY = frozenset(KINDS)
NUMBERS = frozenset({"integer", "fraction"})
PYTHON_TYPES = {"boolean": bool, "integer": int, "string": str, "array": list, "object": dict}
PROSE = frozenset(["$comment", "description", "example", "examples", "externalDocs", "links", "summary"])
TEXTS = PROSE | {"default", "deprecated", "readOnly", "title", "writeOnly"}
KEYWORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(NUMBERS, ("minimum", "maximum", "format", "multipleOf")),
    "string": ("minLength", "maxLength", "format", "pattern", "contentEncoding", "contentMediaType"),
    "array": ("minItems", "maxItems", "uniqueItems"),
    "object": ("minProperties", "maxProperties"),
}
TRIVIAL = {"format": "password", "uniqueItems": False, "minLength": 0, "minItems": 0, "minProperties": 0}
# Read in places of their own, or without a meaning for values.
READ = frozenset(
    ["$anchor", "$defs", "$id", "$ref", "$schema", "additionalProperties", "allOf", "anyOf", "const", "contentSchema",
     "definitions", "discriminator", "else", "enum", "items", "oneOf", "properties", "required", "then", "type"]
)  # fmt: skip
RULES = {  # the kinds of values that rules concern, if not all
    **dict.fromkeys(("contains", "maxContains", "minContains", "prefixItems", "unevaluatedItems"), "array"),
    **dict.fromkeys(
        ("dependentRequired", "dependentSchemas", "patternProperties", "propertyNames", "unevaluatedProperties"),
        "object",
    ),
}
INSIDE = {"array": "items", "object": "additionalProperties", "string": "contentSchema"}
MODEL_KEYS = {"additionalProperties", "properties", "type"}
WAYS = {"$ref", "allOf", "anyOf", "discriminator", "oneOf"}  # to other schemas
MOST_WAYS = 500  # through several unions that hold together

Document = Mapping[str, Any]
Together = tuple[Any, ...]  # schemas that all hold; none accept everything


def is_text(key: str) -> bool:
    """Whether the keyword says nothing about what is sent: texts, and keys of ours, which `notes` compares."""
    return key in TEXTS or key.startswith("x-")


def canonical(value: Any) -> str:
    """The same text for values that are the same in JSON: `1` and `1.0`, members in any order."""

    def plain(each: Any) -> Any:
        if isinstance(each, dict):
            return {key: plain(inside) for key, inside in each.items()}
        if isinstance(each, list):
            return [plain(inside) for inside in each]
        return int(each) if isinstance(each, float) and each.is_integer() else each

    return json.dumps(plain(value), sort_keys=True, ensure_ascii=False)


def kind_of(value: Any) -> str:
    if value is None:
        return "null"
    found = next((kind for kind, type_ in PYTHON_TYPES.items() if isinstance(value, type_)), None)
    return found or ("integer" if float(value).is_integer() else "fraction")


@dataclass(frozen=True, eq=False)
class Case:
    """The kinds of values that are accepted, and what limits each; what is missing does not limit."""

    kinds: frozenset[str] = ANY
    limits: Mapping[str, Any] = field(default_factory=dict)  # of bounds, the greater tuple is the stricter
    enum: Mapping[str, frozenset[str]] | None = None  # by kind
    properties: Mapping[str, Together] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    inside: Mapping[str, Together] = field(default_factory=dict)  # by kind: of members and entries without a name
    rules: tuple[tuple[str, Any], ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)  # texts and keys of ours
    component: str = ""
    model: str = ""  # the class that the client has for it
    source: Together = ()  # the branch of a union, if nothing else is part of the case

    def limits_of(self, kind: str) -> dict[str, Any]:
        """The limits that concern values of the kind."""
        found = {key: self.limits[key] for key in KEYWORDS.get(kind, ()) if key in self.limits}
        if kind == "integer":  # above 0 is at least 1
            for key in ("minimum", "maximum"):
                if key in found:
                    bound, is_exclusive = found[key]
                    found[key] = (math.floor(bound) + 1 if is_exclusive else math.ceil(bound), False)
        values = self.enum.get(kind, frozenset()) if self.enum is not None else None
        if values is not None and kind != "null" and not (kind == "boolean" and len(values) > 1):
            found["enum"] = values
        return found

    def rules_of(self, kind: str) -> list[tuple[str, Any]]:
        return [rule for rule in self.rules if RULES.get(rule[0], kind) == kind]

    def looks(self, kind: str) -> Any:
        """What it says about values of the kind, but for what is within them."""
        words = [keyword for keyword, _ in self.rules_of(kind)]
        names = (self.properties.keys(), self.required) if kind == "object" else ()
        return self.limits_of(kind), words, names

    def is_flat(self, kind: str) -> bool:
        """Whether its limits say all about values of the kind."""
        is_open = not self.rules_of(kind) and not self.inside.get(kind)
        return is_open and not (kind == "object" and (self.required or self.properties))


@dataclass(frozen=True, eq=False)
class Shape:
    """The cases of a schema; `base` is what all branches of its unions share."""

    cases: tuple[Case, ...]
    base: Case
    unions: tuple[str, ...] = ()  # the keywords
    discriminator: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset[str]().union(*(case.kinds for case in self.cases))

    @property
    def types(self) -> str:
        """The kinds as the keyword `type` would list them."""
        names = [kind for kind in ("boolean", "integer", *KINDS[1:]) if kind in self.kinds]
        if self.kinds == ANY or not names:
            return "any" if names else "nothing"
        names = [name for name in dict.fromkeys(names) if name != "integer" or "fraction" not in names]
        return "|".join("number" if name == "fraction" else name for name in names)

    def of(self, kind: str) -> list[Case]:
        """The cases for values of the kind; one that accepts all of them leaves no others."""
        found: list[Case] = []
        values: list[Case] = []
        known = set[frozenset[tuple[str, Any]]]()
        for case in (each for each in self.cases if kind in each.kinds):
            limits = case.limits_of(kind)
            if not case.is_flat(kind):
                found.append(case)
            elif not limits:
                return [case]
            elif limits.keys() == {"enum"}:
                values.append(case)
            elif (key := frozenset(limits.items())) not in known:
                known.add(key)
                found.append(case)
        if values:
            enum = frozenset[str]().union(*(each.limits_of(kind)["enum"] for each in values))
            found.append(replace(values[0], enum={kind: enum}))
        return found

    def tags(self, case: Case) -> frozenset[str]:
        """The values by which the discriminator names the branch."""
        if not self.discriminator or not case.component:
            return frozenset()
        mapping = self.discriminator.get("mapping") or {}
        found = {value for value, target in mapping.items() if str(target).rpartition("/")[2] == case.component}
        return frozenset(found or {case.component})


@dataclass
class Way:
    """A way through the unions of a schema: the schemas that hold on it, and the unions that it has not passed yet."""

    parts: list[Mapping[str, Any]]
    unions: list[tuple[str, list[Any]]]
    ways: int = 1
    component: str = ""
    title: str = ""
    discriminator: Mapping[str, Any] = field(default_factory=dict)
    source: Together = ()


class Schemas:
    """Reads the schemas of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._components = {
            id(schema): name for name, schema in document.get("components", {}).get("schemas", {}).items()
        }
        self._shapes: dict[tuple[int, ...], Shape] = {}
        self._cases: dict[tuple[Any, ...], Case] = {}
        self._digests: dict[tuple[tuple[int, ...], int], int] = {}

    def target(self, written: Any) -> Any:
        """The schema behind references with nothing but texts beside them."""
        seen = set[int]()
        while isinstance(written, dict) and "$ref" in written and not written.keys() - PROSE - {"$ref"}:
            if id(written) in seen:
                return True  # it says nothing but that it is itself
            seen.add(id(written))
            written = find(self.document, written["$ref"])
        return written

    def together(self, *written: Any) -> Together:
        """The schemas as a key: each once, behind references, without those that accept everything."""
        found = {id(each): each for each in map(self.target, written) if each is not True and each != {}}
        return (False,) if any(each is False for each in found.values()) else tuple(found.values())

    def shape(self, schemas: Together) -> Shape:
        """What the schemas accept that hold together."""
        key = tuple(map(id, schemas))
        if key not in self._shapes:
            self._shapes[key] = self._shape(schemas)
        return self._shapes[key]

    def _shape(self, schemas: Together) -> Shape:
        ahead, cases, tried = [self._pass(Way([], []), schemas)], [], set[tuple[int, ...]]()
        start = ahead[0]
        if start is None:
            return Shape((), Case(frozenset()))
        while ahead:
            way = ahead.pop()
            if way is None:
                continue
            if not way.unions or 1 < way.ways > MOST_WAYS / len(way.unions[0][1]):
                cases.append(self._case(way))
                continue
            (_, branches), *rest = way.unions
            for branch in reversed(branches):
                # What was tried with the same schemas has the same cases, so a union within itself ends.
                held = sorted(map(id, way.parts))
                key = (id(self.target(branch)), *held, -1, *(id(union) for _, union in rest))
                if key not in tried:
                    tried.add(key)
                    further = replace(way, parts=[*way.parts], unions=rest, title="")
                    further.ways *= len(branches) if rest else 1
                    further.source = () if way.parts or rest else self.together(branch)
                    ahead.append(self._pass(further, [branch]))
        words = tuple(dict.fromkeys(word for word, _ in start.unions))
        base = self._case(replace(start, unions=[]))
        return Shape(tuple(case for case in cases if case.kinds), base, words, start.discriminator)

    def _pass(self, way: Way, schemas: Iterable[Any]) -> Way | None:
        """Let the schemas hold on the way, with what they refer to and their `allOf`; None if nothing can."""
        ahead, seen = [(schema, True) for schema in schemas], set[int]()
        way.component = ""
        while ahead:
            written, is_named = ahead.pop()
            schema = self.target(written)
            if schema is False:
                return None
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen.add(id(schema))
            if schema.keys() - WAYS and all(schema is not part for part in way.parts):
                way.parts.append(schema)
            if is_named:
                way.component = self._components.get(id(schema), way.component)
                way.title = way.title or str(schema.get("title", ""))
            way.discriminator = schema.get("discriminator", way.discriminator)
            way.unions = [*way.unions, *((word, schema[word]) for word in ("anyOf", "oneOf") if schema.get(word))]
            branches = schema.get("allOf", ())
            ahead += ((branch, is_named and len(branches) == 1 and not way.component) for branch in reversed(branches))
            if "$ref" in schema:
                ahead.append((find(self.document, schema["$ref"]), is_named))
        return way

    def _case(self, way: Way) -> Case:
        """One table of what all schemas on the way say."""
        key = (
            *map(id, way.parts),
            *(id(branches) for _, branches in way.unions),
            way.component,
            way.title,
            bool(way.source),
        )
        if key not in self._cases:
            self._cases[key] = self._table(way)
        return self._cases[key]

    def _table(self, way: Way) -> Case:
        kinds, limits, enum = ANY, dict[str, Any](), None
        rules: list[tuple[str, Any]] = [(word, branches) for word, branches in way.unions]
        notes: dict[str, Any] = {}
        for part in way.parts:
            kinds &= kinds_of(part)
            for key, value in part.items():
                if is_text(key):
                    notes.setdefault(key, value)
                elif key == "if":
                    rules.append((key, {word: part[word] for word in ("if", "then", "else") if word in part}))
                elif key in ("enum", "const"):
                    enum = intersection(enum, value if key == "enum" else [value])
                elif key not in READ and TRIVIAL.get(key, ...) != value and not narrow(limits, key, value):
                    rules.append((key, value))
        if (divisor := limits.get("multipleOf")) is not None and divisor.denominator == 1:
            kinds -= {"fraction"}
            if divisor == 1:
                del limits["multipleOf"]
        if enum is not None:
            kinds &= frozenset(enum)
        is_model = "object" in kinds and any(part.keys() & MODEL_KEYS for part in way.parts)
        names = dict.fromkeys(name for part in way.parts for name in part.get("properties", ()))
        return Case(
            kinds,
            limits,
            enum,
            {name: self.together(*(each for part in way.parts for each in member(part, name))) for name in names},
            frozenset(name for part in way.parts for name in part.get("required", ())),
            {kind: self.together(*(part[key] for part in way.parts if key in part)) for kind, key in INSIDE.items()},
            tuple(rules),
            notes,
            way.component,
            (way.title or way.component or "(an object written in place)") if is_model else "",
            way.source,
        )

    def constants(self, case: Case) -> frozenset[tuple[str, frozenset[str]]]:
        """The members that have one value only."""
        shapes = ((name, self.shape(inside)) for name, inside in case.properties.items())
        values = ((name, shape.cases[0].enum) for name, shape in shapes if len(shape.cases) == 1)
        found = ((name, frozenset[str]().union(*enum.values())) for name, enum in values if enum)
        return frozenset((name, texts) for name, texts in found if len(texts) == 1)

    def digest(self, schemas: Together, depth: int) -> int:
        """The same number for schemas that look the same down to a depth."""
        key = tuple(map(id, schemas)), depth
        if key not in self._digests:
            shape = self.shape(schemas)
            cases = (
                (kind, frozenset(self.features(case, kind, depth)))
                for kind in shape.kinds
                for case in (shape.of(kind) if depth else ())
            )
            self._digests[key] = hash((shape.kinds, frozenset(cases)))
        return self._digests[key]

    def features(self, case: Case, kind: str, depth: int) -> Iterator[Any]:
        """What cases have in common that are alike."""
        for key, limit in case.limits_of(kind).items():
            yield from (key, (key, limit))
        yield from (("rule", keyword) for keyword, _ in case.rules_of(kind))
        if kind == "object":
            yield from (("required", name) for name in case.required)
            yield from case.properties
            yield from ((name, self.digest(each, depth - 1)) for name, each in case.properties.items())
        if inside := case.inside.get(kind):
            yield self.digest(inside, depth - 1)


def within(keyword: str, value: Any) -> dict[str, Any]:
    """The schemas of a rule by the names that it gives them; none if it is not made of schemas."""
    kind = inner("schemas", keyword)
    if kind == "[schemas]":
        return {str(number): each for number, each in enumerate(value)}
    return dict(value) if keyword == "if" or kind == "{schemas}" else {"": value} if kind == "schemas" else {}


def kinds_of(part: Mapping[str, Any]) -> frozenset[str]:
    listed = part.get("type", ANY)
    kinds = frozenset([listed] if isinstance(listed, str) else listed)
    return (kinds - {"number"}) | NUMBERS if "number" in kinds else kinds


def intersection(known: Mapping[str, frozenset[str]] | None, values: Iterable[Any]) -> dict[str, frozenset[str]]:
    """The values by kind, without those that are not known."""
    found: dict[str, set[str]] = {}
    for value in values:
        kind, text = kind_of(value), canonical(value)
        if known is None or text in known.get(kind, ()):
            found.setdefault(kind, set()).add(text)
    return {kind: frozenset(texts) for kind, texts in found.items()}


def narrow(limits: dict[str, Any], key: str, value: Any) -> bool:
    """Let the limit hold besides those that are known; False if it is no limit."""
    known = limits.get(key.replace("exclusiveM", "m"))
    if key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        is_exclusive, sign = key.startswith("exclusive"), -1 if key.endswith("aximum") else 1
        limits[key.replace("exclusiveM", "m")] = max(known or (-math.inf, False), (sign * value, is_exclusive))
    elif key.startswith("max") and key in ("maxLength", "maxItems", "maxProperties"):
        limits[key] = max(known or (-math.inf,), (-value,))
    elif key in ("minLength", "minItems", "minProperties"):
        limits[key] = max(known or (-math.inf,), (value,))
    elif key == "multipleOf":
        limits[key] = common_multiple(known, Fraction(str(value)))
    elif key == "uniqueItems":
        limits[key] = True
    elif key in ("contentEncoding", "contentMediaType", "format", "pattern"):
        limits[key] = (known or frozenset()) | {str(value)}
    else:
        return False
    return True


def common_multiple(one: Fraction | None, other: Fraction) -> Fraction:
    if one is None:
        return other
    return Fraction(
        math.lcm(one.numerator * other.denominator, other.numerator * one.denominator),
        one.denominator * other.denominator,
    )


def member(part: Mapping[str, Any], name: str) -> Iterator[Any]:
    """The schemas of one schema for a member."""
    named = [part["properties"][name]] if name in part.get("properties", ()) else []
    named += [inside for pattern, inside in part.get("patternProperties", {}).items() if matches(pattern, name)]
    yield from named or [part[key] for key in ("additionalProperties",) if key in part]


def matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:  # of a dialect that Python does not have
        return False
