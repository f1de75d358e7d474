"""Options that commands share."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from . import completion_values
from .groups import COMMON, Option
from .terminal import Format, Terminal

F = TypeVar("F", bound=Callable[..., Any])

_FORMAT = click.option(
    "-o",
    "--output",
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
        shell_complete=completion_values.profiles,
        help="Profile of the settings (modelarts config).",
    ),
    click.option("--cloud", metavar="NAME", cls=Option, group=COMMON, help="Cloud of OpenStack's clouds.yaml instead."),
    click.option("-q", "--quiet", is_flag=True, cls=Option, group=COMMON, help="Only print results and errors."),
)


def with_terminal(function: F) -> F:
    """Give the command a `Terminal` as its first argument, and the options that choose it."""
    return _with(function, _FORMAT, *_SOURCES)


def with_sources(function: F) -> F:
    """As `with_terminal`, for a command with an option --output of its own: it chooses the format itself."""
    return _with(function, *_SOURCES)


def _with(function: F, *options: Callable[[Any], Any]) -> F:
    @wraps(function)
    def wrapped(profile: str | None, cloud: str | None, quiet: bool, form: Format = "table", **rest: Any) -> Any:
        return function(Terminal(form, profile, cloud, quiet), **rest)

    decorated: Any = wrapped
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]
