"""The group that all commands hang in, found by the entry-point group `modelarts.commands`.

Exit status: 0 done, 1 rejected or failed, 2 wrong usage.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

GROUP = "modelarts.commands"


class Commands(click.Group):
    """Loads a command when it is asked for; one whose libraries are missing says what to install."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *(entry.name for entry in entry_points(group=GROUP))})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = entry_points(group=GROUP, name=cmd_name)
        return super().get_command(ctx, cmd_name) or next((_load(entry) for entry in found), None)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            from modelarts_toolkit.errors import ToolkitError  # not at the top: it loads httpx

            if isinstance(error, ToolkitError):
                raise click.ClickException(str(error)) from error
            raise


def _load(entry: EntryPoint) -> click.Command:
    distribution = entry.dist.name if entry.dist else "modelarts-toolkit"
    try:
        command = entry.load()
    except ModuleNotFoundError as error:
        remedy = f"pip install '{distribution}[{entry.name}]'"
        return _stand_in(entry.name, f"Not installed: {remedy}", f"modelarts {entry.name} needs {error.name}: {remedy}")
    except (ImportError, AttributeError) as error:
        return _stand_in(
            entry.name, "Cannot be loaded.", f"modelarts {entry.name} of {distribution} cannot be loaded: {error}"
        )
    if isinstance(command, click.Command):
        return command
    fact = f"modelarts {entry.name} of {distribution} cannot be loaded: not a click command"
    return _stand_in(entry.name, "Cannot be loaded.", fact)


def _stand_in(name: str, help_text: str, explanation: str) -> click.Command:
    """A command that cannot run, whatever its arguments, and says why."""

    def explain() -> None:
        raise click.ClickException(explanation)

    return click.Command(
        name,
        callback=explain,
        short_help=help_text,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True},
        params=[click.Argument(["arguments"], nargs=-1, expose_value=False)],
    )


@click.group(cls=Commands)
@click.version_option(package_name="modelarts-toolkit", message="%(prog)s %(version)s")
def modelarts() -> None:
    """Train on ModelArts, or on an emulator of it on this machine."""
