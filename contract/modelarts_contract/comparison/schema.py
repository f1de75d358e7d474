"""Compare two schemas from the point of view of a client.

A client sends what the schema of a request accepts, so a request breaks it where less is accepted than before.
A client reads what the schema of a response accepts, so a response breaks it where more is, with two exceptions: new
members, and members beyond those described, because the generated client keeps what it does not know.
A field that is removed breaks in both directions: code that names it fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .change import Change
from .notes import compare_notes
from .shape import Limits, Rule, Schema

Direction = Literal["request", "response"]
NESTED = {"additional", "content", "items", "model", "properties", "required"}  # compared one by one
ATOMS = {"least": "minimum", "most": "maximum"}
# Keywords with which a schema accepts less than without, whatever else it says.
NARROWING = frozenset(["anyOf", "contains", "dependentRequired", "dependentSchemas", "if", "not", "oneOf",
                       "propertyNames"])  # fmt: skip


@dataclass
class Comparison:
    """The comparisons of one document in one direction.

    `models` collects classes that got another name, (old, new), with the first place where that was seen.
    """

    direction: Direction
    models: dict[tuple[str, str | None], str] = field(default_factory=dict)
    active: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_request(self) -> bool:
        return self.direction == "request"

    def compare(self, old: Schema, new: Schema, place: str = "") -> Iterator[Change]:
        """Differences, outer places first; a pair that is being compared already, further out, is passed over."""
        notes = compare_notes(old.notes(), new.notes(), is_request=self.is_request)
        yield from (replace(change, place=place) for change in notes)
        pair = (old.origin(), new.origin())
        if pair not in self.active:
            self.active.append(pair)
            yield from self.compare_shapes(old, new, place)
            self.active.remove(pair)

    def compare_shapes(self, old: Schema, new: Schema, place: str) -> Iterator[Change]:
        before, after = old.shape(), new.shape()
        if before.rules != after.rules:
            yield from self.compare_rules(old, new, before.rules - after.rules, after.rules - before.rules, place)
        lost, gained = before.kinds.keys() - after.kinds, after.kinds.keys() - before.kinds
        if lost or gained:
            yield self.judged(place, f"type {before.types} -> {after.types}", narrower=lost, wider=gained)
        for kind in before.kinds:
            if kind in after.kinds and not (kind == "integer" and "fraction" in before.kinds.keys() & after.kinds):
                yield from self.compare_limits(before.kinds[kind], after.kinds[kind], place)

    def judged(self, place: str, what: str, *, narrower: object, wider: object) -> Change:
        """Breaking or not, by whether the new schema accepts less (`narrower`), more (`wider`) or both."""
        return Change(place, what, bool(narrower if self.is_request else wider))

    def compare_rules(
        self, old: Schema, new: Schema, lost: frozenset[Rule], gained: frozenset[Rule], place: str
    ) -> Iterator[Change]:
        """One rule more is narrower, one less is wider; of an `anyOf`, alternatives can come and go."""
        words = {rule.keyword for rule in lost | gained}
        said = ", ".join(f"`{word}`" for word in sorted(words))
        if not (lost and gained) and words <= NARROWING:
            verb = "a rule is gone" if lost else "a rule is new"
            yield self.judged(place, f"{verb}: {said}", narrower=gained, wider=lost)
            return
        if words == {"anyOf"} and len(lost) == len(gained) == 1:
            [before], [after] = ([rule.branches for rule in rules] for rules in (lost, gained))
            if before < after or after < before:
                what = f"{len(before ^ after)} alternatives {'removed' if after < before else 'added'}"
                yield self.judged(place, what, narrower=after < before, wider=before < after)
                return
        yield Change(place, f"changed beyond comparison: {said} (was {old.place}, is {new.place})", breaking=True)

    def compare_limits(self, old: Limits, new: Limits, place: str) -> Iterator[Change]:
        """Two schemas for one kind of value."""
        for key in sorted(key for key in old.keys() | new.keys() if key not in NESTED):
            before, after = old.get(key), new.get(key)
            if before != after and (verdict := VERDICTS.get(key, by_rules)(key, before, after)):
                what, narrower, wider = verdict
                yield self.judged(place, what, narrower=narrower, wider=wider)
        if "items" in old or "items" in new:
            yield from self.compare(inner(old, "items"), inner(new, "items"), f"{place}[]")
        if "content" in old or "content" in new:
            yield from self.compare(inner(old, "content"), inner(new, "content"), f"{place} (its content)".strip())
        if "properties" in old or "properties" in new:
            if old.get("model") is not None and old["model"] != new.get("model"):
                self.models.setdefault((old["model"], new.get("model")), place)
            yield from self.compare_members(old, new, place)
            yield from self.compare_others(old, new, place)

    def compare_members(self, old: Limits, new: Limits, place: str) -> Iterator[Change]:
        before, after = old.get("properties", {}), new.get("properties", {})
        must, must_now = old.get("required", frozenset()), new.get("required", frozenset())
        others = inner(old, "additional")
        for name in sorted(before.keys() | after.keys() | must | must_now):
            where = f"{place}.{name}" if place else name
            if name in before and name not in after:
                yield Change(where, "removed", breaking=True)
                continue
            if name in after and name not in before:
                mandatory = name in must_now and self.is_request
                yield Change(where, "new and mandatory" if mandatory else "new", mandatory)
                if others.written is not True and others.shape().kinds:  # a map: the name could be used before
                    yield from self.compare(others, after[name], where)
                continue
            if name in must_now - must:
                yield self.judged(where, "mandatory now", narrower=True, wider=False)
            if name in must - must_now:
                yield self.judged(where, "not mandatory any more", narrower=False, wider=True)
            if name in before:
                yield from self.compare_presence(before[name], after[name], name in must, name in must_now, where)
                yield from self.compare(before[name], after[name], where)

    def compare_presence(self, old: Schema, new: Schema, must: bool, must_now: bool, place: str) -> Iterator[Change]:
        """`x-always-present`: in the generated client, the type of a field that may be missing has None."""
        if self.is_request or ("x-always-present" in old.notes()) == ("x-always-present" in new.notes()):
            return
        if is_certain(old, must) and not is_certain(new, must_now):
            what = "not always present any more"
            is_empty_instead = is_collection(old)
            what += ": empty in the client then" if is_empty_instead else ": the type has None now"
            yield Change(place, what, not is_empty_instead, "client")
        elif is_certain(new, must_now) and not is_certain(old, must):
            yield Change(place, "always present now", breaking=False, reach="client")

    def compare_others(self, old: Limits, new: Limits, place: str) -> Iterator[Change]:
        """Members that are not described."""
        before, after = inner(old, "additional"), inner(new, "additional")
        where = f"{place}.*" if place else "*"
        allowed, allowed_now = bool(before.shape().kinds), bool(after.shape().kinds)
        if allowed and allowed_now:
            yield from self.compare(before, after, where)
        elif allowed:
            yield self.judged(where, "other members are rejected now", narrower=True, wider=False)
        elif allowed_now:
            yield self.judged(where, "other members are accepted now", narrower=False, wider=False)


def inner(limits: Limits, key: str) -> Schema:
    """The schema under the key; without one, that of anything."""
    found = limits.get(key)
    return found if isinstance(found, Schema) else Schema({}, True, f"(any {key})")


def is_certain(schema: Schema, is_required: bool) -> bool:
    """Whether the client's type of a field of a response has no None."""
    return "x-always-present" in schema.notes() or (is_required and "null" not in schema.shape().kinds)


def is_collection(schema: Schema) -> bool:
    """Whether the client makes an empty list or dict of a field that is missing."""
    kinds = {kind: limits for kind, limits in schema.shape().kinds.items() if kind != "null"}
    is_map = (
        "object" in kinds and not kinds["object"].get("properties") and inner(kinds["object"], "additional").written
    )
    return kinds.keys() == {"array"} or (kinds.keys() == {"object"} and bool(is_map))


Verdict = tuple[str, bool, bool]  # what changed; whether less is accepted; whether more is


def shown(value: Any) -> str:
    return "none" if value is None else str(value)


def by_bound(key: str, before: Any, after: Any) -> Verdict | None:
    """Numbers, or `(value, excluded)`, where an excluded maximum is the smaller one."""
    is_least = key.startswith(("least", "min"))

    def rank(bound: Any) -> tuple[float, int]:
        value, excluded = bound if isinstance(bound, tuple) else (bound, 0)
        if value is None:
            return (0 if key != "least" else -math.inf, 0) if is_least else (-math.inf, 0)
        return (value if is_least else -value, excluded)

    if rank(before) == rank(after):
        return None
    texts = [
        bound if not isinstance(bound, tuple) else f"{bound[0]}{' (excluded)' * bound[1]}" for bound in (before, after)
    ]
    what = f"{ATOMS.get(key, key)} {shown(texts[0])} -> {shown(texts[1])}"
    return what, rank(after) > rank(before), rank(after) < rank(before)


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


BOUNDS = ("least", "most", "minLength", "minItems", "minProperties", "maxLength", "maxItems", "maxProperties")
VERDICTS: Mapping[str, Any] = {"enum": by_values, **dict.fromkeys(BOUNDS, by_bound)}
