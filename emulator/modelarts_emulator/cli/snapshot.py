"""`modelarts emulator snapshot`: the state of a data folder in one file."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from modelarts_emulator.cli.background import default_folder
from modelarts_emulator.errors import EmulatorError

FILE = click.Path(dir_okay=False, path_type=Path)


def about_a_snapshot(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command FILE and the option --data-dir; its errors are one sentence."""

    @click.argument("file", type=FILE)
    @click.option(
        "--data-dir",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of the emulator.  [default: the user's data folder]",
    )
    @click.pass_context
    @wraps(function)
    def wrapped(context: click.Context, /, file: Path, data_dir: Path | None) -> None:
        given: dict[str, Any] = context.obj or {}  # the options of `modelarts emulator`
        try:
            from modelarts_emulator.control.snapshots import POSTGRESQL

            if given.get("database_url"):
                raise EmulatorError(POSTGRESQL)
            function(data_dir or given.get("data_dir") or default_folder(), file)
        except EmulatorError as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            raise click.ClickException(f"{error.filename or file}: {error.strerror}") from error

    return wrapped


@click.group()
def snapshot() -> None:
    """Save what an emulator has to a file, and begin with it elsewhere.

    \b
    Examples:
      modelarts emulator snapshot save nightly.snapshot
      modelarts emulator snapshot load nightly.snapshot --data-dir ./data
    """


@snapshot.command()
@about_a_snapshot
def save(folder: Path, file: Path) -> None:
    """Save jobs, algorithms, objects, logs and users of a stopped emulator to FILE.

    The file holds the users' passwords and keys, so only you can read it.
    """
    from modelarts_emulator.control.snapshots import save

    size = save(folder, file)
    click.echo(f"Saved {folder} to {file} ({size:,} bytes).", err=True)
    click.echo("It holds the passwords and keys of the emulator's users: only you can read it.", err=True)


@snapshot.command()
@about_a_snapshot
def load(folder: Path, file: Path) -> None:
    """Make a new data folder from FILE. A folder that has anything in it is rejected."""
    from modelarts_emulator.control.snapshots import load

    load(file, folder)
    click.echo(f"Loaded {file} into {folder}.", err=True)
