"""`modelarts contract evidence`: show what is known about each operation."""

from __future__ import annotations

import json
from pathlib import Path

import click

from modelarts_contract import evidence as records
from modelarts_contract import har
from modelarts_contract.documents import Documents
from modelarts_contract.evidence_table import as_markdown, as_text

__all__ = ["evidence"]


@click.command(short_help="Show what is known about each operation.")
@click.argument("recordings", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
def evidence(recordings: tuple[Path, ...], output: str) -> None:
    """Show how each operation is documented, generated, emulated, tested and seen.

    The records are those of the project's own runs. RECORDINGS are HAR files of a real service, such as those that
    "modelarts contract record" writes: what it responded with is added.

    \b
    Examples:
      modelarts contract evidence
      modelarts contract evidence session.har --output json
    """
    known = records.load()
    for recording in recordings:
        try:
            known = known.and_seen(records.seen_in(har.read(recording), Documents()))
        except har.HarError as error:
            raise click.UsageError(str(error)) from None
    if output == "json":
        click.echo(json.dumps(known.as_json(), indent=1, ensure_ascii=False))
    else:
        click.echo("\n".join(as_text(known) if output == "text" else as_markdown(known)))
