"""Curves as bars of characters, for terminals."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from modelarts_toolkit.texts import counted, number_text, shortened

if TYPE_CHECKING:
    from modelarts_toolkit.curves.curves import Curve  # takes a while to load

BARS = "▁▂▃▄▅▆▇█"  # of curves
GAP = "·"  # for a value that is not finite
MOST_LINES = 6  # with curves
WIDEST_NAME = 24  # characters
WIDEST_CURVE = 60
NARROWEST_CURVE = 4


def curve_lines(curves: "Sequence[Curve]", width: int) -> Iterator[str]:
    """Yield a line of less than `width` characters for each of the first curves; a narrow one has no bars."""
    shown = curves[:MOST_LINES]
    texts = [
        f"{number_text(curve.first)} → {number_text(curve.last)}"
        + (f", best {number_text(curve.best)}" if curve.has_best else "")
        for curve in shown
    ]
    names = [shortened(curve.name, WIDEST_NAME) for curve in shown]
    widest_name = max(map(len, names), default=0)
    room = min(width - widest_name - max(map(len, texts), default=0) - 5, WIDEST_CURVE)
    drawn = [sparkline(curve.values, room) if room >= NARROWEST_CURVE else "" for curve in shown]
    widest = max(map(len, drawn), default=0)
    for name, line, text in zip(names, drawn, texts, strict=True):
        parts = [name.ljust(widest_name), *([line.ljust(widest)] if widest else []), text]
        yield shortened("  ".join(parts), width - 1)
    if len(curves) > len(shown):
        yield f"and {counted(len(curves) - len(shown), 'more curve')}"


def sparkline(values: Sequence[float], width: int, limits: tuple[float, float] | None = None) -> str:
    """Draw the values as bars, by default from the smallest to the largest; a long series is averaged to `width`."""
    step = -(-len(values) // width)
    parts = [values[start : start + step] for start in range(0, len(values), step)]
    means = [_mean([value for value in part if math.isfinite(value)]) for part in parts]
    known = [mean for mean in means if mean is not None]
    low, high = limits or (min(known, default=0), max(known, default=0))
    return "".join(GAP if mean is None else BARS[_level(mean, low, high)] for mean in means)


def _level(value: float, low: float, high: float) -> int:
    top = len(BARS) - 1
    # halves, because the difference of two large numbers may be infinite
    level = round((value / 2 - low / 2) / (high / 2 - low / 2) * top) if high / 2 > low / 2 else top // 2
    return min(max(level, 0), top)


def _mean(values: Sequence[float]) -> float | None:
    if not values:
        return None
    mean = sum(value / len(values) for value in values)
    return min(max(mean, min(values)), max(values))  # equal values have no other mean
