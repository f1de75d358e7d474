"""`modelarts contract check`: check recorded exchanges against the documents; its help has the exit statuses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from modelarts_contract import har, proposals
from modelarts_contract.commands.options import EXISTING
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding
from modelarts_contract.rules.session import judged

__all__ = ["check"]


@dataclass(frozen=True)
class Checked:
    """A recorded exchange with its number (from 1) and its findings."""

    number: int
    exchange: Exchange
    findings: Sequence[Finding]


@click.command(short_help="Check recorded calls against the documents.")
@click.argument("recording", type=EXISTING)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--openapi", is_flag=True, help="Print an OpenAPI Overlay that adds what is new to the documents.")
def check(recording: Path, output: str, openapi: bool) -> None:
    """Check the exchanges of the HAR file RECORDING against the documents.

    Fields and values that are new in a response are listed and allowed. Exit status: 0 nothing breaks the contract,
    1 something does, 2 wrong usage, or no recording of this API.

    \b
    Examples:
      modelarts contract check session.har
      modelarts contract check session.har --openapi > overlay.yaml
    """
    operations = Documents()
    results = checked(recording, operations)
    if openapi:
        click.echo(proposals.overlays(found for result in results for found in result.findings), nl=False)
    elif output == "json":
        click.echo(json.dumps([as_json(result) for result in results if result.findings], indent=1))
    else:
        click.echo("\n".join(as_text(results)))
    if any(found.breaks_contract for result in results for found in result.findings):
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
    exchange = result.exchange
    found: dict[str, Any] = {"entry": result.number, "method": exchange.method, "url": exchange.url}
    found |= {"status": exchange.status, "findings": members(result.findings)}
    return found


def members(findings: Iterable[Finding]) -> list[dict[str, str]]:
    names = ("kind", "document", "operation", "message", "where")
    return [{name: str(getattr(each, name)) for name in names} for each in findings]


def as_text(results: Sequence[Checked]) -> Iterator[str]:
    """Each exchange with what is to be reported of it, then the numbers of all kinds."""
    for result in results:
        if result.findings:
            yield from paragraph(result)
    kinds = counted(found for result in results for found in result.findings)
    yield f"{len(results)} exchanges: {kinds or 'no findings'}"


def paragraph(result: Checked) -> Iterator[str]:
    exchange = result.exchange
    yield f"{result.number}. {exchange.method} {exchange.url} -> {exchange.status}"
    yield from (f"   {finding.kind}: {finding.message}" for finding in result.findings)


def counted(findings: Iterable[Finding]) -> str:
    kinds = Counter(finding.kind.value for finding in findings)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
