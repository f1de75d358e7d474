"""`modelarts contract diff`: show which changes of the documents break which clients.

Exit status: 0 nothing breaks a client, 1 something does, 2 wrong usage or a state that cannot be read or is not there.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from modelarts_contract.comparison.change import Change, as_json, as_markdown, as_text, ordered
from modelarts_contract.comparison.states import INSTALLED, ComparisonError, changes, last_tag, state

__all__ = ["diff"]

SECTION = re.compile(r"^## ", re.MULTILINE)


@click.command(short_help="Show which clients a change of the documents breaks.")
@click.argument("old", required=False)
@click.argument("new", default=INSTALLED)
@click.option("--document", metavar="NAME", help="Compare this document only, such as v2.")
@click.option("-o", "--output", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option(
    "--repository",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The clone that revisions are of.  [default: the current folder]",
)
@click.option(
    "--changelog",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Exit with 0 if the newest section of this file names the operation or model of each change that breaks.",
)
def diff(
    old: str | None, new: str, document: str | None, output: str, repository: Path, changelog: Path | None
) -> None:
    """Show which changes of the documents from OLD to NEW break which clients.

    OLD and NEW are git revisions, folders of bundled documents, files with one, or "installed": those of this toolkit.
    OLD is the last tag unless given, NEW is "installed". Exit status 1: something breaks a client.

    \b
    Examples:
      modelarts contract diff v0.1.0
      modelarts contract diff v0.1.0 main --output markdown
      modelarts contract diff old/v2.json new/v2.json
    """
    base = old or last_tag(repository)
    if base is None:
        raise click.UsageError("there is no tag to compare with: name a revision, a folder or a file")
    try:
        before, after = state(base, repository), state(new, repository)
        if Path(base).is_file() and Path(new).is_file():  # whatever their names are
            before = dict(zip(after, before.values(), strict=True))
        if document is not None:
            if document not in before.keys() | after.keys():
                known = ", ".join(sorted(before.keys() | after.keys()))
                raise ComparisonError(f"no document is named {document}; there are {known}")
            before, after = ({document: some[document]} if document in some else {} for some in (before, after))
        found = ordered(changes(before, after))
    except ComparisonError as error:
        raise click.UsageError(str(error)) from None
    if output == "json":
        click.echo(json.dumps(as_json(found, base), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(as_text(found, base) if output == "text" else as_markdown(found, base)))
    breaking = [change for change in found if change.breaking]
    if changelog is not None and breaking:
        breaking = unexplained(breaking, changelog.read_text("utf-8"))
        click.echo(f"{len(breaking)} of the breaking changes are not in {changelog}.", err=True)
    if breaking:
        raise SystemExit(1)


def unexplained(breaking: list[Change], changelog: str) -> list[Change]:
    """The changes whose operation, or model or document without one, the newest section does not name."""
    newest = [*SECTION.split(changelog, 2), ""][1]
    return [change for change in breaking if not re.search(rf"\b{re.escape(subject(change))}\b", newest)]


def subject(change: Change) -> str:
    """What the change is about: its operation, its model, or its document."""
    kind, _, rest = change.place.partition(" ")
    model = rest.split(" ")[0] if kind == "model" else ""
    return change.operation or model or change.document
