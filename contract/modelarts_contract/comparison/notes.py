"""Keys of the documents that say more than what is sent: which change of them breaks a client, and which one.

They stand at schemas, parameters, responses and operations. Some say what a value means, such as `x-time-unit`; some
what the generated client is made of, such as `x-time-name`; some are news, such as `deprecated` and `x-known-values`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from .change import Change, Reach

__all__ = ["compare_notes"]

Notes = Mapping[str, Any]
When = Literal["changed", "changed or gone", "new", "never"]  # which change breaks a client

LISTS = ("x-error-codes", "x-known-keys", "x-known-values")
# By key: which change breaks, whom, and what that means.
RULES: dict[str, tuple[When, Reach, str]] = {
    "default": ("changed", "wire", ""),  # a client that leaves the value out asks for something else then
    "x-availability": ("never", "wire", ""),
    "x-duration-name": ("changed or gone", "client", "the property with the duration changes"),
    "x-emulated": ("never", "wire", ""),
    "x-error-code": ("never", "wire", ""),
    "x-facts": ("changed or gone", "client", "the type changes"),
    "x-permission": ("never", "wire", ""),
    "x-time-name": ("changed or gone", "client", "the property with the time changes"),
    "x-time-unit": ("changed", "wire", "the same number is another time"),
    "x-usual-type": ("changed or gone", "client", "the type changes"),
    "x-view": ("changed or gone", "client", "the methods of the class change"),
    "x-zero-means": ("new", "client", "0 is not a time, the property can be None"),
}
# Members of `x-pagination`: requests that were written by hand, and calls of the iterator.
PAGING: dict[str, tuple[When, Reach, str]] = {
    **dict.fromkeys(("counts", "first"), ("changed or gone", "wire", "")),
    **dict.fromkeys(("in", "items", "limit", "position", "setting"), ("changed or gone", "client", "")),
}


def compare_notes(old: Notes, new: Notes, *, is_request: bool) -> Iterator[Change]:
    """The changes of keys that a program, or somebody who upgrades one, must know of."""
    for key in sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key)):
        before, after = old.get(key), new.get(key)
        if key in LISTS:
            yield from listed(key, before or (), after or (), "wire")
        elif key == "x-converted-from":
            yield from listed(key, before or (), after or (), "client")
        elif key == "x-pagination":
            yield from compare_paging(before, after)
        elif key == "deprecated" and bool(before) != bool(after):
            yield Change("", "deprecated" if after else "not deprecated any more", breaking=False)
        elif key in RULES and (is_request or key != "default"):
            yield judged(key, before, after, RULES[key])


def judged(key: str, before: Any, after: Any, rule: tuple[When, Reach, str]) -> Change:
    when, reach, meaning = rule
    breaking = {
        "changed": before is not None and after is not None,
        "changed or gone": before is not None,
        "new": before is None,
        "never": False,
    }[when]
    what = f"{key} {shown(before)} -> {shown(after)}"
    return Change("", f"{what}: {meaning}" if breaking and meaning else what, breaking, reach)


def shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)


def listed(key: str, before: Any, after: Any, reach: Reach) -> Iterator[Change]:
    """Values that come and go, each named; a client loses what its values are converted from."""
    for verb, one, other in (("adds", after, before), ("removes", before, after)):
        if names := [str(value) for value in one if value not in other]:
            yield Change("", f"{key} {verb} {', '.join(names)}", verb == "removes" and reach == "client", reach)


def compare_paging(before: Any, after: Any) -> Iterator[Change]:
    """An operation with `x-pagination` has an iterator in the client: what that takes and gives must stay."""
    if not before or not after:
        yield Change("", "x-pagination: the iterator is " + ("removed" if before else "new"), bool(before), "client")
        return
    for key in sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key)):
        rule = PAGING.get(key, ("never", "client", ""))
        yield judged(f"x-pagination.{key}", before.get(key), after.get(key), rule)
