"""Shapes of JSON values: which fields there are, and of which types their values are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Difference", "Kind", "differences"]


class Kind(StrEnum):
    """How two responses to the same request differ; the first two fail a check."""

    OTHER_STATUS = "other status"
    OTHER_TYPE = "other type"
    ONLY_RECORDED = "only recorded"
    ONLY_EMULATED = "only emulated"


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between what was recorded and what the emulator sent."""

    kind: Kind
    message: str

    @property
    def fails(self) -> bool:
        """Whether it is more than a field that one of them leaves out."""
        return self.kind in (Kind.OTHER_STATUS, Kind.OTHER_TYPE)


def differences(recorded: Any, emulated: Any) -> Iterator[Difference]:
    """How the shapes of two JSON values differ; null stands for any type, and is the same as a missing field.

    Entries of lists are taken together: lists may be of different lengths. Below a field that one of them has not,
    nothing more is reported.
    """
    one, other = shape(recorded), shape(emulated)
    for mine, theirs, kind in ((one, other, Kind.ONLY_RECORDED), (other, one, Kind.ONLY_EMULATED)):
        for place in sorted(mine.keys() - theirs.keys()):
            parent = place.rpartition(".")[0] if not place.endswith("[]") else place.removesuffix("[]")
            if parent in theirs and not place.endswith("[]"):  # an empty list says nothing about its entries
                yield Difference(kind, f"{place} ({types(mine[place])})")
    for place in sorted(one.keys() & other.keys()):
        if not one[place] & other[place]:
            yield Difference(Kind.OTHER_TYPE, f"{place or 'body'} is {types(one[place])}, not {types(other[place])}")


def types(found: set[str]) -> str:
    return " or ".join(sorted(found))


def shape(value: Any) -> dict[str, set[str]]:
    """The types of all values by their place, such as `items[].metadata.name`; nothing for null."""
    found: dict[str, set[str]] = {}
    for place, kind in places(value, ""):
        found.setdefault(place, set()).add(kind)
    return found


def places(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield place, "object"
        for name, child in value.items():
            yield from places(child, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        yield place, "list"
        for child in value:
            yield from places(child, f"{place}[]")
    elif isinstance(value, bool):
        yield place, "boolean"
    elif isinstance(value, int | float):
        yield place, "number"
    elif isinstance(value, str):
        yield place, "text"
