"""Compare two schemas from the point of view of a client.

A client sends what the schema of a request accepts, so a request breaks it where less is accepted than before.
A client reads what the schema of a response accepts, so a response breaks it where more is, with two exceptions: new
members, and members beyond those described, because the generated client keeps what it does not know.
A field that is removed breaks in both directions: code that names it fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from .shape import Limits, Schema, Shape

Direction = Literal["request", "response"]
DEEPEST = 50
NESTED = {"additional", "content", "items", "model", "names", "properties", "required"}  # compared one by one
ATOMS = {"least": "minimum", "most": "maximum"}


@dataclass(frozen=True)
class Difference:
    """What differs at a place within the schema."""

    place: str  # such as `spec.volumes[].nfs`; empty for the schema itself
    what: str
    breaking: bool


@dataclass
class Comparison:
    """The comparisons of one document in one direction.

    `models` collects classes that got another name, (old, new), with the first place where that was seen.
    """

    direction: Direction
    models: dict[tuple[str, str | None], str] = field(default_factory=dict)
    active: list[tuple[str, str]] = field(default_factory=list)
    met: set[tuple[str, str]] = field(default_factory=set)  # active pairs that were passed over
    same: set[tuple[str, str]] = field(default_factory=set)

    def compare(self, old: Schema, new: Schema, place: str = "") -> Iterator[Difference]:
        """Differences, outer places first; a pair that is being compared already, further out, is passed over."""
        pair = (old.origin(), new.origin())
        if pair in self.same:
            return
        if pair in self.active:
            self.met.add(pair)
            return
        if len(self.active) == DEEPEST:
            if old.canonical() != new.canonical():
                yield self.beyond(place, old, new, "nested too deeply")
            return
        self.active.append(pair)
        differs = False
        for found in chain(self.compare_defaults(old, new, place), self.compare_shapes(old, new, place)):
            differs = True
            yield found
        self.active.remove(pair)
        self.met.discard(pair)
        if not differs and not self.met:  # otherwise it is the same only if a pair further out is
            self.same.add(pair)

    def compare_defaults(self, old: Schema, new: Schema, place: str) -> Iterator[Difference]:
        """A client that leaves a value out asks for something else when the service's default changes."""
        before, after = old.default(), new.default()
        if self.direction == "request" and before and after and before != after:
            yield Difference(place, f"default {before[0]!r} -> {after[0]!r}", breaking=True)

    def compare_shapes(self, old: Schema, new: Schema, place: str) -> Iterator[Difference]:
        before, after = old.shape(), new.shape()
        if before.opaque != after.opaque:
            differences = self.alternatives(place, before, after)
            if differences is None:
                yield self.beyond(place, old, new, keywords(before, after))
                return
            yield from differences
        lost, gained = before.kinds.keys() - after.kinds, after.kinds.keys() - before.kinds
        if lost or gained:
            yield self.judged(place, f"type {before.types} -> {after.types}", narrower=lost, wider=gained)
        for kind in before.kinds:
            if kind in after.kinds and not (kind == "integer" and "fraction" in before.kinds.keys() & after.kinds):
                yield from self.compare_limits(before.kinds[kind], after.kinds[kind], place)

    def judged(self, place: str, what: str, *, narrower: object, wider: object) -> Difference:
        """Breaking or not, by whether the new schema accepts less (`narrower`), more (`wider`) or both."""
        return Difference(place, what, bool(narrower if self.direction == "request" else wider))

    def beyond(self, place: str, old: Schema, new: Schema, why: str) -> Difference:
        return Difference(place, f"changed beyond comparison: {why} (was {old.place}, is {new.place})", breaking=True)

    def alternatives(self, place: str, before: Shape, after: Shape) -> list[Difference] | None:
        """Branches of `anyOf` that were removed, added, or changed one for one; None for anything else.

        Where each branch accepts at least what another did, so does the whole: branches can be compared in pairs.
        """
        one, other = dict(before.opaque - after.opaque), dict(after.opaque - before.opaque)
        old, new = one.get("anyOf"), other.get("anyOf")
        if one.keys() | other.keys() != {"anyOf"} or not isinstance(old, frozenset) or not isinstance(new, frozenset):
            return None
        lost, gained = (sorted(some, key=lambda each: each.schema.place) for some in (old - new, new - old))
        if len(lost) == len(gained):
            couples = zip(lost, gained, strict=True)
            return [found for a, b in couples for found in self.compare(a.schema, b.schema, place)]
        if lost and gained:
            return None
        what = f"{len(lost)} alternatives removed" if lost else f"{len(gained)} alternatives added"
        return [self.judged(place, what, narrower=lost, wider=gained)]

    def compare_limits(self, old: Limits, new: Limits, place: str) -> Iterator[Difference]:
        """Two schemas for one kind of value."""
        for key in sorted(key for key in old.keys() | new.keys() if key not in NESTED):
            before, after = old.get(key), new.get(key)
            if before != after and (verdict := VERDICTS.get(key, by_rules)(key, before, after)):
                what, narrower, wider = verdict
                yield self.judged(place, what, narrower=narrower, wider=wider)
        if "items" in old or "items" in new:
            yield from self.compare(items(old, "items"), items(new, "items"), f"{place}[]")
        if "content" in old or "content" in new:
            yield from self.compare(items(old, "content"), items(new, "content"), f"{place} (its content)".strip())
        if "properties" in old or "properties" in new:
            self.note_model(old, new, place)
            yield from self.compare_members(old, new, place)
            yield from self.compare_others(old, new, place)

    def note_model(self, old: Limits, new: Limits, place: str) -> None:
        before, after = old.get("model"), new.get("model")
        if before is not None and before != after:
            self.models.setdefault((before, after), place)

    def compare_members(self, old: Limits, new: Limits, place: str) -> Iterator[Difference]:
        before, after = old.get("properties", {}), new.get("properties", {})
        must, must_now = old.get("required", frozenset()), new.get("required", frozenset())
        others = items(old, "additional")
        for name in sorted(before.keys() | after.keys() | must | must_now):
            where = f"{place}.{name}" if place else name
            if name in before and name not in after:
                yield Difference(where, "removed", breaking=True)
                continue
            if name in after and name not in before:
                mandatory = name in must_now and self.direction == "request"
                yield Difference(where, "new and mandatory" if mandatory else "new", mandatory)
                if others.written is not True and others.shape().kinds:  # a map: the name could be used before
                    yield from self.compare(others, after[name], where)
                continue
            if name in must_now - must:
                yield self.judged(where, "mandatory now", narrower=True, wider=False)
            if name in must - must_now:
                yield self.judged(where, "not mandatory any more", narrower=False, wider=True)
            if name in before:
                yield from self.compare(before[name], after[name], where)

    def compare_others(self, old: Limits, new: Limits, place: str) -> Iterator[Difference]:
        """Members that are not described, and names of members."""
        before, after = items(old, "additional"), items(new, "additional")
        where = f"{place}.*" if place else "*"
        allowed, allowed_now = bool(before.shape().kinds), bool(after.shape().kinds)
        if allowed and not allowed_now:
            yield self.judged(where, "other members are rejected now", narrower=True, wider=False)
        elif allowed_now and not allowed:
            yield self.judged(where, "other members are accepted now", narrower=False, wider=False)
        elif allowed:
            yield from self.compare(before, after, where)
        names, names_now = items(old, "names"), items(new, "names")
        if names.written is not True or names_now.written is not True:
            yield from self.compare(as_names(names), as_names(names_now), f"{where} (its name)")


def items(limits: Limits, key: str) -> Schema:
    """The schema under the key; without one, that of anything."""
    found = limits.get(key)
    return found if isinstance(found, Schema) else Schema({}, True, f"(any {key})")


def as_names(schema: Schema) -> Schema:
    text = Schema(schema.document, {"type": "string"}, "(a name)")
    return text if schema.written is True else Schema(schema.document, None, f"{schema.place} (a name)", (text, schema))


def keywords(before: Shape, after: Shape) -> str:
    return ", ".join(sorted({f"`{keyword}`" for keyword, _ in before.opaque ^ after.opaque}))


Verdict = tuple[str, bool, bool]  # what changed; whether less is accepted; whether more is


def shown(value: Any) -> str:
    return "none" if value is None else str(value)


def by_minimum(key: str, before: Any, after: Any) -> Verdict | None:
    if (before or 0) == (after or 0):
        return None
    return f"{key} {shown(before)} -> {shown(after)}", (after or 0) > (before or 0), (after or 0) < (before or 0)


def by_maximum(key: str, before: Any, after: Any) -> Verdict | None:
    less = after is not None and (before is None or after < before)
    return f"{key} {shown(before)} -> {shown(after)}", less, not less


def by_bound(key: str, before: Any, after: Any) -> Verdict | None:
    """Numbers: `(value, excluded)`, where an excluded maximum is the smaller one."""
    sign = 1 if key == "least" else -1

    def rank(bound: Any) -> tuple[float, int]:
        return (float("-inf"), 0) if bound is None else (sign * bound[0], bound[1])

    texts = ["none" if bound is None else f"{bound[0]}{' (excluded)' * bound[1]}" for bound in (before, after)]
    return f"{ATOMS[key]} {texts[0]} -> {texts[1]}", rank(after) > rank(before), rank(after) < rank(before)


def by_values(key: str, before: Any, after: Any) -> Verdict | None:
    if before is None or after is None:
        texts = ["any" if values is None else ", ".join(sorted(values)) for values in (before, after)]
        return f"{key} {texts[0]} -> {texts[1]}", before is None, after is None
    lost, gained = sorted(before - after), sorted(after - before)
    said = [f"{verb} {', '.join(values)}" for verb, values in (("removes", lost), ("adds", gained)) if values]
    return f"{key} {' and '.join(said)}", bool(lost), bool(gained)


def by_rules(key: str, before: Any, after: Any) -> Verdict | None:
    """Rules that all hold, such as patterns: one more is narrower, one less is wider, another is both."""
    old, new = before or frozenset(), after or frozenset()
    texts = [" and ".join(sorted(map(str, rules))) or "none" for rules in (old, new)]
    return f"{key} {texts[0]} -> {texts[1]}", bool(new - old), bool(old - new)


VERDICTS: Mapping[str, Any] = {
    "enum": by_values,
    "least": by_bound,
    "most": by_bound,
    **dict.fromkeys(("minLength", "minItems", "minProperties"), by_minimum),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties"), by_maximum),
}
