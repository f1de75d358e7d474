"""What a check of a recording found, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .exchange import Exchange
from .replay.comparison import Comparison
from .validation import Finding

__all__ = ["Checked", "as_json", "as_text"]


@dataclass(frozen=True)
class Checked:
    """A recorded exchange with its number (from 1), its findings, and what a replay made of it."""

    number: int
    exchange: Exchange
    findings: Sequence[Finding]
    replay: Comparison | None = None

    @property
    def fails(self) -> bool:
        broken = any(finding.breaks_contract for finding in self.findings)
        return broken or (self.replay is not None and self.replay.fails)

    @property
    def is_silent(self) -> bool:
        """Whether there is nothing to report."""
        replay = self.replay
        return not self.findings and not (replay and (replay.skipped or replay.findings or replay.differences))


def as_json(results: Sequence[Checked]) -> list[dict[str, Any]]:
    """The exchanges that there is something to report of."""
    return [entry(result) for result in results if not result.is_silent]


def entry(result: Checked) -> dict[str, Any]:
    exchange, replay = result.exchange, result.replay
    found: dict[str, Any] = {
        "entry": result.number,
        "method": exchange.method,
        "url": exchange.url,
        "status": exchange.status,
        "findings": [described(finding) for finding in result.findings],
    }
    if replay is not None:
        found["emulator"] = {
            "status": replay.status,
            "skipped": replay.skipped,
            "findings": [described(finding) for finding in replay.findings],
            "differences": [{"kind": each.kind.value, "message": each.message} for each in replay.differences],
        }
    return found


def described(finding: Finding) -> dict[str, str]:
    return {
        "kind": finding.kind.value,
        "document": finding.document,
        "operation": finding.operation,
        "message": finding.message,
        "where": finding.where,
    }


def as_text(results: Sequence[Checked]) -> Iterator[str]:
    """Each exchange with what is to be reported of it, then the numbers of all kinds."""
    for result in results:
        if not result.is_silent:
            yield from paragraph(result)
    kinds = Counter(finding.kind.value for result in results for finding in result.findings)
    yield f"{len(results)} exchanges: {counted(kinds) or 'no findings'}"
    replays = [result.replay for result in results if result.replay is not None]
    if replays:
        played = [replay for replay in replays if not replay.skipped]
        kinds = Counter(finding.kind.value for replay in played for finding in replay.findings)
        kinds.update(difference.kind.value for replay in played for difference in replay.differences)
        yield f"{len(played)} played on the emulator: {counted(kinds) or 'no differences'}"


def paragraph(result: Checked) -> Iterator[str]:
    exchange, replay = result.exchange, result.replay
    emulated = f" (emulator: {replay.status})" if replay is not None and replay.status is not None else ""
    yield f"{result.number}. {exchange.method} {exchange.url} -> {exchange.status}{emulated}"
    yield from (f"   {finding.kind.value}: {finding.message}" for finding in result.findings)
    if replay is not None:
        yield from (f"   emulator: {finding.kind.value}: {finding.message}" for finding in replay.findings)
        yield from (f"   {each.kind.value}: {each.message}" for each in replay.differences)
        if replay.skipped:
            yield f"   not played: {replay.skipped}"


def counted(kinds: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
