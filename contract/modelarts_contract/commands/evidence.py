"""`modelarts contract evidence`: put what a run at a real service has shown into the ledger of observations.

Exit status: 0 done, also if nothing is new; 2 wrong usage, or a file without evidence.
"""

from __future__ import annotations

from pathlib import Path

import click

from modelarts_contract.commands.options import EXISTING

__all__ = ["evidence"]

LEDGER = Path("tests/data/observed")


@click.command(short_help="Put what a run at a service has shown into the ledger.")
@click.argument("file", type=EXISTING)
@click.option("--ledger", default=LEDGER, show_default=True, type=click.Path(path_type=Path), help="Its folder.")
def evidence(file: Path, ledger: Path) -> None:
    """Write what FILE, the evidence.json of a run at a real service, adds to the ledger of observations.

    \b
    Each assumption that the run confirmed or contradicted, each finding, and each new field or value is a file.
    Files that exist stay as they are.

    \b
    Example, in a clone:
      modelarts contract evidence evidence.json
    """
    from modelarts_contract.har import HarError
    from modelarts_contract.run.observations import EvidenceError, added
    from modelarts_toolkit.cli.escapes import escaped

    if not ledger.is_dir():
        raise click.UsageError(f"{ledger} is not a folder: run the command in a clone, or name one with --ledger")
    try:
        written = added(file, ledger)
    except (EvidenceError, HarError, OSError) as error:
        raise click.UsageError(escaped(str(error))) from None
    for path in written:
        click.echo(path)
    click.echo(
        f"{len(written)} observations are new: read each before you commit it." if written else "Nothing is new."
    )
