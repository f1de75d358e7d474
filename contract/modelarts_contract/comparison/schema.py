"""What schemas accept, and how two of them differ from the point of view of a client.

Keywords of JSON Schema concern one kind of value each, so a union of different kinds, such as `anyOf: [X, null]`, and a
conjunction (`allOf`) can be written as one table by kind: the same meaning gives the same table, however it is written.
Rules that cannot be written so, such as `if`, stay as they are: a schema may have one more or one less of them.

A client sends what the schema of a request accepts, so a request breaks it where less is accepted than before.
A client reads what the schema of a response accepts, so a response breaks it where more is, with two exceptions: new
members, and members beyond those described, because the generated client keeps what it does not know.
A field that is removed breaks in both directions: code that names it fails.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, TypeGuard

from .change import Change
from .notes import compare_notes

__all__ = ["Comparison", "Schemas", "expanded", "find", "is_text"]

KINDS = ("boolean", "integer", "fraction", "string", "array", "object", "null")  # integer and fraction: number
OF_TYPE = {**{kind: [kind] for kind in KINDS}, "number": ["integer", "fraction"]}
PYTHON_TYPES = {"boolean": bool, "integer": int, "string": str, "array": list, "object": dict}
TEXTS = frozenset(
    ["$comment", "default", "deprecated", "description", "example", "examples", "externalDocs", "links", "summary",
     "title"]
)  # fmt: skip
NAMED = frozenset(["$defs", "dependentRequired", "dependentSchemas", "patternProperties", "properties"])
UNORDERED = frozenset(["allOf", "anyOf", "enum", "oneOf", "required"])
# Bounds by kind; the stricter of two is the greater one, if those with -1 change their sign.
BOUNDS: dict[str, dict[str, int]] = {
    "integer": {"minimum": 1, "maximum": -1},
    "fraction": {"minimum": 1, "maximum": -1},
    "string": {"minLength": 1, "maxLength": -1},
    "array": {"minItems": 1, "maxItems": -1},
    "object": {"minProperties": 1, "maxProperties": -1},
}
SIGNS = {name: sign for names in BOUNDS.values() for name, sign in names.items()}
EXCLUSIVE = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
# Rules of which several can hold, by kind.
RULES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("integer", "fraction"), ("format", "multipleOf")),
    "string": ("format", "pattern", "contentEncoding", "contentMediaType"),
    "array": ("uniqueItems",),
}
INNER = {"array": {"items": "items"}, "string": {"content": "contentSchema"},
         "object": {"additional": "additionalProperties"}}  # fmt: skip
UNDERSTOOD = TEXTS | SIGNS.keys() | set(EXCLUSIVE.values()) | {key for keys in RULES.values() for key in keys} | {
    "$ref", "additionalProperties", "allOf", "anyOf", "const", "contentSchema", "else", "enum", "items", "oneOf",
    "properties", "required", "then", "type",
}  # fmt: skip
# Keywords with which a schema accepts less than without, whatever else it says.
NARROWING = frozenset(["anyOf", "contains", "dependentRequired", "dependentSchemas", "if", "not", "oneOf",
                       "propertyNames"])  # fmt: skip
NESTED = {"additional", "content", "items", "model", "properties", "required"}  # compared one by one
MODEL_KEYS = {"additionalProperties", "allOf", "properties", "type"}

Document = Mapping[str, Any]
Limits = dict[str, Any]  # of one kind of value; keys that are missing do not limit
Rule = tuple[str, frozenset[str]]  # a keyword, with the canonical text of what it says, or of each branch of a union
Seen = frozenset[str]  # references that were followed


def is_text(key: str) -> bool:
    """Whether the keyword says nothing about what is sent: texts, and keys of ours, which `notes` compares."""
    return key in TEXTS or key.startswith("x-")


def find(document: Document, reference: str) -> Any:
    """What a local reference names; `LookupError` if nothing."""
    found: Any = document
    for step in reference.removeprefix("#/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            raise LookupError(reference.removeprefix("#/"))
        found = found[name]
    return found


def expanded(document: Document, value: Any, stack: tuple[str, ...] = (), *, named: bool = False) -> Any:
    """The value without texts and with references replaced by what they name; where one repeats, by how far up."""
    if isinstance(value, list):
        return [expanded(document, item, stack) for item in value]
    if not isinstance(value, dict):
        return value
    found = {
        key: expanded(document, item, stack, named=key in NAMED and not named)
        for key, item in value.items()
        if named or (key != "$ref" and not is_text(key))
    }
    for key in UNORDERED & found.keys():
        if isinstance(found[key], list) and not named:
            found[key] = sorted(found[key], key=json.dumps)
    if named or not isinstance(reference := value.get("$ref"), str):
        return found
    if reference in stack:
        return found | {"$ref": len(stack) - stack.index(reference)}
    inner = expanded(document, find(document, reference), (*stack, reference))
    return found | {"$ref": inner} if found else inner


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
class Schemas:
    """Reads the schemas of a document."""

    document: Document

    def canonical(self, written: Any) -> str:
        """The same text for schemas that differ in nothing but texts and names of components."""
        return json.dumps(expanded(self.document, written), sort_keys=True)

    def origin(self, written: Any) -> str:
        """The text of the schema, where this one does nothing but name it."""
        seen: set[str] = set()
        while isinstance(written, dict) and {key for key in written if not is_text(key)} == {"$ref"}:
            if not is_new(written["$ref"], seen):
                break
            seen.add(written["$ref"])
            written = find(self.document, written["$ref"])
        return json.dumps(written)

    def notes(self, written: Any, seen: Seen = frozenset()) -> dict[str, Any]:
        """The keys that are texts, or ours; those beside a reference before those behind it."""
        if not isinstance(written, dict):
            return {}
        found: dict[str, Any] = {}
        if is_new(reference := written.get("$ref"), seen):
            found |= self.notes(find(self.document, reference), seen | {reference})
        for part in written.get("allOf", ()):
            found |= self.notes(part, seen)
        return found | {key: value for key, value in written.items() if is_text(key)}

    def shape(self, written: Any, seen: Seen = frozenset(), name: str = "(an object written in place)") -> Shape:
        """What the schema accepts; `seen` holds the references that led here, `name` is that of its component."""
        if not isinstance(written, dict):
            return Shape({} if written is False else {kind: {} for kind in KINDS})
        shapes = [self.own(written, name)]
        if is_new(reference := written.get("$ref"), seen):
            target, known = find(self.document, reference), seen | {reference}
            shapes.append(self.shape(target, known, reference.removeprefix("#/components/schemas/")))
        shapes += [self.shape(part, seen) for part in written.get("allOf", ())]
        shapes += [self.union(written[word], word, seen) for word in ("anyOf", "oneOf") if word in written]
        return reduce(conjunction, shapes)

    def own(self, written: Mapping[str, Any], name: str) -> Shape:
        """The shape that the keywords of the schema itself make, without references and combinations."""
        listed = written.get("type", list(KINDS))
        kinds = {kind for each in ([listed] if isinstance(listed, str) else listed) for kind in OF_TYPE[each]}
        values: dict[str, set[str]] = {}
        for value in written.get("enum", [written["const"]] if "const" in written else []):
            values.setdefault(kind_of(value), set()).add(json.dumps(value, sort_keys=True, ensure_ascii=False))
        if values:
            kinds &= set(values)
        found = {kind: limits(written, kind) for kind in KINDS if kind in kinds}
        for kind in values.keys() & found.keys() - {"null"}:
            found[kind]["enum"] = frozenset(values[kind])
        if "object" in found and "$ref" not in written and written.keys() & MODEL_KEYS:
            found["object"]["model"] = str(written.get("title", name))
        strange = [key for key in written if key not in UNDERSTOOD and not is_text(key)]
        return Shape(found, frozenset((key, frozenset([self.rule(written, key)])) for key in strange))

    def rule(self, written: Mapping[str, Any], key: str) -> str:
        beside = ("if", "then", "else") if key == "if" else (key,)
        return self.canonical({word: written[word] for word in beside if word in written})

    def union(self, written: list[Any], keyword: str, seen: Seen) -> Shape:
        """What at least one branch accepts; branches of the same kind that differ make the union a rule.

        Rules of branches become rules of the union: they are taken to be about the kinds of their branch.
        """
        branches = [each for each in written if not isinstance(each, dict) or each.get("$ref") not in seen]
        shapes = [self.shape(branch, seen) for branch in branches]
        kinds: dict[str, Limits] = {}
        mixed = False
        for shape in shapes:
            for kind, found in shape.kinds.items():
                mixed |= kind in kinds and (kinds[kind] != found or keyword == "oneOf")
                kinds[kind] = found
        if not mixed:
            return Shape(kinds, frozenset(rule for shape in shapes for rule in shape.rules))
        rule = (keyword, frozenset(self.canonical(branch) for branch in branches))
        return Shape({kind: {} for kind in kinds}, frozenset([rule]))


def is_new(reference: Any, seen: Set[str]) -> TypeGuard[str]:
    """Whether it is a reference that can be followed and was not; of text that was expanded, one can be a number."""
    return isinstance(reference, str) and reference not in seen


def kind_of(value: Any) -> str:
    if value is None:
        return "null"
    found = next((kind for kind, type_ in PYTHON_TYPES.items() if isinstance(value, type_)), None)
    return found or ("integer" if float(value).is_integer() else "fraction")


def limits(written: Mapping[str, Any], kind: str) -> Limits:
    """The limits of the schema for one kind of value."""
    found: Limits = {}
    for key, sign in BOUNDS.get(kind, {}).items():
        bounds = [(sign * written[key], 0)] if key in written else []
        if (other := EXCLUSIVE.get(key, "")) in written:
            bounds.append((sign * written[other] + 1, 0) if kind == "integer" else (sign * written[other], 1))
        if bounds and (max(bounds) > (0, 0) or key not in ("minLength", "minItems", "minProperties")):
            found[key] = max(bounds)
    for key in RULES.get(kind, ()):
        if written.get(key) and written[key] != "password":
            found[key] = frozenset([written[key]])
    found |= {key: written.get(word, True) for key, word in INNER.get(kind, {}).items()}
    if kind == "object":
        found |= {"properties": written.get("properties", {}), "required": frozenset(written.get("required", ()))}
    return found


def conjunction(one: Shape, other: Shape) -> Shape:
    """What both accept."""
    shared = [kind for kind in KINDS if kind in one.kinds and kind in other.kinds]
    return Shape({kind: joined(one.kinds[kind], other.kinds[kind]) for kind in shared}, one.rules | other.rules)


def joined(one: Limits, other: Limits) -> Limits:
    """Both limits of one kind at once."""
    found = {**one, **other}
    for key in one.keys() & other.keys():
        a, b = one[key], other[key]
        if key in SIGNS:
            found[key] = max(a, b)
        elif key in ("items", "content", "additional"):
            found[key] = both(a, b)
        elif key == "properties":
            found[key] = {
                name: both(a.get(name, one["additional"]), b.get(name, other["additional"])) for name in [*a, *b]
            }
        else:
            found[key] = a if key == "model" else a & b if key == "enum" else a | b
    return found


def both(one: Any, other: Any) -> Any:
    """A schema that accepts what both accept."""
    if one is True or one == other:
        return other
    return one if other is True else {"allOf": [one, other]}


@dataclass
class Comparison:
    """The comparisons of two documents' schemas, those of requests or those of responses.

    `models` collects classes that got another name, (old, new), with the first place where that was seen.
    """

    old: Schemas
    new: Schemas
    is_request: bool
    models: dict[tuple[str, str | None], str] = field(default_factory=dict)
    active: list[tuple[str, str]] = field(default_factory=list)

    def compare(self, old: Any, new: Any, place: str = "") -> Iterator[Change]:
        """Differences, outer places first; a pair that is being compared already, further out, is passed over."""
        notes = compare_notes(self.old.notes(old), self.new.notes(new), is_request=self.is_request)
        yield from (replace(change, place=place) for change in notes)
        pair = (self.old.origin(old), self.new.origin(new))
        if pair not in self.active:
            self.active.append(pair)
            yield from self.compare_shapes(self.old.shape(old), self.new.shape(new), place)
            self.active.remove(pair)

    def compare_shapes(self, old: Shape, new: Shape, place: str) -> Iterator[Change]:
        if old.rules != new.rules:
            yield from self.compare_rules(old.rules - new.rules, new.rules - old.rules, place)
        lost, gained = old.kinds.keys() - new.kinds, new.kinds.keys() - old.kinds
        if lost or gained:
            yield self.judged(place, f"type {old.types} -> {new.types}", narrower=lost, wider=gained)
        for kind in old.kinds:
            if kind in new.kinds and not (kind == "integer" and "fraction" in old.kinds.keys() & new.kinds):
                yield from self.compare_limits(old.kinds[kind], new.kinds[kind], place)

    def judged(self, place: str, what: str, *, narrower: object, wider: object) -> Change:
        """Breaking or not, by whether the new schema accepts less (`narrower`), more (`wider`) or both."""
        return Change(place, what, bool(narrower if self.is_request else wider))

    def compare_rules(self, lost: frozenset[Rule], gained: frozenset[Rule], place: str) -> Iterator[Change]:
        """One rule more is narrower, one less is wider; of an `anyOf`, alternatives can come, go and change."""
        words = {word for word, _ in lost | gained}
        said = ", ".join(f"`{word}`" for word in sorted(words))
        if not (lost and gained) and words <= NARROWING:
            what = f"a rule is {'gone' if lost else 'new'}: {said}"
            yield self.judged(place, what, narrower=gained, wider=lost)
            return
        if words == {"anyOf"} and len(lost) == len(gained) == 1:
            [(_, before)], [(_, after)] = lost, gained
            removed, added = sorted(before - after), sorted(after - before)
            if not (removed and added):
                what = f"{len(removed or added)} alternatives {'removed' if removed else 'added'}"
                yield self.judged(place, what, narrower=removed, wider=added)
                return
            if len(removed) == len(added):
                for one, other in zip(removed, added, strict=True):
                    yield from self.compare(json.loads(one), json.loads(other), place)
                return
        yield Change(place, f"changed beyond comparison: {said}", breaking=True)

    def compare_limits(self, old: Limits, new: Limits, place: str) -> Iterator[Change]:
        """Two tables for one kind of value."""
        for key in sorted((old.keys() | new.keys()) - NESTED):
            before, after = old.get(key), new.get(key)
            if before != after:
                what, narrower, wider = verdict(key, before, after)
                yield self.judged(place, what, narrower=narrower, wider=wider)
        for key, suffix in (("items", "[]"), ("content", " (its content)")):
            if key in old or key in new:
                yield from self.compare(old.get(key, True), new.get(key, True), f"{place}{suffix}".strip())
        if "properties" in old or "properties" in new:
            if old.get("model") is not None and old["model"] != new.get("model"):
                self.models.setdefault((old["model"], new.get("model")), place)
            yield from self.compare_members(old, new, place)
            yield from self.compare_others(old.get("additional", True), new.get("additional", True), place)

    def compare_members(self, old: Limits, new: Limits, place: str) -> Iterator[Change]:
        before, after = old.get("properties", {}), new.get("properties", {})
        must, must_now = old.get("required", frozenset()), new.get("required", frozenset())
        others = old.get("additional", True)
        for name in sorted(before.keys() | after.keys() | must | must_now):
            where = f"{place}.{name}" if place else name
            if name in before and name not in after:
                yield Change(where, "removed", breaking=True)
            elif name in after and name not in before:
                mandatory = name in must_now and self.is_request
                yield Change(where, "new and mandatory" if mandatory else "new", mandatory)
                if others is not True and self.old.shape(others).kinds:  # a map: the name could be used before
                    yield from self.compare(others, after[name], where)
            else:
                if name in must ^ must_now:
                    what = "mandatory now" if name in must_now else "not mandatory any more"
                    yield self.judged(where, what, narrower=name in must_now, wider=name in must)
                if name in before:
                    yield from self.compare_presence(before[name], after[name], name in must, name in must_now, where)
                    yield from self.compare(before[name], after[name], where)

    def compare_presence(self, old: Any, new: Any, must: bool, must_now: bool, place: str) -> Iterator[Change]:
        """`x-always-present`: in the generated client, the type of a field that may be missing has None."""
        if self.is_request or ("x-always-present" in self.old.notes(old)) == (
            "x-always-present" in self.new.notes(new)
        ):
            return
        was_certain, is_certain_now = is_certain(self.old, old, must), is_certain(self.new, new, must_now)
        if was_certain and not is_certain_now:
            is_empty_instead = is_collection(self.old.shape(old))
            what = "empty in the client then" if is_empty_instead else "the type has None now"
            yield Change(place, f"not always present any more: {what}", not is_empty_instead, "client")
        elif is_certain_now and not was_certain:
            yield Change(place, "always present now", breaking=False, reach="client")

    def compare_others(self, old: Any, new: Any, place: str) -> Iterator[Change]:
        """Members that are not described."""
        where = f"{place}.*" if place else "*"
        allowed, allowed_now = bool(self.old.shape(old).kinds), bool(self.new.shape(new).kinds)
        if allowed and allowed_now:
            yield from self.compare(old, new, where)
        elif allowed or allowed_now:
            what = f"other members are {'rejected' if allowed else 'accepted'} now"
            yield self.judged(where, what, narrower=allowed, wider=False)


def is_certain(schemas: Schemas, written: Any, is_required: bool) -> bool:
    """Whether the client's type of a field of a response has no None."""
    return "x-always-present" in schemas.notes(written) or (is_required and "null" not in schemas.shape(written).kinds)


def is_collection(shape: Shape) -> bool:
    """Whether the client makes an empty list or dict of a field that is missing."""
    found = shape.kinds.get("object", {})
    is_map = bool(not found.get("properties") and found.get("additional"))
    return shape.kinds.keys() - {"null"} == {"array"} or (shape.kinds.keys() - {"null"} == {"object"} and is_map)


def verdict(key: str, before: Any, after: Any) -> tuple[str, object, object]:
    """What changed in a limit; whether less is accepted now; whether more is."""
    if key in SIGNS:
        one, other = before or (-math.inf, 0), after or (-math.inf, 0)
        return f"{key} {bound_text(key, before)} -> {bound_text(key, after)}", other > one, other < one
    if key == "enum" and before and after:
        lost, gained = sorted(before - after), sorted(after - before)
        said = [f"{verb} {', '.join(values)}" for verb, values in (("removes", lost), ("adds", gained)) if values]
        return f"{key} {' and '.join(said)}", lost, gained
    none, glue = ("any", ", ") if key == "enum" else ("none", " and ")
    texts = [glue.join(sorted(map(str, values))) if values else none for values in (before, after)]
    # Of rules that all hold, such as patterns, one more is narrower, one less is wider, another is both.
    return f"{key} {texts[0]} -> {texts[1]}", set(after or ()) - set(before or ()), set(before or ()) - set(after or ())


def bound_text(key: str, bound: tuple[float, int] | None) -> str:
    return "none" if bound is None else f"{SIGNS[key] * bound[0]}{' (excluded)' * bound[1]}"
