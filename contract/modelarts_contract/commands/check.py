"""`modelarts contract check`: check recorded exchanges against the documents.

Exit status: 0 nothing breaks the contract; 1 something does, or a replay differs in a status or a type; 2 wrong usage,
or no recording of this API; 3 the emulator of a replay could not be started.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import click

from modelarts_contract import har, proposals
from modelarts_contract.check_report import Checked, as_json, as_text
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.rules import judged
from modelarts_contract.sources import SourcesError

from .documents_option import documents_option
from .service_errors import as_exit_status

__all__ = ["check"]

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(short_help="Check recorded calls against the documents.")
@click.argument("recording", type=FILE)
@documents_option
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--openapi",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of a clone; prints a patch that adds what is new to the documents.",
)
@click.option("--replay", is_flag=True, help="Play the requests on an emulator, too, and compare its responses.")
def check(recording: Path, documents: tuple[str, ...], output: str, openapi: Path | None, replay: bool) -> None:
    """Check the exchanges of the HAR file RECORDING against the documents.

    Fields and values that are new in a response are listed and allowed. Exit status: 0 nothing breaks the contract,
    1 something does, or with --replay a status or a type differs, 2 wrong usage, or no recording of this API,
    3 the emulator of --replay could not be started.

    \b
    Examples:
      modelarts contract check session.har
      modelarts contract check session.har --replay
      modelarts contract check session.har --openapi openapi > new.patch
    """
    operations = Documents(documents)
    try:
        exchanges = list(har.read(recording))
    except har.HarError as error:
        raise click.UsageError(str(error)) from None
    if not exchanges:
        raise click.UsageError(f"{recording} has no entries: record again")
    hosts = hosts_of_api(exchanges, operations)
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
    if replay:
        results = with_replay(results, operations)
    if openapi is not None:
        print_patch(results, openapi)
    elif output == "json":
        click.echo(json.dumps(as_json(results), indent=1))
    else:
        click.echo("\n".join(as_text(results)))
    if any(result.fails for result in results):
        raise SystemExit(1)


def hosts_of_api(exchanges: list[Exchange], operations: Documents) -> set[str]:
    """The hosts, with their ports, that serve an operation; the root of a host says nothing, every host has one."""
    found = set()
    for exchange in exchanges:
        address = urlsplit(exchange.url)
        if address.path.strip("/") and operations.find(exchange.method, address.path) is not None:
            found.add(address.netloc)
    return found


def print_patch(results: list[Checked], openapi: Path) -> None:
    """Print the patch, and on standard error what has no place in it."""
    try:
        patch, unplaced = proposals.patch((found for result in results for found in result.findings), openapi)
    except SourcesError as error:
        raise click.UsageError(str(error)) from None
    click.echo(patch, nl=False)
    for finding in unplaced:
        click.echo(f"not in the patch, because no file has a place for it: {finding.message}", err=True)


def with_replay(results: list[Checked], operations: Documents) -> list[Checked]:
    """The results with what an emulator makes of the requests; raises SystemExit(3) if it cannot be started."""
    from modelarts_contract.replay.session import replayed  # it loads the emulator's client

    with as_exit_status():
        played = list(replayed([result.exchange for result in results], operations))
    return [replace(result, replay=comparison) for result, comparison in zip(results, played, strict=True)]
