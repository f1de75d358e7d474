"""`modelarts contract check`: check recorded exchanges against the documents; its help has the exit statuses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from modelarts_contract import har, proposals
from modelarts_contract.commands.options import EXISTING, as_exit_status
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding
from modelarts_contract.rules.session import judged

if TYPE_CHECKING:  # it loads the emulator's client
    from modelarts_contract.replay import Replay

__all__ = ["check"]


@dataclass(frozen=True)
class Checked:
    """A recorded exchange with its number (from 1), its findings, and what a replay made of it."""

    number: int
    exchange: Exchange
    findings: Sequence[Finding]
    replay: Replay | None = None

    @property
    def replayed_findings(self) -> Sequence[Finding]:
        return self.replay.findings if self.replay else ()

    @property
    def is_silent(self) -> bool:
        """Whether there is nothing to report."""
        return not (self.findings or self.replayed_findings or (self.replay and self.replay.skipped))


@click.command(short_help="Check recorded calls against the documents.")
@click.argument("recording", type=EXISTING)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--openapi", is_flag=True, help="Print an OpenAPI Overlay that adds what is new to the documents.")
@click.option("--replay", is_flag=True, help="Also play the requests on an emulator, and compare its responses.")
def check(recording: Path, output: str, openapi: bool, replay: bool) -> None:
    """Check the exchanges of the HAR file RECORDING against the documents.

    Fields and values that are new in a response are listed and allowed. Exit status: 0 nothing breaks the contract,
    1 something does, or with --replay a status differs, 2 wrong usage, or no recording of this API,
    3 the emulator of --replay could not be started.

    \b
    Examples:
      modelarts contract check session.har
      modelarts contract check session.har --replay
      modelarts contract check session.har --openapi > overlay.yaml
    """
    operations = Documents()
    results = checked(recording, operations)
    if replay:
        from modelarts_contract.replay import replayed

        with as_exit_status():
            played = list(replayed([result.exchange for result in results], operations))
        results = [replace(result, replay=each) for result, each in zip(results, played, strict=True)]
    if openapi:
        click.echo(proposals.overlays(found for result in results for found in result.findings), nl=False)
    elif output == "json":
        click.echo(json.dumps([as_json(result) for result in results if not result.is_silent], indent=1))
    else:
        click.echo("\n".join(as_text(results)))
    if any(found.breaks_contract for result in results for found in (*result.findings, *result.replayed_findings)):
        raise SystemExit(1)


def checked(recording: Path, operations: Documents) -> list[Checked]:
    """The exchanges with hosts of this API, with what is found in them; raises UsageError if there are none."""
    try:
        exchanges = list(har.read(recording))
    except har.HarError as error:
        raise click.UsageError(str(error)) from None
    if not exchanges:
        raise click.UsageError(f"{recording} has no entries: record again")
    hosts = {urlsplit(each.url).netloc for each in exchanges if operations.describe(each.method, each.url)}
    if not hosts:
        raise click.UsageError(
            f"none of the {len(exchanges)} entries of {recording} is a call of this API: record another service"
        )
    results = [
        Checked(number, each, found)
        for number, (each, found) in enumerate(judged(exchanges, operations), 1)
        if urlsplit(each.url).netloc in hosts
    ]
    if others := len(exchanges) - len(results):
        click.echo(f"{others} exchanges with other hosts than {', '.join(sorted(hosts))} are left out.", err=True)
    return results


def as_json(result: Checked) -> dict[str, Any]:
    exchange, replay = result.exchange, result.replay
    found: dict[str, Any] = {"entry": result.number, "method": exchange.method, "url": exchange.url}
    found |= {"status": exchange.status, "findings": members(result.findings)}
    if replay is not None:
        found["emulator"] = {"status": replay.status, "skipped": replay.skipped, "findings": members(replay.findings)}
    return found


def members(findings: Iterable[Finding]) -> list[dict[str, str]]:
    names = ("kind", "document", "operation", "message", "where")
    return [{name: str(getattr(each, name)) for name in names} for each in findings]


def as_text(results: Sequence[Checked]) -> Iterator[str]:
    """Each exchange with what is to be reported of it, then the numbers of all kinds."""
    for result in results:
        if not result.is_silent:
            yield from paragraph(result)
    kinds = counted(found for result in results for found in result.findings)
    yield f"{len(results)} exchanges: {kinds or 'no findings'}"
    if any(result.replay for result in results):
        played = sum(result.replay is not None and not result.replay.skipped for result in results)
        kinds = counted(found for result in results for found in result.replayed_findings)
        yield f"{played} played on the emulator: {kinds or 'no differences'}"


def paragraph(result: Checked) -> Iterator[str]:
    exchange, replay = result.exchange, result.replay
    emulated = f" (emulator: {replay.status})" if replay and replay.status else ""
    yield f"{result.number}. {exchange.method} {exchange.url} -> {exchange.status}{emulated}"
    yield from (f"   {finding.kind}: {finding.message}" for finding in result.findings)
    yield from (f"   emulator: {finding.kind}: {finding.message}" for finding in result.replayed_findings)
    if replay and replay.skipped:
        yield f"   not played: {replay.skipped}"


def counted(findings: Iterable[Finding]) -> str:
    kinds = Counter(finding.kind.value for finding in findings)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
