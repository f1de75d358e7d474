"""What one process of schemathesis, or the reading of a run, did: its findings and its exchanges."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Outcome", "without_values"]


@dataclass(frozen=True)
class Outcome:
    """What one run did: its exit status, its text, its findings, and every exchange."""

    name: str
    exit_status: int
    output: str
    record: list[dict[str, Any]]

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Every finding once, as recording.py writes it, with its phase."""
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for line in self.record:
            if "finding" in line:
                found.setdefault(tuple(line["finding"]["identity"]), {**line["finding"], "phase": line["phase"]})
        return list(found.values())

    def kinds(self, label: str = "") -> set[str]:
        """The kinds of findings, of one operation (`GET /path`) or of all."""
        return {finding["kind"] for finding in self.findings if label in (finding["operation"], "")}

    @property
    def failures(self) -> int:
        """How many findings there are; a run that broke off counts as one."""
        return max(len(self.findings), int(self.exit_status != 0))

    def exchanges(self) -> Iterator[dict[str, Any]]:
        """Yield the line of every response."""
        yield from (line for line in self.record if "operation" in line)

    def cases(self) -> Counter[str]:
        """How many cases each phase sent, how many got a response, and how many were checked."""
        return Counter(line["phase"] for line in self.record if line.get("checks"))


def without_values(message: str) -> str:
    """The message without ids, numbers and values, so that it is the same in another run."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "…", message)
    return re.sub(r"\b[0-9a-f]{8}[0-9a-f-]{20,}\b|\d+", "…", text)[:200]
