"""One measured figure, its budget, and the verdict."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """A figure that must not exceed its budget, or with `at_least` must reach it; `unit` is × for a ratio.

    A figure without a budget is only shown.
    """

    what: str
    figure: float
    budget: float | None
    unit: str
    detail: str
    at_least: bool = False

    @property
    def is_within_budget(self) -> bool:
        if self.budget is None:
            return True
        return self.figure >= self.budget if self.at_least else self.figure <= self.budget

    def row(self) -> str:
        verdict = "-" if self.budget is None else "PASS" if self.is_within_budget else "OVER"
        figure = f"{self.figure:,.{2 if self.figure < 1000 else 0}f} {self.unit}"
        budget = "" if self.budget is None else f"{'≥' if self.at_least else '≤'} {self.budget:,g} {self.unit}"
        return f"{verdict:<4}  {self.what:<52} {figure:>10}  {budget:>10}   {self.detail}"


@dataclass(frozen=True)
class Pairs:
    """Alternating measurements of ours and a peer, in seconds, so that both see the same machine."""

    ours: list[float]
    peer: list[float]

    @classmethod
    def measure(cls, ours: Callable[[], float], peer: Callable[[], float], count: int, warm_up: int = 1) -> Pairs:
        for _ in range(warm_up):
            ours()
            peer()
        pairs = [(ours(), peer()) if index % 2 else (peer(), ours())[::-1] for index in range(count)]
        return cls([pair[0] for pair in pairs], [pair[1] for pair in pairs])

    @property
    def ratio(self) -> float:
        return statistics.median(self.ours) / statistics.median(self.peer)

    @property
    def detail(self) -> str:
        ours, peer = (statistics.median(values) * 1000 for values in (self.ours, self.peer))
        return f"{ours:.3g} ms against {peer:.3g} ms, medians of {len(self.ours)} alternating pairs"
