"""What schemas accept, and how two of them differ from the point of view of a client.

Keywords of JSON Schema concern one kind of value each, so a schema with those behind its references, and a union of
different kinds, such as `anyOf: [X, null]`, can be written as one table of keywords: the same meaning gives the same
table, however it is written. Rules that cannot be written so, such as `if`, stay as they are: a schema has one more or
one less of them.

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
from typing import Any

from modelarts_contract.comparison.change import Change
from modelarts_contract.comparison.notes import compare_notes
from modelarts_contract.documents import find

__all__ = ["Comparison", "Schemas", "expanded", "is_text"]

KINDS = ("boolean", "integer", "fraction", "string", "array", "object", "null")  # integer and fraction: number
ANY = frozenset(KINDS)
PYTHON_TYPES = {"boolean": bool, "integer": int, "string": str, "array": list, "object": dict}
TEXTS = frozenset(
    ["$comment", "default", "deprecated", "description", "example", "examples", "externalDocs", "links", "readOnly",
     "summary", "title", "writeOnly"]
)  # fmt: skip
NAMED = frozenset(["$defs", "dependentRequired", "dependentSchemas", "patternProperties", "properties"])
UNORDERED = frozenset(["allOf", "anyOf", "enum", "oneOf", "required"])
NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "format", "multipleOf")
KEYWORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("integer", "fraction"), NUMERIC),
    "string": ("minLength", "maxLength", "format", "pattern", "contentEncoding", "contentMediaType", "contentSchema"),
    "array": ("minItems", "maxItems", "uniqueItems", "items"),
    "object": ("minProperties", "maxProperties", "additionalProperties", "properties", "required"),
}
NESTED = {"additionalProperties", "contentSchema", "items", "model", "properties", "required"}  # compared one by one
TRIVIAL = {"format": "password", "uniqueItems": False, "minLength": 0, "minItems": 0, "minProperties": 0}
UNDERSTOOD = {"$ref", "anyOf", "const", "else", "enum", "oneOf", "then", "type"}.union(*KEYWORDS.values())
# Keywords with which a schema accepts less than without, whatever else it says.
NARROWING = frozenset(["allOf", "anyOf", "contains", "dependentRequired", "dependentSchemas", "if", "not", "oneOf",
                       "propertyNames"])  # fmt: skip
MODEL_KEYS = {"additionalProperties", "properties", "type"}

Document = Mapping[str, Any]
Limits = dict[str, Any]  # by keyword; those that are missing do not limit
Rule = tuple[str, frozenset[str]]  # a keyword, with the canonical text of what it says, or of each branch of a union


def is_text(key: str) -> bool:
    """Whether the keyword says nothing about what is sent: texts, and keys of ours, which `notes` compares."""
    return key in TEXTS or key.startswith("x-")


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
    """The kinds of values that are accepted, the limits of each, and further rules."""

    kinds: frozenset[str] = ANY
    limits: Limits = field(default_factory=dict)
    rules: frozenset[Rule] = frozenset()

    @property
    def types(self) -> str:
        """The kinds as the keyword `type` would list them."""
        if self.kinds == ANY:
            return "any"
        names = [kind for kind in KINDS if kind in self.kinds]
        if "integer" in names and "fraction" in names:
            names.remove("integer")
        return "|".join("number" if name == "fraction" else name for name in names) or "nothing"

    def limits_of(self, kinds: Set[str]) -> Limits:
        """The limits that concern values of these kinds."""
        known = {key for kind in kinds for key in KEYWORDS.get(kind, ())}
        known |= {"model"} if "object" in kinds else set()
        known |= {"enum"} if kinds - {"null"} else set()
        return {key: limit for key, limit in self.limits.items() if key in known}


@dataclass(frozen=True)
class Schemas:
    """Reads the schemas of a document."""

    document: Document

    def canonical(self, written: Any) -> str:
        """The same text for schemas that differ in nothing but texts and names of components."""
        return json.dumps(expanded(self.document, written), sort_keys=True)

    def behind(self, written: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The schema with the keywords of those that it refers to, for which its own stand; and the references."""
        found, references = dict(written), []
        # Of text that was expanded, a reference can be a number.
        while isinstance(reference := found.pop("$ref", None), str) and reference not in references:
            references.append(reference)
            found = {**find(self.document, reference), **found}
        return self.merged(found, references)

    def merged(self, written: dict[str, Any], references: list[str]) -> tuple[dict[str, Any], list[str]]:
        """The schema with the keywords of its `allOf`, if no two of the branches limit the same thing."""
        whole = {key: value for key, value in written.items() if key != "allOf"}
        inner: list[str] = []
        for branch in written.get("allOf", ()):
            if not isinstance(branch, dict) or branch.get("$ref") in references:
                return written, references
            found, names = self.behind(branch)
            if "allOf" in found:  # which could not be merged
                return written, references
            for key, value in found.items():
                known = whole.get(key, value)
                if key == "required":
                    whole[key] = [*known, *(name for name in value if name not in known)]
                elif key == "properties" and all(known.get(name, value[name]) == value[name] for name in value):
                    whole[key] = {**value, **known}
                elif is_text(key):
                    whole[key] = known
                elif known != value:
                    return written, references
                else:
                    whole[key] = value
            inner += names
        return whole, references or (inner if len(written.get("allOf", ())) == 1 else [])

    def notes(self, written: Any) -> dict[str, Any]:
        """The keys that are texts, or ours."""
        found = self.behind(written)[0] if isinstance(written, dict) else {}
        return {key: value for key, value in found.items() if is_text(key)}

    def shape(self, written: Any, seen: Set[str] = frozenset()) -> Shape:
        """What the schema accepts; `seen` holds the references that led here."""
        if not isinstance(written, dict):
            return Shape(frozenset() if written is False else ANY)
        found, references = self.behind(written)
        shape = self.own(found, references[-1].rpartition("/")[2] if references else "(an object written in place)")
        for word in ("anyOf", "oneOf"):
            if word in found:
                union = self.union(found[word], word, {*seen, *references})
                limits = {**union.limits, **shape.limits}
                shape = Shape(shape.kinds & union.kinds, limits, shape.rules | union.rules)
        return shape

    def own(self, written: Mapping[str, Any], name: str) -> Shape:
        """The shape that the keywords of the schema itself make, without unions; `name` is that of its component."""
        listed = written.get("type", ANY)
        kinds = frozenset([listed] if isinstance(listed, str) else listed)
        if "number" in kinds:
            kinds = (kinds - {"number"}) | {"integer", "fraction"}
        limits = {key: value for key, value in written.items() if key not in TRIVIAL or TRIVIAL[key] != value}
        if "enum" in written or "const" in written:
            values = [value for value in written.get("enum", [written.get("const")]) if kind_of(value) in kinds]
            kinds = frozenset(map(kind_of, values))
            texts = (json.dumps(value, sort_keys=True, ensure_ascii=False) for value in values if value is not None)
            limits["enum"] = frozenset(texts)
        if "object" in kinds and written.keys() & MODEL_KEYS:
            limits["model"] = str(written.get("title", name))
        strange = [key for key in written if key not in UNDERSTOOD and not is_text(key)]
        rules = frozenset((key, frozenset([self.rule(written, key)])) for key in strange)
        return Shape(kinds, Shape(kinds, limits).limits_of(kinds), rules)

    def rule(self, written: Mapping[str, Any], key: str) -> str:
        beside = ("if", "then", "else") if key == "if" else (key,)
        return self.canonical({word: written[word] for word in beside if word in written})

    def union(self, written: list[Any], keyword: str, seen: Set[str]) -> Shape:
        """What at least one branch accepts; branches with limits of the same kinds make the union a rule.

        Rules of branches become rules of the union: they are taken to be about the kinds of their branch.
        """
        branches = [each for each in written if not isinstance(each, dict) or each.get("$ref") not in seen]
        shapes: list[Shape] = []
        for shape in (self.shape(branch, seen) for branch in branches):
            if keyword == "oneOf" or shape not in shapes:
                shapes.append(shape)
        kinds: frozenset[str] = frozenset().union(*(shape.kinds for shape in shapes))
        whole = Shape(kinds, {key: limit for shape in shapes for key, limit in shape.limits.items()})
        is_apart = sum(len(shape.kinds) for shape in shapes) == len(kinds)
        if is_apart and all(whole.limits_of(shape.kinds) == shape.limits for shape in shapes):
            return replace(whole, rules=frozenset(rule for shape in shapes for rule in shape.rules))
        return Shape(kinds, {}, frozenset([(keyword, frozenset(self.canonical(branch) for branch in branches))]))


def kind_of(value: Any) -> str:
    if value is None:
        return "null"
    found = next((kind for kind, type_ in PYTHON_TYPES.items() if isinstance(value, type_)), None)
    return found or ("integer" if float(value).is_integer() else "fraction")


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
        pair = (json.dumps(old), json.dumps(new))
        if pair not in self.active:
            self.active.append(pair)
            yield from self.compare_shapes(self.old.shape(old), self.new.shape(new), place)
            self.active.remove(pair)

    def compare_shapes(self, old: Shape, new: Shape, place: str) -> Iterator[Change]:
        if old.rules != new.rules:
            yield from self.compare_rules(old.rules - new.rules, new.rules - old.rules, place)
        lost, gained = old.kinds - new.kinds, new.kinds - old.kinds
        if lost or gained:
            yield self.judged(place, f"type {old.types} -> {new.types}", narrower=lost, wider=gained)
        shared = old.kinds & new.kinds
        before, after = old.limits_of(shared), new.limits_of(shared)
        for key in sorted((before.keys() | after.keys()) - NESTED):
            if before.get(key) != after.get(key):
                what, narrower, wider = verdict(key, before.get(key), after.get(key))
                yield self.judged(place, what, narrower=narrower, wider=wider)
        for key, suffix in (("items", "[]"), ("contentSchema", " (its content)")):
            if key in before or key in after:
                yield from self.compare(before.get(key, True), after.get(key, True), f"{place}{suffix}".strip())
        if "object" in shared:
            if "model" in before and before["model"] != after.get("model"):
                self.models.setdefault((before["model"], after.get("model")), place)
            yield from self.compare_members(before, after, place)
            yield from self.compare_others(
                before.get("additionalProperties", True), after.get("additionalProperties", True), place
            )

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

    def compare_members(self, old: Limits, new: Limits, place: str) -> Iterator[Change]:
        before, after = old.get("properties", {}), new.get("properties", {})
        must, must_now = set(old.get("required", ())), set(new.get("required", ()))
        others = old.get("additionalProperties", True)
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
                    yield from self.compare(before[name], after[name], where)

    def compare_others(self, old: Any, new: Any, place: str) -> Iterator[Change]:
        """Members that are not described."""
        where = f"{place}.*" if place else "*"
        allowed, allowed_now = bool(self.old.shape(old).kinds), bool(self.new.shape(new).kinds)
        if allowed and allowed_now:
            yield from self.compare(old, new, where)
        elif allowed or allowed_now:
            what = f"other members are {'rejected' if allowed else 'accepted'} now"
            yield self.judged(where, what, narrower=allowed, wider=False)


def verdict(key: str, before: Any, after: Any) -> tuple[str, object, object]:
    """What changed in a limit; whether less is accepted now; whether more is."""
    if key == "enum" and before and after:
        lost, gained = sorted(before - after), sorted(after - before)
        said = [f"{verb} {', '.join(values)}" for verb, values in (("removes", lost), ("adds", gained)) if values]
        return f"{key} {' and '.join(said)}", lost, gained
    if key == "enum":
        texts = [", ".join(sorted(values)) if values else "any" for values in (before, after)]
    else:
        texts = ["none" if value is None else str(value) for value in (before, after)]
    what = f"{key} {texts[0]} -> {texts[1]}"
    if "max" in key.lower() or "min" in key.lower():
        sign = -1 if "max" in key.lower() else 1  # the stricter of two bounds is the greater one, with this sign
        one, other = (-math.inf if value is None else sign * value for value in (before, after))
        return what, other > one, other < one
    return what, after is not None, before is not None  # of two patterns, each is narrower and wider than the other
