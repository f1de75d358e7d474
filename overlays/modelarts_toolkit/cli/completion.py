"""`modelarts completion`: the script with which a shell completes commands."""

import click
from click.shell_completion import get_completion_class

from modelarts_toolkit.cli.groups import Command

VARIABLE = "_MODELARTS_COMPLETE"


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that adds completion of commands and options to a shell."""
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - one of the choices
    root = context.find_root()
    click.echo(kind(root.command, {}, "modelarts", VARIABLE).source())
