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


def _with(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        @wraps(function)
        def wrapped(profile: str | None, cloud: str | None, quiet: bool, form: Format = "table", **rest: Any) -> Any:
            return function(Terminal(form, profile, cloud, quiet), **rest)

        decorated: Any = wrapped
        for option in reversed(options):
            decorated = option(decorated)
        return decorated  # type: ignore[no-any-return]

    return decorate


with_terminal = _with(_format("-o", "--output"), *_SOURCES)
"""Give the command a `Terminal` as its first argument, and the options for it."""
with_short_format = _with(_format("-o"), *_SOURCES)
"""As `with_terminal`, for a command whose option --output names output channels: the format is -o only."""
with_sources = _with(*_SOURCES)
"""As `with_terminal`, for a command that prints its result in one way."""
