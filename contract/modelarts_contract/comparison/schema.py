"""How two schemas differ from the point of view of a client.

A client sends what the schema of a request accepts, so a request breaks it where less is accepted than before.
A client reads what the schema of a response accepts, so a response breaks it where more is, with two exceptions: new
members, and members beyond those described, because the generated client keeps what it does not know.
A field that is removed breaks in both directions: code that names it fails. A field that is only read is no part of
requests, and one that is only written no part of responses.

Each pair of schemas is compared once for each side. What it leads to are other pairs, so that all pairs are a graph;
the changes of an operation are those of the pairs that its body leads to, each at the shortest way to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from modelarts_contract.comparison.change import Change
from modelarts_contract.comparison.notes import compare_notes
from modelarts_contract.comparison.shape import KINDS, Case, Document, Schemas, Shape, Together, canonical, within

__all__ = ["Comparison", "Rename", "Side"]

Side = Literal["request", "response", "exact"]
HIDDEN = {"request": "readOnly", "response": "writeOnly", "exact": ""}  # fields that are no part of the side
# Keywords with which a schema accepts less than without, whatever else it says.
NARROWING = frozenset(
    ["anyOf", "contains", "dependentRequired", "dependentSchemas", "if", "not", "oneOf", "propertyNames"]
)
WIDER_FORMATS = {"int32": "int64", "float": "double"}
STEPS = {"array": "[]", "string": " (its content)"}
ALIKE = 0.3  # of what two branches of unions say, so that they are taken for the same branch
MOST_CROSSED = 500
DIGESTED = 4  # levels below two branches that are looked at to find out how alike they are


@dataclass(frozen=True)
class Rename(Change):
    """A class of the client that has another name, while the messages stay; `at` is the place in the schema."""

    names: tuple[str, str] = ("", "")
    at: str = ""


@dataclass(eq=False, slots=True)
class Pair:
    """Two schemas that are compared for a side, what is different between them, and the pairs that they lead to."""

    old: Together
    new: Together
    side: Side
    changes: list[Change] = field(default_factory=list)
    ways: list[tuple[str, str, Pair]] = field(default_factory=list)
    sources: list[Pair] = field(default_factory=list)
    is_compared: bool = False
    is_changed: bool = False  # or leads to a pair that is


Step = tuple[Pair, Any, str, str]  # to a pair, after another step, with what is added to the place, within a rule


class Comparison:
    """The comparison of the schemas of two documents."""

    def __init__(self, old: Document, new: Document) -> None:
        self.old, self.new = Schemas(old), Schemas(new)
        self._pairs: dict[tuple[Any, ...], Pair] = {}
        self._reports: dict[Pair, list[Change]] = {}
        self._crossed = 0  # pairs of different components: there are as many as the square of all
        self._different = Counter[Side]()  # how many pairs have changes of their own

    def compare(self, old: Any, new: Any, side: Side) -> list[Change]:
        """The changes, shortest places first."""
        start = self.pair(self.old.together(old), self.new.together(new), side)
        if start not in self._reports:
            self.explore(start)
            self._reports[start] = list(self.report(start))
        return self._reports[start]

    def pair(self, old: Together, new: Together, side: Side) -> Pair:
        key = tuple(map(id, old)), tuple(map(id, new)), side
        if key not in self._pairs:
            self._pairs[key] = Pair(old, new, side)
        return self._pairs[key]

    def explore(self, start: Pair) -> None:
        """Compare all pairs that this one leads to, and find out which lead to changes."""
        ahead, changed = [start], list[Pair]()
        while ahead:
            pair = ahead.pop()
            if pair.is_compared:
                continue
            pair.is_compared = True
            found = Difference(self.old, self.new, pair.side)
            old, new = self.old.shape(pair.old), self.new.shape(pair.new)
            names, names_now = ({case.component for case in each.cases} - {""} for each in (old, new))
            is_crossed = bool(names and names_now and not names & names_now)
            self._crossed += is_crossed
            if is_crossed and self._crossed > MOST_CROSSED:
                what = f"changed beyond comparison: {', '.join(sorted(names))} -> {', '.join(sorted(names_now))}"
                found.judge("", what, narrower=True, wider=True)
            else:
                found.compare(old, new)
            pair.changes = list(dict.fromkeys(found.changes))
            pair.ways = [(step, rule, self.pair(*further)) for step, rule, further in found.ways]
            for _, _, further in pair.ways:
                further.sources.append(pair)
                ahead.append(further)
            self._different[pair.side] += bool(pair.changes)
            if pair.changes or any(further.is_changed for _, _, further in pair.ways):
                changed.append(pair)
        while changed:
            pair = changed.pop()
            if not pair.is_changed:
                pair.is_changed = True
                changed += pair.sources

    def report(self, start: Pair) -> Iterator[Change]:
        """Each change once, at the shortest way to it."""
        seen, said, ahead = {start}, set[tuple[str, str]](), list[Step]([(start, None, "", "")])
        missing = self._different[start.side] + self._different["exact"]
        for step in ahead:
            pair, _, _, rule = step
            place = place_of(step) if pair.changes else ""
            if rule and pair.changes and (place, rule) not in said:
                said.add((place, rule))
                yield Change(place, f"changed beyond comparison: `{rule}`", breaking=True)
            for change in () if rule else pair.changes:
                at = joined(place, change.place)
                yield replace(change, place=at, at=at) if isinstance(change, Rename) else replace(change, place=at)
            missing -= bool(pair.changes)
            if not missing:
                return
            for added, within_rule, further in pair.ways:
                if further.is_changed and further not in seen:
                    seen.add(further)
                    ahead.append((further, step, "" if rule else added, rule or within_rule))


@dataclass
class Difference:
    """What is different between two schemas themselves, at places relative to them, and the ways to further pairs.

    A way is a step, or the keyword of a rule: what is within a rule is the same, or nothing can be said about it.
    """

    old: Schemas
    new: Schemas
    side: Side
    changes: list[Change] = field(default_factory=list)
    ways: list[tuple[str, str, tuple[Together, Together, Side]]] = field(default_factory=list)

    def compare(self, old: Shape, new: Shape) -> None:
        lost, gained = old.kinds - new.kinds, new.kinds - old.kinds
        if lost or gained:
            self.judge("", f"type {old.types} -> {new.types}", narrower=lost, wider=gained)
        shared = [kind for kind in KINDS if kind in old.kinds & new.kinds]
        if not shared:
            self.notes("", old.base, new.base)
        compared: list[Any] = []
        for kind in shared:
            cases = old.of(kind), new.of(kind)
            if kind == "integer" and cases in compared:  # of `number`, whose fractions have said it
                continue
            compared.append(cases)
            for one, other in self.matched(kind, old, new, *cases):
                if one.source and other.source:
                    self.lead("", one.source, other.source)
                else:
                    self.compare_cases(kind, one, other)

    def judge(self, place: str, what: str, *, narrower: object = None, wider: object = None) -> None:
        """Breaking or not, by whether the new schema accepts less (`narrower`), more (`wider`) or both."""
        breaking = {"request": narrower, "response": wider, "exact": True}[self.side]
        self.changes.append(Change(place, what, bool(breaking)))

    def notes(self, place: str, old: Case, new: Case) -> None:
        if self.side != "exact":
            found = compare_notes(old.notes, new.notes, is_request=self.side == "request")
            self.changes += (replace(change, place=place) for change in found)

    def lead(self, step: str, old: Together, new: Together, rule: str = "") -> None:
        if (old or new) and not is_same_leaf(old, new):
            self.ways.append((step, rule, (old, new, "exact" if rule else self.side)))

    def matched(
        self, kind: str, old: Shape, new: Shape, before: list[Case], after: list[Case]
    ) -> list[tuple[Case, Case]]:
        """The cases that belong together; what is left over has come or gone."""
        if len(before) == len(after) == 1:
            return [(before[0], after[0])]
        for one, whole, verb in ((before, new, "new"), (after, old, "gone")):
            if len(one) == 1 and kind in whole.base.kinds and one[0].looks(kind) == whole.base.looks(kind):
                said = ", ".join(f"`{word}`" for word in whole.unions)
                self.judge("", f"a rule is {verb}: {said}", narrower=verb == "new", wider=verb == "gone")
                return [(one[0], whole.base) if verb == "new" else (whole.base, one[0])]
        pairs = self.paired(kind, old, new, before, after)
        for known, now in pairs.items():
            if (tags := old.tags(known)) and (tags_now := new.tags(now)) and tags != tags_now:
                what = f"the discriminator's value {', '.join(sorted(tags))} -> {', '.join(sorted(tags_now))}"
                self.judge("", what, narrower=tags - tags_now, wider=tags_now - tags)
        matched = {*pairs, *pairs.values()}
        for candidates, verb in ((before, "removed"), (after, "added")):
            if left := [case for case in candidates if case not in matched]:
                names = ", ".join(case.component for case in left if case.component)
                what = f"{len(left)} alternatives {verb}" + (f": {names}" if names else "")
                self.judge("", what, narrower=verb == "removed", wider=verb == "added")
        return [*pairs.items()]

    def paired(self, kind: str, old: Shape, new: Shape, before: list[Case], after: list[Case]) -> dict[Case, Case]:
        """Branches that are the same by the discriminator, a constant, or their name, or that are alike."""
        pairs: dict[Case, Case] = {}
        left, left_now = dict.fromkeys(before), dict.fromkeys(after)

        def match(one: Case, other: Case) -> None:
            pairs[one] = other
            del left[one], left_now[other]

        for mark, mark_now in (
            (old.tags, new.tags),
            (self.old.constants, self.new.constants),
            (lambda case: case.component or case.model, lambda case: case.component or case.model),
        ):
            known, now = unique(left, mark), unique(left_now, mark_now)
            for key in known.keys() & now.keys():
                match(known[key], now[key])
        looks = {case: set(self.old.features(case, kind, DIGESTED)) for case in left}
        looks_now = {case: set(self.new.features(case, kind, DIGESTED)) for case in left_now}
        alike = (
            (len(looks[one] & looks_now[other]) / (len(looks[one] | looks_now[other]) or 1), one, other)
            for one in looks
            for other in looks_now
            if not (self.old.constants(one) and self.new.constants(other))
        )
        for likeness, one, other in sorted(alike, key=lambda found: -found[0]):
            if likeness >= ALIKE and one in left and other in left_now:
                match(one, other)
        return pairs

    def compare_cases(self, kind: str, old: Case, new: Case) -> None:
        """Compare what two cases say about values of a kind."""
        self.notes("", old, new)
        before, after = old.limits_of(kind), new.limits_of(kind)
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                what, narrower, wider = verdict(key, before.get(key), after.get(key))
                self.judge("", what, narrower=narrower, wider=wider)
        self.rules(old.rules_of(kind), new.rules_of(kind))
        if kind == "object":
            if old.model and old.model != new.model:
                self.changes.append(Rename("", "", breaking=False, reach="client", names=(old.model, new.model)))
            self.members(old, new)
        elif kind in STEPS:
            self.lead(STEPS[kind], old.inside.get(kind, ()), new.inside.get(kind, ()))

    def rules(self, old: list[tuple[str, Any]], new: list[tuple[str, Any]]) -> None:
        """One rule more is narrower, one less is wider; of what is within a rule nothing can be said."""
        for keyword in dict.fromkeys(word for word, _ in (*old, *new)):
            before, after = ([value for word, value in rules if word == keyword] for rules in (old, new))
            for known, now in zip(before, after, strict=False):
                parts, parts_now = within(keyword, known), within(keyword, now)
                if parts.keys() != parts_now.keys() or (not parts and canonical(known) != canonical(now)):
                    self.judge("", f"changed beyond comparison: `{keyword}`", narrower=True, wider=True)
                    continue
                for name, schema in parts.items():
                    self.lead("", self.old.together(schema), self.new.together(parts_now[name]), keyword)
            if len(before) != len(after):
                is_gone, is_ranked = len(before) > len(after), keyword in NARROWING
                fact = f"a rule is {'gone' if is_gone else 'new'}" if is_ranked else "changed beyond comparison"
                self.judge(
                    "", f"{fact}: `{keyword}`", narrower=not (is_ranked and is_gone), wider=not is_ranked or is_gone
                )

    def members(self, old: Case, new: Case) -> None:
        others, others_now = old.inside.get("object", ()), new.inside.get("object", ())
        allowed, allowed_now = bool(self.old.shape(others).kinds), bool(self.new.shape(others_now).kinds)
        for name in sorted(old.properties.keys() | new.properties.keys() | old.required | new.required):
            where = f".{name}"
            known, now = old.properties.get(name), new.properties.get(name)
            if known and now and (name in old.required) == (name in new.required) and is_same_leaf(known, now):
                continue
            base, base_now = self.old.shape(known or ()).base, self.new.shape(now or ()).base
            was_hidden, is_hidden = (bool(each.notes.get(HIDDEN[self.side])) for each in (base, base_now))
            if is_hidden or (was_hidden and now is None):
                if known is not None and not was_hidden:
                    self.notes(where, base, base_now)
            elif known is not None and now is None:
                self.changes.append(Change(where, "removed", breaking=True))
            elif now is not None and (known is None or was_hidden):
                mandatory = name in new.required and self.side == "request"
                self.changes.append(Change(where, "new and mandatory" if mandatory else "new", mandatory))
                if allowed and others:  # a map: the name could be used before
                    self.lead(where, others, now)
            else:
                if (name in old.required) != (name in new.required):
                    what = "mandatory now" if name in new.required else "not mandatory any more"
                    self.judge(where, what, narrower=name in new.required, wider=name in old.required)
                self.lead(where, known or (), now or ())
        if allowed and allowed_now:
            self.lead(".*", others, others_now)
        elif allowed or allowed_now:
            self.judge(".*", f"other members are {'rejected' if allowed else 'accepted'} now", narrower=allowed)


def place_of(step: Step | None) -> str:
    steps = []
    while step is not None:
        _, step, added, _ = step
        steps.append(added)
    return joined("", "".join(reversed(steps)))


def is_same_leaf(old: Together, new: Together) -> bool:
    """Whether both are written alike and lead to no other schemas."""
    if len(old) != 1 or len(new) != 1 or old[0] is False or new[0] is False or "$ref" in old[0]:
        return False
    is_leaf = all(key in ("enum", "type") or not isinstance(value, dict | list) for key, value in old[0].items())
    return is_leaf and repr(old[0]) == repr(new[0])


def unique(cases: Iterable[Case], mark: Callable[[Case], Any]) -> dict[Any, Case]:
    """The cases by what marks them, if it marks no other."""
    found = defaultdict[Any, list[Case]](list)
    for case in cases:
        found[mark(case)].append(case)
    return {key: each[0] for key, each in found.items() if key and len(each) == 1}


def joined(place: str, step: str) -> str:
    return place + step if place else step.removeprefix(".").removeprefix(" ")


def verdict(key: str, before: Any, after: Any) -> tuple[str, object, object]:
    """What changed in a limit; whether less is accepted now; whether more is."""
    if key == "enum" and before and after:
        lost, gained = sorted(before - after), sorted(after - before)
        said = [f"{verb} {', '.join(values)}" for verb, values in (("removes", lost), ("adds", gained)) if values]
        return f"{key} {' and '.join(said)}", lost, gained
    if key == "enum":
        texts = [", ".join(sorted(values)) if values else "any" for values in (before, after)]
        return f"{key} {texts[0]} -> {texts[1]}", after is not None, before is not None
    what = f"{named(key, before, after)} {shown(key, before)} -> {shown(key, after)}"
    if isinstance(before or after, frozenset):
        one, other = (
            {implied for name in each or () for implied in (name, WIDER_FORMATS.get(name, name))}
            for each in (before, after)
        )
        return what, other - one, one - other
    if before is None or after is None:
        return what, after is not None, before is not None
    if key == "multipleOf":
        return what, before % after, after % before
    return what, after > before, after < before


def named(key: str, *limits: Any) -> str:
    """The keyword of the limits, of which the documents may have another one for bounds."""
    is_exclusive = all(limit[1] for limit in limits if limit) if key in ("minimum", "maximum") else False
    return f"exclusive{key.capitalize()}" if is_exclusive else key


def shown(key: str, limit: Any) -> str:
    if limit is None:
        return "none"
    if isinstance(limit, tuple):
        bound = -limit[0] if key.startswith("max") else limit[0]
        return f"{bound}"
    return ", ".join(sorted(limit)) if isinstance(limit, frozenset) else str(limit)
