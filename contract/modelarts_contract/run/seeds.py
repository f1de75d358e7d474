"""`modelarts contract run --seeds 20 --cases 2000`: the documents under many seeds, each on an emulator of its own.

A seed is done when fuzzing and the chains, which depend on it, have sent and checked that many cases; examples and
coverage, which do not, come on top. All checks are on.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click

from .emulated import serving
from .outcome import Outcome
from .runs import CALLS, CHAINS, run
from .service import Service

__all__ = ["Row", "try_seeds"]

AGAIN = ("--phases", "fuzzing")
SEEDED = ("fuzzing", "stateful")
FORM = "{:>6} {:>8} {:>8} {:>9} {:>9} {:>9}"
ROUND = 1_000_000  # between the seeds of two rounds, so that no round repeats another one


@dataclass(frozen=True)
class Row:
    """What came of one seed; `seconds` is the time that all its runs took together."""

    seed: int | str
    outcomes: list[Outcome]
    seconds: float

    @property
    def cases(self) -> int:
        return sum(outcome.cases().total() for outcome in self.outcomes)

    @property
    def seeded(self) -> int:
        """How many of the cases depend on the seed."""
        return seeded(self.outcomes)

    @property
    def failures(self) -> int:
        return sum(outcome.failures for outcome in self.outcomes)

    def __str__(self) -> str:
        rate = self.cases / self.seconds
        return FORM.format(self.seed, self.cases, self.seeded, f"{self.seconds:.1f}", f"{rate:.0f}", self.failures)


def seeded(outcomes: list[Outcome]) -> int:
    return sum(outcome.cases()[phase] for outcome in outcomes for phase in SEEDED)


def tried(names: Sequence[str], seed: int, cases: int) -> Row:
    """Run everything with the seed, and then fuzzing and chains with seeds derived from it until there are enough."""
    began = time.monotonic()
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="contract-") as name, serving(Path(name)) as service:
        for number, phases in enumerate(rounds()):
            if number >= 2 and seeded(outcomes) >= cases:
                break
            outcomes += runs(names, service, Path(name), seed + number // 2 * ROUND, phases, f"seed-{seed}-{number}")
    return Row(seed, outcomes, time.monotonic() - began)


def rounds() -> Iterator[tuple[str, ...]]:
    yield CALLS
    while True:
        yield CHAINS
        yield AGAIN


def runs(
    names: Sequence[str], service: Service, folder: Path, seed: int, phases: tuple[str, ...], name: str
) -> Iterator[Outcome]:
    for document in names:
        yield run(service, folder, f"{name}-{document}", document, *phases, seed=seed, thorough=True)


def try_seeds(names: Sequence[str], seeds: int, cases: int) -> int:
    """Check the emulator against the documents under many seeds, as many at a time as there are cores.

    Prints a row for each; returns how many findings there are in all.
    """
    began, rows = time.monotonic(), []
    click.echo(FORM.format("seed", "cases", "seeded", "seconds", "cases/s", "failures"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for row in pool.map(lambda seed: tried(names, seed, cases), range(1, seeds + 1)):
            click.echo(str(row))
            rows.append(row)
    whole = Row("all", [outcome for row in rows for outcome in row.outcomes], time.monotonic() - began)
    click.echo(str(whole))
    for outcome in whole.outcomes:
        if outcome.failures:
            click.echo(f"{outcome.name}: {outcome.failures} failures\n{outcome.output}")
    return whole.failures
