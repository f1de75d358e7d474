"""Groups that load a command on first use, and help texts with examples."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn, cast

import click

from modelarts_toolkit.cli import escapes
from modelarts_toolkit.own_files import own_table

COMMON = "Common options"
# By group and command: the module and attribute that is loaded on first use, and the line in the menu.
# Of `v1 job`, an empty entry is that of `job`.
MENUS: Mapping[str, Mapping[str, Sequence[str]]] = own_table(__package__, "menus.json")


class Command(click.Command):
    """A command whose help shows options by their group (see `Option`) and ends with examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                title = parameter.group if isinstance(parameter, Option) and parameter.group else "Options"
                groups.setdefault(title, []).append(record)
        for title in sorted(groups, key=lambda title: title == COMMON):
            with formatter.section(title):
                formatter.write_dl(groups[title], col_max=min(30, formatter.width // 2))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        write_examples(ctx, formatter)


class Option(click.Option):
    """An option that help shows with others of its group."""

    def __init__(self, *arguments: Any, group: str | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.group = group


class Group(click.Group):
    """A group that loads the commands of the menu `lazy` on first use; showing them loads nothing."""

    command_class = Command

    def __init__(self, *arguments: Any, lazy: Mapping[str, Sequence[str]] | None = None, **options: Any) -> None:
        options.setdefault("no_args_is_help", True)
        super().__init__(*arguments, **options)
        self._lazy = lazy or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._lazy, *(name for name in super().list_commands(ctx) if name not in self._lazy)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._lazy[cmd_name][0].partition(":")
        return cast("click.Command", getattr(import_module(module, __package__), attribute))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, possibilities=self.list_commands(ctx), ctx=ctx) from None

    def line_of(self, ctx: click.Context, name: str) -> str | None:
        """Return the command's line in the menu; None for a hidden command."""
        if name in self._lazy:
            return self._lazy[name][1]
        command = self.get_command(ctx, name)
        return None if command is None or command.hidden else command.get_short_help_str(limit=80)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, text) for name in self.list_commands(ctx) if (text := self.line_of(ctx, name)) is not None]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        write_examples(ctx, formatter)


def fail(message: str, status: int) -> NoReturn:
    """End the command with an error message and this exit status."""
    click.ClickException(escapes.message(message)).show()
    click.get_current_context().exit(status)


def fail_usage(error: click.UsageError) -> NoReturn:
    """End the command with the error on the first line, and with the way to its help below it.

    An error that shows the whole help, because the command needs arguments, is raised again.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        raise error
    click.echo(f"Error: {escapes.message(error.format_message())}", err=True)
    if error.ctx is not None:
        click.echo(f"Help: {error.ctx.command_path} --help", err=True)
    raise click.exceptions.Exit(error.exit_code)


def write_examples(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the examples of the command, each on its own line, without wrapping."""
    table: dict[str, list[str]] = own_table(__package__, "examples.toml")
    words = ctx.command_path.split()[1:]
    examples = table.get(" ".join(words))
    if examples is None:  # of a command of version 1
        examples = [each.replace("modelarts ", "modelarts v1 ", 1) for each in table[" ".join(words[1:])]]
    with formatter.section("Examples"):
        formatter.write("".join(f"  {example}\n" for example in examples))
