"""Parallel coordinates of the trials of a search: an axis for each hyperparameter and metric, a line for each trial."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from modelarts_toolkit.jobs.trials import Ranking, configuration, number_in, short

LOGARITHMIC_FROM = 100  # how many times the smallest value the largest one is


class Axis(NamedTuple):
    """An axis of parallel coordinates; `places` has of each trial how far down it is, 0 to 100, or None."""

    name: str
    low: str
    high: str
    places: Sequence[float | None]

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> "Axis":
        """Numbers by their size, logarithmic over more than two decades; other values by their names."""
        texts = sorted({str(value) for value in values if value not in (None, "")})
        numbers = {text: number for text in texts if (number := number_in(text)) is not None and math.isfinite(number)}
        if len(numbers) < len(texts):
            numbers = {text: float(place) for place, text in enumerate(texts)}
        ordered = sorted(numbers, key=lambda text: numbers[text]) or [""]
        low, high = numbers.get(ordered[0], 0.0), numbers.get(ordered[-1], 0.0)
        if low > 0 and high >= LOGARITHMIC_FROM * low:
            low, high, numbers = math.log(low), math.log(high), {text: math.log(each) for text, each in numbers.items()}
        span = high - low
        found = [numbers.get(str(value)) for value in values]
        places = [None if each is None else 100 - 100 * (each - low) / span if span else 50 for each in found]
        return cls(name, short(ordered[0]), short(ordered[-1]), places)


def parallel_axes(ranking: Ranking) -> list[Axis]:
    """An axis for each metric of a search, the deciding one first, and then for each hyperparameter."""
    trials = [configuration(row) for row in ranking.rows]
    axes = [Axis.of(name, [row.get(name) for row in ranking.rows]) for name in ranking.metrics]
    names = dict.fromkeys(name for trial in trials for name in trial)
    return axes + [Axis.of(name, [trial.get(name) for trial in trials]) for name in names]


def parallel_lines(axes: Sequence[Axis]) -> list[str]:
    """Of each trial the points of its line in a square of 100, through the axes on which it has a value."""
    width = 100 / max(len(axes), 1)
    return [
        " ".join(f"{width * (index + 0.5):.2f},{place:.2f}" for index, place in enumerate(places) if place is not None)
        for places in zip(*(axis.places for axis in axes), strict=True)
    ]
