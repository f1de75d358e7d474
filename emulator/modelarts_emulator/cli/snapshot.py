"""`modelarts emulator snapshot`: the state of a data folder in one file."""

from __future__ import annotations

from pathlib import Path

import click

from modelarts_emulator.cli.commands import about_a_folder

FILE = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))


@click.group()
@click.pass_context
def snapshot(context: click.Context) -> None:
    """Save the state of an emulator to a file, and load it elsewhere.

    \b
    Examples:
      modelarts emulator snapshot save nightly.snapshot
      modelarts emulator snapshot load nightly.snapshot --data-dir ./data
    """
    from modelarts_emulator.control.snapshots import POSTGRESQL

    if (context.obj or {}).get("database_url"):
        raise click.ClickException(POSTGRESQL)


@snapshot.command()
@FILE
@about_a_folder
def save(folder: Path, file: Path) -> None:
    """Save jobs, algorithms, objects, logs and users of a stopped emulator to FILE.

    The file holds the users' passwords and keys, so only you can read it.
    """
    from modelarts_emulator.control import snapshots

    size = snapshots.save(folder, file)
    click.echo(f"Saved {folder} to {file} ({size:,} bytes).", err=True)
    click.echo("It holds the passwords and keys of the emulator's users: only you can read it.", err=True)


@snapshot.command()
@FILE
@about_a_folder
def load(folder: Path, file: Path) -> None:
    """Make a new data folder from FILE. Rejects a folder that is not empty."""
    from modelarts_emulator.control import snapshots

    snapshots.load(file, folder)
    click.echo(f"Loaded {file} into {folder}.", err=True)
