"""Keys of the documents that describe more than the bytes on the wire: which change of them breaks which client.

They stand at schemas, parameters, responses and operations. Some say what a value means, such as `x-time-unit`; some
what the generated client is made of, such as `x-time-name`; some are news, such as `deprecated` and `x-known-values`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from modelarts_contract.comparison.change import Change, Reach

__all__ = ["compare_notes"]

Notes = Mapping[str, Any]

# Lists of values. A client loses what its values are converted from.
LISTS: dict[str, Reach] = {
    **dict.fromkeys(("x-error-codes", "x-known-keys", "x-known-values"), "wire"),
    "x-converted-from": "client",
}
# By key: which events break (of "new", "changed", "gone"), whom, and what that means.
GONE: dict[str, tuple[str, Reach, str]] = {"x-time-unit": ("gone", "client", "nothing says what the number means")}
ONE_SIDED = {"default": True, "writeOnly": False}  # whether a key is about requests, if not about both
RULES: dict[str, tuple[str, Reach, str]] = {
    "default": ("changed gone", "wire", ""),  # a client that leaves the value out asks for something else then
    "readOnly": ("", "wire", ""),
    "writeOnly": ("new", "wire", "it is not shown any more"),
    **dict.fromkeys(("x-availability", "x-error-code", "x-permission"), ("", "wire", "")),
    "x-duration-name": ("changed gone", "client", "the property with the duration changes"),
    "x-facts": ("changed gone", "client", "the type changes"),
    "x-time-name": ("changed gone", "client", "the property with the time changes"),
    **dict.fromkeys(("x-duration-unit", "x-time-unit"), ("changed", "wire", "the same number is another time")),
    "x-usual-type": ("changed gone", "client", "the type changes"),
    "x-view": ("changed gone", "client", "the methods of the class change"),
    "x-zero-means": ("new", "client", "0 is not a time, the property can be None"),
}
NOTED = {*LISTS, *RULES, "deprecated", "x-pagination"}
# Members of `x-pagination`: requests that were written by hand, and calls of the iterator.
PAGING: dict[str, tuple[str, Reach, str]] = {
    **dict.fromkeys(("counts", "first"), ("changed gone", "wire", "")),
    **dict.fromkeys(("in", "items", "limit", "position", "setting"), ("changed gone", "client", "")),
}


def compare_notes(old: Notes, new: Notes, *, is_request: bool) -> Iterator[Change]:
    """The changes of keys that a program, or somebody who upgrades one, must know of."""
    for key in changed(old, new):
        before, after = old.get(key), new.get(key)
        if key in LISTS:
            is_sent = is_request and key == "x-known-values"
            yield from listed(key, before or (), after or (), LISTS[key], is_sent=is_sent)
            yield from spelled(key, before or (), after or ())
        elif key == "x-pagination" and before and after:
            for member in sorted({**before, **after}):
                rule = PAGING.get(member, ("", "client", ""))
                if before.get(member) != after.get(member):
                    yield judged(f"{key}.{member}", before.get(member), after.get(member), rule)
        elif key == "x-pagination":  # an operation with it has an iterator in the client
            yield Change("", f"{key}: the iterator is {'removed' if before else 'new'}", bool(before), "client")
        elif key == "deprecated" and bool(before) != bool(after):
            yield Change("", "deprecated" if after else "not deprecated any more", breaking=False)
        elif key in RULES and ONE_SIDED.get(key, is_request) is is_request:
            yield judged(key, before, after, GONE.get(key, RULES[key]) if after is None else RULES[key])


def changed(old: Notes, new: Notes) -> list[str]:
    keys = (key for key in old.keys() | new.keys() if key in NOTED)
    return sorted(key for key in keys if old.get(key) != new.get(key))


def judged(key: str, before: Any, after: Any, rule: tuple[str, Reach, str]) -> Change:
    events, reach, meaning = rule
    breaking = ("new" if before is None else "gone" if after is None else "changed") in events.split()
    what = f"{key} {shown(before)} -> {shown(after)}"
    return Change("", f"{what}: {meaning}" if breaking and meaning else what, breaking, reach)


def shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)


def listed(key: str, before: Any, after: Any, reach: Reach, *, is_sent: bool) -> Iterator[Change]:
    """Values that come and go, each named; one that goes breaks a client that is made of it, or sends it."""
    for verb, one, other in (("adds", after, before), ("removes", before, after)):
        if names := [str(value) for value in one if value not in other]:
            breaking = verb == "removes" and (is_sent or reach == "client")
            yield Change("", f"{key} {verb} {', '.join(names)}", breaking, reach)


def spelled(key: str, before: Any, after: Any) -> Iterator[Change]:
    """Values that only change their spelling: a client that compares with the old one does not find it any more."""
    spellings = {str(value).casefold(): value for value in after if value not in before}
    for value in before:
        if value not in after and (now := spellings.get(str(value).casefold())) is not None:
            yield Change("", f"{key}: {value} is written {now} now", breaking=True)
