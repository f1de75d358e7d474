"""The space that a search looks through: every hyperparameter with an interval, or with the values it may take.

Read from `search_params` (page "Creating a Training Job"); numbers in it are text, as everything in `auto_search` is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modelarts_emulator.http.errors import ServiceError

__all__ = ["Dimension", "number", "read_space"]

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
MAX_POINTS = 1000


@dataclass(frozen=True, slots=True)
class Dimension:
    """One hyperparameter: values from `low` to `high`, or one of `values` where there are any."""

    name: str
    low: float
    high: float
    values: tuple[float, ...] = ()

    def document(self) -> dict[str, Any]:
        """The dimension as plain JSON values."""
        return {"name": self.name, "low": self.low, "high": self.high, "values": list(self.values)}


def read_space(entries: Sequence[Mapping[str, Any]]) -> tuple[Dimension, ...]:
    """The dimensions that `search_params` describes; raises ServiceError (2826) for the first thing wrong with them."""
    return tuple(_read(entry) for entry in entries)


def number(text: str) -> float | None:
    """The finite number that the text is; None if it is none."""
    value = float(text) if NUMBER.fullmatch(text.strip()) else math.inf
    return value if math.isfinite(value) else None


def _read(entry: Mapping[str, Any]) -> Dimension:
    name, listed = entry["name"], entry.get("discrete_values") or []
    kind = entry.get("param_type") or ("discrete" if listed else "continuous")
    if kind == "continuous" and listed:
        raise _wrong(name, "is continuous and has discrete_values")
    if listed:
        if _text(entry, "lower_bound") or _text(entry, "upper_bound") or _text(entry, "discrete_points_num"):
            raise _wrong(name, "has discrete_values and bounds: give one of the two")
        return _list(name, listed)
    low, high = (_bound(entry, member) for member in ("lower_bound", "upper_bound"))
    if not low < high:
        raise _wrong(name, f"has the lower bound {low:g}, which is not below the upper bound {high:g}")
    if not math.isfinite(high - low):
        raise _wrong(name, "has bounds that are too far apart")
    points = _text(entry, "discrete_points_num")
    if kind == "discrete" and not points:
        raise _wrong(name, "is discrete and has neither discrete_values nor discrete_points_num")
    return Dimension(name, low, high, _cut(name, low, high, points) if points else ())


def _list(name: str, listed: Sequence[str]) -> Dimension:
    values = [_number(name, "discrete_values", text) for text in listed]
    if len(values) > MAX_POINTS:
        raise _wrong(name, f"has more than {MAX_POINTS} discrete_values")
    if len(set(values)) < len(values):
        raise _wrong(name, "has a discrete value twice")
    return Dimension(name, min(values), max(values), tuple(sorted(values)))


def _cut(name: str, low: float, high: float, points: str) -> tuple[float, ...]:
    """So many points of the interval, its ends among them, at equal distances."""
    if not WHOLE.fullmatch(points) or len(points) > len(str(MAX_POINTS)) or not 2 <= int(points) <= MAX_POINTS:
        raise _wrong(name, f"has discrete_points_num {points[:20]!r}: it must be a whole number from 2 to {MAX_POINTS}")
    last = int(points) - 1
    return (*(low + (high - low) * index / last for index in range(last)), high)


def _bound(entry: Mapping[str, Any], member: str) -> float:
    if not (text := _text(entry, member)):
        raise _wrong(entry["name"], f"has no {member}")
    return _number(entry["name"], member, text)


def _number(name: str, member: str, text: str) -> float:
    if (value := number(text)) is None:
        raise _wrong(name, f"has {text[:40]!r} in {member}: only numbers can be searched")
    return value


def _text(entry: Mapping[str, Any], member: str) -> str:
    return (entry.get(member) or "").strip()


def _wrong(name: str, what: str) -> ServiceError:
    return ServiceError("ModelArts.2826", f"Search parameters error: {name} {what}.")
