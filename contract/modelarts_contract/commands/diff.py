"""`modelarts contract diff`: show which changes of the documents break which clients.

Exit status: 0 nothing breaks a client, 1 something does, 2 wrong usage or a state that cannot be read or is not there.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from modelarts_contract.commands.options import EXISTING
from modelarts_contract.comparison.change import Change, as_json, as_markdown, as_text, ordered
from modelarts_contract.comparison.states import INSTALLED, ComparisonError, changes, not_compared, shown, state

__all__ = ["diff"]

SECTION = re.compile(r"^## ", re.MULTILINE)
NOT_COMPARED = """
Not compared: {}.
Only one of the states has these keys, of which the client is made: compare two states of the sources to see their
changes, such as main:openapi and openapi."""


@click.command(short_help="Show which clients a change of the documents breaks.")
@click.argument("old")
@click.argument("new", default=INSTALLED)
@click.option("-o", "--output", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option(
    "--changelog",
    type=EXISTING,
    help="Exit with 0 if the newest section of this file names the operation or model of each change that breaks.",
)
def diff(old: str, new: str, output: str, changelog: Path | None) -> None:
    """Show which changes of the documents from OLD to NEW break which clients.

    OLD and NEW are files, folders, URLs, git revisions (REVISION or REVISION:PATH), another installation of the toolkit
    (a wheel, an environment, or the folder of pip install --target), or "installed": the documents of this toolkit,
    which are NEW unless you name another state. Exit status 1: something breaks a client.

    \b
    Examples:
      modelarts contract diff v0.1.0
      modelarts contract diff installed next/modelarts_toolkit-0.2.0-py3-none-any.whl
      modelarts contract diff main:openapi openapi --output markdown
      modelarts contract diff old/v2.json https://example.com/v2.json
    """
    try:
        states = state(old), state(new)
        found, lost = ordered(changes(*states)), not_compared(*states)
    except ComparisonError as error:
        raise click.UsageError(str(error)) from None
    base = shown(old)
    if output == "json":
        click.echo(json.dumps({**as_json(found, base), "not_compared": lost}, indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(as_text(found, base) if output == "text" else as_markdown(found, base)))
        if lost:
            click.echo(NOT_COMPARED.format(", ".join(lost)))
    breaking = [change for change in found if change.breaking]
    if changelog is not None and breaking:
        breaking = unexplained(breaking, changelog.read_text("utf-8"))
        click.echo(f"{len(breaking)} of the breaking changes are not in {changelog}.", err=True)
    if breaking:
        raise SystemExit(1)


def unexplained(breaking: list[Change], changelog: str) -> list[Change]:
    """The changes that the newest section of the changelog does not name."""
    newest = [*SECTION.split(changelog, 2), ""][1]
    return [
        change
        for change in breaking
        if not all(re.search(rf"\b{re.escape(subject)}\b", newest) for subject in subjects(change))
    ]


def subjects(change: Change) -> list[str]:
    """What a changelog has to name: the operation or the model; of a whole document the words that changed."""
    kind, _, rest = change.place.partition(" ")
    if change.operation or kind == "model":
        return [change.operation or rest.split(" ")[0]]
    return re.findall(r"`(\w[^`]*)`", change.what) or [f"document {change.document}"]
