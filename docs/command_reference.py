"""Reference pages of the `modelarts` command: the help of each command, with tables of its options."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from modelarts_toolkit.cli.commands import modelarts as command
from modelarts_toolkit.cli.groups import COMMON

FOLDER = "reference/cli"


def pages() -> Iterator[tuple[str, str]]:
    """A page with the menu and the options that commands share, and a page for each command of the menu."""
    context = click.Context(command, info_name="modelarts", **command.context_settings)
    names = command.list_commands(context)
    menu = Page(links={name: f"cli/{name}.md" for name in names})
    command.format_help(context, menu)
    common = Page()
    whoami = command.get_command(context, "whoami")
    if whoami is not None:
        common.only = COMMON
        whoami.format_help(click.Context(whoami, info_name="whoami", parent=context), common)
    shared = f"## Common options\n\nCommands that talk to a service also take these options.\n\n{common.text}"
    yield f"{FOLDER}.md", f"# Command line\n\n{menu.text}\n{shared}\n"
    for name in names:
        child = command.get_command(context, name)
        if child is not None and not child.hidden:
            yield (
                f"{FOLDER}/{name}.md",
                "\n".join(sections(child, click.Context(child, info_name=name, parent=context))),
            )


def sections(part: click.Command, context: click.Context, depth: int = 1) -> Iterator[str]:
    """The command's own section, then those of its commands."""
    children = {}
    if isinstance(part, click.Group):
        found = {name: part.get_command(context, name) for name in part.list_commands(context)}
        children = {name: child for name, child in found.items() if child is not None and not child.hidden}
    page = Page(links={name: f"#{context.command_path} {name}".replace(" ", "-") for name in children})
    part.format_help(context, page)
    yield f"{'#' * min(depth, 4)} {context.command_path}\n\n{page.text}"
    for name, child in children.items():
        yield from sections(child, click.Context(child, info_name=name, parent=context), depth + 1)


class Page(click.HelpFormatter):
    """What click writes as help, as Markdown: lists of options are tables, and examples programs of a shell.

    `links` leads from names of commands to their sections; `only` is the title of the one list that is wanted.
    """

    def __init__(self, links: dict[str, str] | None = None) -> None:
        super().__init__()
        self.links = links or {}
        self.only = ""
        self.text = ""
        self._title = ""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:  # noqa: ARG002
        self._add(f"`{prog} {args}`")

    def write_text(self, text: str) -> None:
        """The paragraphs; one that begins with \\b is laid out already: examples, or lines to be joined."""
        for paragraph in inspect.cleandoc(text).split("\n\n"):
            first, *lines = paragraph.replace("\b\n", "").splitlines()
            if first in ("Example:", "Examples:"):
                self.write("\n".join(lines))
            else:
                self._add(cell(" ".join([first, *lines])))

    def write_dl(self, rows: Iterable[tuple[str, str]], *_: object, **__: object) -> None:
        rows = [(name, text) for name, text in rows if "--help" not in name]
        if self._title == COMMON and not self.only:
            self._add("It also takes the [common options](../cli.md#common-options).")
            return
        head = [] if self._title in ("Options", "Commands", self.only) else [f"**{self._title}**", ""]
        names = "command" if self._title == "Commands" else "option"
        table = [f"| {names} | meaning |", "|---|---|"]
        for name, text in rows:
            shown = f"`{name}`".replace("|", "\\|")
            table.append(f"| {f'[{shown}]({self.links[name]})' if name in self.links else shown} | {cell(text)} |")
        if rows:
            self._add("\n".join([*head, *table]))

    def write(self, string: str) -> None:
        if string.strip():
            self._add(f"```sh\n{inspect.cleandoc(string)}\n```")

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        self._title = name
        yield

    @contextmanager
    def indentation(self) -> Iterator[None]:
        yield

    def _add(self, text: str) -> None:
        if self.only in ("", self._title):
            self.text += f"{text}\n\n"


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")
