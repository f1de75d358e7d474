"""Keys of the documents that say more than what is sent: which change of them breaks a client, and which one.

They stand at schemas, parameters, responses and operations. Some say what a value means, such as `x-time-unit`; some
what the generated client is made of, such as `x-time-name`; some are news, such as `deprecated` and `x-known-values`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .change import Change

Notes = Mapping[str, Any]

LISTS = ("x-error-codes", "x-known-keys", "x-known-values")
NEWS = ("x-availability", "x-emulated", "x-error-code", "x-permission")
NAMES = {
    "x-duration-name": "the property with the duration",
    "x-facts": "the type",
    "x-time-name": "the property with the time",
    "x-usual-type": "the type",
    "x-view": "the methods of the class",
}
# What a change of `x-pagination` breaks: requests that were written by hand, or calls of the iterator.
PAGING = {"counts": "wire", "first": "wire"}
ITERATOR = frozenset(["in", "items", "limit", "position", "setting"])


def compare_notes(old: Notes, new: Notes, *, is_request: bool) -> Iterator[Change]:
    """The changes of keys that a program, or somebody who upgrades one, must know of."""
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if key in NAMES:
            what = f"{key} {before or 'none'} -> {after or 'none'}"
            yield Change("", f"{what}: {NAMES[key]} changes" if before else what, bool(before), "client")
        elif key in LISTS:
            yield from listed(key, before or (), after or ())
        elif key in NEWS:
            yield Change("", f"{key} {shown(before)} -> {shown(after)}", breaking=False)
        elif key in COMPARED and (is_request or key != "default"):
            yield from COMPARED[key](before, after)


def shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)


def listed(key: str, before: Any, after: Any) -> Iterator[Change]:
    """Values that are known and not promised: they come and go, and each is named."""
    for verb, one, other in (("adds", after, before), ("removes", before, after)):
        if names := [str(value) for value in one if value not in other]:
            yield Change("", f"{key} {verb} {', '.join(names)}", breaking=False)


def compare_deprecated(before: Any, after: Any) -> Iterator[Change]:
    if bool(before) != bool(after):
        yield Change("", "deprecated" if after else "not deprecated any more", breaking=False)


def compare_default(before: Any, after: Any) -> Iterator[Change]:
    """A client that leaves a value out asks for something else when the service's default changes."""
    breaking = before is not None and after is not None
    yield Change("", f"default {shown(before)} -> {shown(after)}", breaking)


def compare_unit(before: Any, after: Any) -> Iterator[Change]:
    breaking = before is not None and after is not None
    what = f"x-time-unit {shown(before)} -> {shown(after)}"
    yield Change("", f"{what}: the same number is another time" if breaking else what, breaking)


def compare_zero(before: Any, after: Any) -> Iterator[Change]:
    if before is None or after is None:
        what = "0 is no time: the property can be None" if after else "0 is a time like others"
        yield Change("", f"x-zero-means {shown(before)} -> {shown(after)}: {what}", before is None, "client")


def compare_conversions(before: Any, after: Any) -> Iterator[Change]:
    if lost := [name for name in before or () if name not in (after or ())]:
        yield Change("", f"x-converted-from removes {', '.join(lost)}", breaking=True, reach="client")
    if gained := [name for name in after or () if name not in (before or ())]:
        yield Change("", f"x-converted-from adds {', '.join(gained)}", breaking=False, reach="client")


def compare_paging(before: Any, after: Any) -> Iterator[Change]:
    """An operation with `x-pagination` has an iterator in the client: what that takes and gives must stay."""
    if not before or not after:
        yield Change("", "x-pagination: the iterator is " + ("removed" if before else "new"), bool(before), "client")
        return
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            what = f"x-pagination.{key} {shown(before.get(key))} -> {shown(after.get(key))}"
            breaking = key in PAGING or (key in ITERATOR and key in before)
            yield Change("", what, breaking, "wire" if key in PAGING else "client")


COMPARED = {
    "default": compare_default,
    "deprecated": compare_deprecated,
    "x-converted-from": compare_conversions,
    "x-pagination": compare_paging,
    "x-time-unit": compare_unit,
    "x-zero-means": compare_zero,
}
