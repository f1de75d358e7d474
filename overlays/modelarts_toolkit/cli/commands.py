"""The command `modelarts`: the table of its commands, and what it says of errors."""

import contextlib
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any

import click

from modelarts_toolkit.cli.escapes import message
from modelarts_toolkit.cli.files import nearest_text
from modelarts_toolkit.cli.groups import MENUS, Command, Group, fail, fail_usage
from modelarts_toolkit.version import VERSION

SMALLEST_WIDTH = 30  # columns of a help text
WIDEST_HELP = 100

# Remedies for errors of the operating system.
_REMEDIES: Mapping[type[OSError], str] = {
    FileNotFoundError: ": correct the path",
    IsADirectoryError: ": name a file instead",
    NotADirectoryError: ": correct the path",
    PermissionError: ": change its permissions, or choose another path",
}


class Commands(Group):
    """Turns errors of the toolkit and of the operating system into one message and an exit status."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        try:
            columns = shutil.get_terminal_size().columns
            extra.setdefault("terminal_width", max(min(columns, WIDEST_HELP), SMALLEST_WIDTH))
            if os.environ.get("NO_COLOR"):
                extra.setdefault("color", False)
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            fail_usage(error)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            raise click.exceptions.Exit(130) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except click.Abort as error:
            _explain_abort(ctx, error)
            raise
        except click.UsageError as error:
            fail_usage(error)
        except click.ClickException as error:
            error.message = message(error.message)  # type: ignore[misc]  # click declares it final
            raise
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(130)
        except BrokenPipeError:
            ignore_output()
            ctx.exit(141)
        except Exception as error:
            # not at the top: it loads httpx, and only an error of the toolkit has loaded it already
            errors = sys.modules.get("modelarts_toolkit.errors")
            if errors is not None and isinstance(error, errors.ToolkitError):
                from modelarts_toolkit.cli.exit_status import status_of

                fail(str(error), status_of(error))
            if isinstance(error, OSError) and error.strerror:
                file = error.filename if error.filename2 is None else error.filename2
                place = f"{file}: " if file is not None else ""
                if isinstance(error, FileNotFoundError) and file is None:  # of os.getcwd
                    raise click.ClickException("the current folder was deleted: change to another one") from error
                remedy = next((text for kind, text in _REMEDIES.items() if isinstance(error, kind)), "")
                if isinstance(error, FileNotFoundError):
                    remedy = nearest_text(file, ": did you mean {}?") or remedy
                raise click.ClickException(message(f"{place}{error.strerror}{remedy}")) from error
            from modelarts_runtime.hiding import hide_in

            hide_in(error)
            raise


def _explain_abort(ctx: click.Context, error: click.Abort) -> None:
    """End the command if a prompt was interrupted by Ctrl-C, or standard input has ended."""
    if isinstance(error.__context__, KeyboardInterrupt):
        click.echo("\nInterrupted.", err=True)
        ctx.exit(130)
    if isinstance(error.__context__, EOFError):
        click.echo(err=True)
        fail("nothing was done: no terminal to ask on; use an option (see --help), such as --yes to confirm", 1)


def ignore_output() -> None:
    """Discard buffered output, so that a closed pipe does not make the process fail when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=Commands, lazy=MENUS["modelarts"], context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="%(prog)s %(version)s")
def modelarts() -> None:
    """Train on ModelArts, or on an emulator of it on this machine."""


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that adds completion of commands and options to a shell."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - one of the choices
    click.echo(kind(context.find_root().command, {}, "modelarts", "_MODELARTS_COMPLETE").source())
