"""Options that commands share."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from modelarts_toolkit.cli.groups import COMMON, Option
from modelarts_toolkit.cli.terminal import Format, Terminal

F = TypeVar("F", bound=Callable[..., Any])


def _format(*names: str) -> Callable[[F], F]:
    return click.option(
        *names,
        "form",
        type=click.Choice(["table", "json", "yaml"]),
        default="table",
        show_default=True,
        cls=Option,
        group=COMMON,
        help="How to print the result.",
    )


_SOURCES = (
    click.option(
        "--profile",
        metavar="NAME",
        cls=Option,
        group=COMMON,
        help="Profile of the settings (modelarts config).",
    ),
    click.option("--cloud", metavar="NAME", cls=Option, group=COMMON, help="Cloud of OpenStack's clouds.yaml instead."),
    click.option("-q", "--quiet", is_flag=True, cls=Option, group=COMMON, help="Only print results and errors."),
)


def with_terminal(function: F) -> F:
    """Give the command a `Terminal` as its first argument, and the options for it."""
    return _with(function, _format("-o", "--output"), *_SOURCES)


def with_short_format(function: F) -> F:
    """As `with_terminal`, for a command whose option --output names output channels: the format is -o only."""
    return _with(function, _format("-o"), *_SOURCES)


def with_sources(function: F) -> F:
    """As `with_terminal`, for a command that prints its result in one way."""
    return _with(function, *_SOURCES)


def _with(function: F, *options: Callable[[Any], Any]) -> F:
    @wraps(function)
    def wrapped(profile: str | None, cloud: str | None, quiet: bool, form: Format = "table", **rest: Any) -> Any:
        return function(Terminal(form, profile, cloud, quiet), **rest)

    decorated: Any = wrapped
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]
