"""`modelarts completion`: the lines that teach a shell to complete the command."""

import click
from click.shell_completion import get_completion_class

from .groups import Command

VARIABLE = "_MODELARTS_COMPLETE"


@click.command(
    cls=Command,
    examples=(
        'eval "$(modelarts completion bash)"                       # in ~/.bashrc',
        'eval "$(modelarts completion zsh)"                        # in ~/.zshrc',
        "modelarts completion fish > ~/.config/fish/completions/modelarts.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the lines that give a shell completion of commands and options."""
    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - one of the choices
    root = context.find_root()
    click.echo(kind(root.command, {}, "modelarts", VARIABLE).source())
