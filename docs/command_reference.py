"""Reference page of the `modelarts` command: the help of every command, as it prints it."""

from __future__ import annotations

from collections.abc import Iterator

import click

from modelarts_toolkit.cli.commands import modelarts as command

WIDTH = 88  # columns


def pages() -> Iterator[tuple[str, str]]:
    sections = "\n".join(helps(command, click.Context(command, info_name="modelarts", max_content_width=WIDTH)))
    yield "reference/cli.md", f"# Command line\n\n{sections}"


def helps(part: click.Command, context: click.Context) -> Iterator[str]:
    depth = context.command_path.count(" ") + 2
    yield from (f"{'#' * min(depth, 4)} {context.command_path}", "", "```text")
    yield from part.get_help(context).splitlines()
    yield from ("```", "")
    if isinstance(part, click.Group):
        for name in part.list_commands(context):
            child = part.get_command(context, name)
            if child is not None and not child.hidden:
                yield from helps(child, click.Context(child, info_name=name, parent=context, max_content_width=WIDTH))
