"""`modelarts emulator faults` and `modelarts emulator plans`: failures on demand, and what simulated jobs do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from modelarts_emulator.cli.background import call_control
from modelarts_emulator.cli.commands import about_a_folder, served_environment
from modelarts_emulator.cli.options import DATA_DIR

LISTS = ("operations", "log")  # members whose value is a list of texts


def body_of(members: tuple[str, ...]) -> dict[str, Any]:
    """The body from `KEY=VALUE`, where VALUE is JSON or a text; raises UsageError."""
    body: dict[str, Any] = {}
    for text in members:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise click.UsageError(f"{text}: write KEY=VALUE, such as kind=status")
        try:
            read = json.loads(value)
        except ValueError:
            read = value
        body[name] = read if name not in LISTS or isinstance(read, list) else [str(read)]
    return body


def text_of(rule: dict[str, Any]) -> str:
    """The members of a fault or plan on a line, as `add` takes them."""
    return " ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in rule.items()
        if value is not None
    )


def group(kind: str, about: str, example: str, keys: str) -> click.Group:
    """The commands `add`, `list` and `clear` for `/_emulator/<kind>`."""
    about = f"{about}\n\n\b\nExamples:\n  {example}\n  modelarts emulator {kind} clear"
    commands = click.Group(kind, params=[DATA_DIR], help=about, no_args_is_help=True)

    @commands.command(
        help=f"Add a {kind[:-1]}.\n\nIts members are {keys} VALUE is JSON or a text.\n\n\b\nExample:\n  {example}"
    )
    @click.argument("members", nargs=-1, required=True, metavar="KEY=VALUE...")
    @about_a_folder
    def add(folder: Path, members: tuple[str, ...]) -> None:
        click.echo(text_of(call_control(served_environment(folder), "POST", kind, body_of(members))))

    @commands.command("list", help=f"List the {kind}, oldest first.\n\n\b\nExample:\n  modelarts emulator {kind} list")
    @about_a_folder
    def list_rules(folder: Path) -> None:
        found = call_control(served_environment(folder), "GET", kind)[kind]
        click.echo("\n".join(map(text_of, found)) or f"No {kind}.", err=not found)

    @commands.command(help=f"Remove all {kind}.\n\n\b\nExample:\n  modelarts emulator {kind} clear")
    @about_a_folder
    def clear(folder: Path) -> None:
        call_control(served_environment(folder), "DELETE", kind)

    return commands


faults = group(
    "faults",
    "Make calls fail, or disturb a task of a job.",
    "modelarts emulator faults add kind=status status=429 count=3 operations=createTrainingJob",
    "kind, and document, operations, count and after of calls, or job and task.",
)
plans = group(
    "plans",
    "Say what simulated jobs do.",
    "modelarts emulator plans add 'job=train-*' duration=60 exit_code='[1, 0]' log='[\"epoch 1\"]'",
    "job (a pattern of names), duration, exit_code, failure, log, metrics and tasks.",
)
