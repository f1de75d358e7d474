"""What one process of schemathesis did: its findings, its exchanges, its speed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Outcome", "table"]


@dataclass(frozen=True)
class Outcome:
    """What one run did: its exit status, its text, its findings, and every exchange."""

    name: str
    exit_status: int
    output: str
    record: list[dict[str, Any]]
    began: float
    ended: float

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Every finding once, as recording.py writes it, with its phase."""
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for line in self.record:
            if "finding" in line:
                found.setdefault(tuple(line["finding"]["identity"]), {**line["finding"], "phase": line["phase"]})
        return list(found.values())

    def kinds(self, label: str = "") -> set[str]:
        """The kinds of findings, of one operation (`GET /path`) or of all; for a check of our own, its name."""
        return {finding["kind"] for finding in self.findings if label in (finding["operation"], "")}

    @property
    def failures(self) -> int:
        """How many new findings there are; a run that broke off counts as one."""
        return max(sum(not finding["known"] for finding in self.findings), int(self.exit_status != 0))

    def exchanges(self) -> Iterator[tuple[str, str | None, int]]:
        """Yield for every response: the operation (`GET /path`), the link that led there if one did, and the status."""
        for line in self.record:
            if "operation" in line:
                yield line["operation"], line.get("link"), line["status"]

    def cases(self) -> Counter[str]:
        """How many cases each phase sent, how many got a response, and how many were checked."""
        return Counter(line["phase"] for line in self.record if line.get("checks"))

    def seconds(self) -> dict[str, float]:
        """How long each phase took that sent anything."""
        taken = {line["phase"]: line["seconds"] for line in self.record if "seconds" in line}
        return {phase: taken[phase] for phase in self.cases()}


def table(outcomes: Iterable[Outcome]) -> str:
    """Cases that were sent and checked, per run and phase and in all; the last line is about the time on the wall."""
    outcomes = list(outcomes)
    wall = max(outcome.ended for outcome in outcomes) - min(outcome.began for outcome in outcomes)
    whole = sum(outcome.cases().total() for outcome in outcomes)
    lines = [f"{'run':<16} {'phase':<10} {'cases':>7} {'seconds':>8} {'cases/s':>8}"]
    for outcome in outcomes:
        for phase, seconds in outcome.seconds().items():
            lines.append(row(outcome.name, phase, outcome.cases()[phase], seconds))
    return "\n".join([*lines, row("all", f"{os.cpu_count()} cores", whole, wall)])


def row(name: str, phase: str, cases: int, seconds: float) -> str:
    return f"{name:<16} {phase:<10} {cases:>7} {seconds:>8.1f} {cases / seconds:>8.0f}"
