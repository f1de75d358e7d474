"""`modelarts contract check`: check recorded exchanges against the documents; its help has the exit statuses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from modelarts_contract import har, proposals
from modelarts_contract.commands.options import EXISTING
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding
from modelarts_contract.rules.memory import DELETION_S, LAG_S
from modelarts_contract.rules.session import judged

__all__ = ["check"]

NO_CONTENT = 204
WITHOUT_CONTENT = (0, NO_CONTENT)  # 0: there was no response


@dataclass(frozen=True)
class Checked:
    """A recorded exchange with its number (from 1) and its findings."""

    number: int
    exchange: Exchange
    findings: Sequence[Finding]


seconds = partial(click.option, type=click.FloatRange(min=0), metavar="SECONDS", show_default=True)


@click.command(short_help="Check recorded calls against the documents.")
@click.argument("recording", type=EXISTING)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--openapi", is_flag=True, help="Print an OpenAPI Overlay that adds what is new to the documents.")
@seconds("--lag", default=LAG_S, envvar="CONTRACT_LAG_S", help="How long a change may not be shown.")
@seconds("--deletion", default=DELETION_S, envvar="CONTRACT_DELETION_S", help="How long a deletion may have no effect.")
def check(recording: Path, output: str, openapi: bool, lag: float, deletion: float) -> None:
    """Check the exchanges of the HAR file RECORDING against the documents.

    Fields and values that are new in a response are listed and allowed. Exit status: 0 nothing breaks the contract,
    1 something does, 2 wrong usage, or no recording of this API, 3 nothing could be checked, because the recording has
    no body of a response.

    \b
    Examples:
      modelarts contract check session.har
      modelarts contract check session.har --lag 0 --deletion 0
      modelarts contract check session.har --openapi > overlay.yaml
    """
    results = checked(recording, Documents(), lag, deletion)
    is_any_checked = said_what_is_unknown([result.exchange for result in results])
    if openapi:
        click.echo(proposals.overlays(found for result in results for found in result.findings), nl=False)
    elif output == "json":
        click.echo(json.dumps([as_json(result) for result in results if result.findings], indent=1))
    else:
        click.echo("\n".join(as_text(results, "no findings" if is_any_checked else "nothing could be checked")))
    if any(found.breaks_contract for result in results for found in result.findings):
        raise SystemExit(1)
    if not is_any_checked:
        raise SystemExit(3)


def checked(recording: Path, operations: Documents, lag_s: float, deletion_s: float) -> list[Checked]:
    """The exchanges with hosts of this API, with what is found in them; raises UsageError if there are none."""
    try:
        entries = har.entries(recording)
    except har.HarError as error:
        raise click.UsageError(str(error)) from None
    if not entries:
        raise click.UsageError(f"{recording} has no entries: record again")
    for each in entries:
        if each.problem:
            click.echo(f"entry {each.number} is left out: {each.problem}", err=True)
    found = [(each.number, each.exchange) for each in entries if each.exchange is not None]
    hosts = {host_of(each) for _, each in found if operations.describe(each.method, each.url)} - {""}
    if not hosts:
        raise click.UsageError(
            f"none of the {len(entries)} entries of {recording} is a call of this API: record another service"
        )
    with_hosts = [each for each in found if host_of(each[1]) in hosts]
    pages = {each.number for each in entries if each.is_of_page}
    of_browsers = {each.number for each in entries if each.is_of_browser} | {
        number for number, each in with_hosts if number in pages and not operations.describe(each.method, each.url)
    }
    ours = [each for each in with_hosts if each[0] not in of_browsers]
    if browsers := len(with_hosts) - len(ours):
        click.echo(f"{browsers} entries are of a browser itself and left out (preflights, its cache, pages).", err=True)
    if others := len(found) - len(with_hosts):
        click.echo(f"{others} exchanges with other hosts than {', '.join(sorted(hosts))} are left out.", err=True)
    judgements = judged([each for _, each in ours], operations, lag_s=lag_s, deletion_s=deletion_s)
    return [Checked(number, each, findings) for (number, _), (each, findings) in zip(ours, judgements, strict=True)]


def host_of(exchange: Exchange) -> str:
    """The host with its port; empty for what is no HTTP."""
    address = urlsplit(exchange.url)
    return address.netloc if address.scheme in ("http", "https") else ""


def said_what_is_unknown(exchanges: Sequence[Exchange]) -> bool:
    """Say how many bodies the recording lacks; return whether anything could be checked but statuses."""
    responses = [each for each in exchanges if each.status not in WITHOUT_CONTENT and each.method != "HEAD"]
    for name, unknown in (
        ("request", sum(not each.has_request_body for each in exchanges)),
        ("response", sum(not each.has_body for each in responses)),
    ):
        if unknown:
            click.echo(
                f"{unknown} of {len(exchanges)} exchanges have no body of the {name} in the recording: "
                "record them with bodies to check them",
                err=True,
            )
    return any(each.has_body for each in responses) or any(each.status == NO_CONTENT for each in exchanges)


def as_json(result: Checked) -> dict[str, Any]:
    exchange = result.exchange
    names = ("kind", "document", "operation", "message", "where")
    findings = [{name: str(getattr(each, name)) for name in names} for each in result.findings]
    found = {"entry": result.number, "method": exchange.method, "url": exchange.url, "status": exchange.status}
    return {**found, "findings": findings}


def as_text(results: Sequence[Checked], nothing: str) -> Iterator[str]:
    """Each exchange with what is to be reported of it, then the numbers of all kinds, or else that there is nothing."""
    for result in results:
        exchange = result.exchange
        if result.findings:
            yield f"{result.number}. {exchange.method} {exchange.url} -> {exchange.status}"
            yield from (f"   {finding.kind}: {finding.message}" for finding in result.findings)
    kinds = Counter(finding.kind.value for result in results for finding in result.findings)
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    yield f"{len(results)} exchanges: {counted or nothing}"
