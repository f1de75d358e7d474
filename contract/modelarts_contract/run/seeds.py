"""`modelarts contract run --seeds 20 --cases 2000`: the documents under many seeds, each on an emulator of its own.

Every seed sends at least that many cases to each document: calls and chains, and more fuzzing until there are enough.
All checks are on.
"""

from __future__ import annotations

import itertools
import os
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click

from modelarts_contract import temporary

from .emulated import serving
from .outcome import Outcome
from .runs import CALLS, CHAINS, run
from .service import Service

__all__ = ["Row", "try_seeds"]

AGAIN = ("--phases", "fuzzing")
FORM = "{:>6} {:<8} {:>8} {:>9} {:>9} {:>9}"
ROUND = 1_000_000  # between the seeds of two rounds, so that no round repeats another one


@dataclass(frozen=True)
class Row:
    """What came of one document under one seed; `duration_s` is the time that its runs took together."""

    seed: int | str
    document: str
    outcomes: list[Outcome]
    duration_s: float

    @property
    def cases(self) -> int:
        return sum(outcome.cases().total() for outcome in self.outcomes)

    @property
    def failures(self) -> int:
        return sum(outcome.failures for outcome in self.outcomes)

    @property
    def statuses(self) -> Counter[int]:
        """How many responses had which status."""
        return Counter(status for outcome in self.outcomes for _, _, status in outcome.exchanges())

    def __str__(self) -> str:
        rate = self.cases / self.duration_s
        return FORM.format(self.seed, self.document, self.cases, f"{self.duration_s:.1f}", f"{rate:.0f}", self.failures)


def tried(names: Sequence[str], seed: int, cases: int) -> list[Row]:
    """Try the documents with the seed, one after the other."""
    with temporary.folder() as folder, serving(folder) as service:
        return [row(service, folder, name, seed, cases) for name in names]


def row(service: Service, folder: Path, document: str, seed: int, cases: int) -> Row:
    """Run calls and chains with the seed, and then fuzzing with seeds derived from it until there are enough cases."""
    began = time.monotonic()
    outcomes: list[Outcome] = []
    for number, phases in enumerate(itertools.chain((CALLS, CHAINS), itertools.repeat(AGAIN))):
        round_seed = seed + max(0, number - 1) * ROUND
        outcomes.append(run(service, folder, f"{document}-{number}", document, *phases, seed=round_seed))
        found = Row(seed, document, outcomes, time.monotonic() - began)
        if phases is not CALLS and (found.cases >= cases or not outcomes[-1].cases()):
            return found
    raise AssertionError  # the rounds have no end


def try_seeds(names: Sequence[str], seeds: int, cases: int) -> int:
    """Check the emulator against the documents under many seeds, as many at a time as there are cores.

    Prints a row for each document of each, with its findings, and the statuses of all responses; returns how many
    findings there are in all.
    """
    began, rows = time.monotonic(), []
    click.echo(FORM.format("seed", "document", "cases", "seconds", "cases/s", "failures"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda seed: tried(names, seed, cases), range(1, seeds + 1)):
            for one in found:
                click.echo(str(one))
                for outcome in one.outcomes:
                    if outcome.failures:
                        click.echo(f"{outcome.name}, seed {one.seed}:\n{outcome.output}")
            rows += found
    for name in names:
        whole = [outcome for one in rows if one.document == name for outcome in one.outcomes]
        total = Row("all", name, whole, time.monotonic() - began)
        click.echo(str(total))
        click.echo("  " + ", ".join(f"{status} × {count}" for status, count in sorted(total.statuses.items())))
    return sum(one.failures for one in rows)
