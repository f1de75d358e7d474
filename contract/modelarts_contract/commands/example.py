"""`modelarts contract example`: turn recorded exchanges into examples of the documents and seeds of the emulator.

Exit status: 0 something was written, 1 no exchange can be an example, 2 wrong usage.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from modelarts_contract import har
from modelarts_contract.documents import Documents
from modelarts_contract.examples import CASE, ExampleError, example_files, seed_files
from modelarts_contract.exchange import Exchange
from modelarts_contract.redaction import Redaction
from modelarts_contract.sources import SourcesError

__all__ = ["example"]


@click.command(short_help="Write recorded calls as examples and seeds.")
@click.argument("recording", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("case")
@click.option("--entry", "entries", type=click.IntRange(1), multiple=True, help="Only this entry; can be repeated.")
@click.option(
    "--openapi",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of documents in a clone: write the bodies as examples, and name them in their operations.",
)
@click.option(
    "--seeds",
    type=click.Path(file_okay=False, path_type=Path),
    help='A folder for "modelarts emulator --seeds": write what the requests create, with objects for their code.',
)
def example(recording: Path, case: str, entries: tuple[int, ...], openapi: Path | None, seeds: Path | None) -> None:
    """Write exchanges of the HAR file RECORDING as examples of the documents and seeds of the emulator.

    CASE names the files: small letters, digits and hyphens. Secrets, ids and names are replaced first. An exchange that
    is not as documented is left out: check it, and describe what is new. Existing examples and seeds stay as they are.

    \b
    Examples:
      modelarts contract example session.har two-nodes --entry 3 --openapi openapi
      modelarts contract example session.har night --seeds seeds
    """
    if openapi is None and seeds is None:
        raise click.UsageError("name a folder to write to: --openapi, --seeds, or both")
    if not CASE.fullmatch(case):
        raise click.UsageError(f"{case!r} cannot name a file: use small letters, digits and hyphens")
    try:
        exchanges = list(har.read(recording))
    except har.HarError as error:
        raise click.UsageError(str(error)) from None
    if missing := [number for number in entries if number > len(exchanges)]:
        raise click.UsageError(f"{recording} has no entry {missing[0]}: it has {len(exchanges)}")
    if not exchanges:
        raise click.UsageError(f"{recording} has no entries: record again")
    redact, documents = Redaction(), Documents()
    chosen = {
        number: redact(exchange) for number, exchange in enumerate(exchanges, 1) if number in (entries or [number])
    }
    written = 0
    for number, exchange in chosen.items():
        name = case if len(chosen) == 1 else f"{case}-{number}"
        for folder, make in ((openapi, example_files), (seeds, seed_files)):
            if folder is not None:
                written += write(number, make, exchange, name, folder, documents)
    if not written:
        raise SystemExit(1)


Make = Callable[[Exchange, str, Path, Documents], dict[Path, str]]


def write(number: int, make: Make, exchange: Exchange, case: str, folder: Path, documents: Documents) -> int:
    """Write the files of one exchange and name them; returns how many."""
    try:
        files = make(exchange, case, folder, documents)
    except ExampleError as error:
        click.echo(f"entry {number} is left out: {error}", err=True)
        return 0
    except SourcesError as error:
        raise click.UsageError(str(error)) from None
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        click.echo(file)
    return len(files)
