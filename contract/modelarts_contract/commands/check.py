"""`modelarts contract check`: hold recorded exchanges against the documents.

Exit status: 0 nothing breaks the contract, 1 something does, 2 wrong usage or no recording of this API.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

import modelarts_openapi
from modelarts_contract import har, proposals
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.validation import Finding, Kind, findings

__all__ = ["check"]

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("recording", type=FILE)
@click.option(
    "--documents", default=",".join(modelarts_openapi.NAMES), show_default=True, help="Names, separated by commas."
)
@click.option("--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--openapi",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of a clone; prints a patch for unknown fields.",
)
def check(recording: Path, documents: str, output: str, openapi: Path | None) -> None:
    """Check the exchanges of a HAR file.

    Example: modelarts contract check session.har
    """
    names = [name.strip() for name in documents.split(",")]
    if unknown := sorted(set(names) - set(modelarts_openapi.NAMES)):
        known = ", ".join(modelarts_openapi.NAMES)
        raise click.UsageError(f"no document is named {', '.join(unknown)}; the documents are {known}")
    operations = Documents(names)
    try:
        exchanges = list(har.read(recording))
    except har.HarError as error:
        raise click.UsageError(str(error)) from None
    results = [(number, exchange, list(findings(exchange, operations))) for number, exchange in enumerate(exchanges, 1)]
    if not any(is_known(found) for _, _, found in results):
        raise click.UsageError(
            f"{recording} has no exchange of this API among {len(exchanges)}: record another service"
        )
    if openapi is not None:
        named = {operation.operation_id: operation.name for operation in operations.operations}
        of_documents = [(named[f.operation], f) for _, _, found in results for f in found if f.operation]
        click.echo(proposals.patch(of_documents, openapi), nl=False)
    elif output == "json":
        click.echo(json.dumps([as_json(*result) for result in results if result[2]], indent=1, default=str))
    else:
        show(results)
    if any(finding.breaks_contract for _, _, found in results for finding in found):
        raise SystemExit(1)


def is_known(found: list[Finding]) -> bool:
    return all(finding.kind is not Kind.UNKNOWN_OPERATION for finding in found)


def as_json(number: int, exchange: Exchange, found: list[Finding]) -> dict[str, object]:
    listed = [{"kind": f.kind.value, "operation": f.operation, "message": f.message, "where": f.where} for f in found]
    return {
        "entry": number,
        "method": exchange.method,
        "url": exchange.url,
        "status": exchange.status,
        "findings": listed,
    }


def show(results: list[tuple[int, Exchange, list[Finding]]]) -> None:
    for number, exchange, found in results:
        if found:
            click.echo(f"{number}. {exchange.method} {exchange.url} -> {exchange.status}")
        for finding in found:
            click.echo(f"   {finding.kind.value}: {finding.message}")
    kinds = Counter(finding.kind.value for _, _, found in results for finding in found)
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "no findings"
    click.echo(f"{len(results)} exchanges: {counted}")
