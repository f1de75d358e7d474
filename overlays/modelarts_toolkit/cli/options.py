"""Options that commands share."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

import click

from modelarts_toolkit.cli.groups import COMMON, Option
from modelarts_toolkit.cli.terminal import Format, Terminal

F = TypeVar("F", bound=Callable[..., Any])


_common = partial(click.option, cls=Option, group=COMMON)
_FORMATS = click.Choice(["table", "json", "yaml"])
_format = partial(_common, type=_FORMATS, default="table", show_default=True, help="How to print the result.")
_SOURCES = (
    _common("--profile", metavar="NAME", help="Profile of the settings (modelarts config)."),
    _common("--cloud", metavar="NAME", help="Cloud of OpenStack's clouds.yaml instead."),
    _common("-q", "--quiet", is_flag=True, help="Only print results and errors."),
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


with_terminal = _with(_format("-o", "--output", "form"), *_SOURCES)
"""Give the command a `Terminal` as its first argument, and the options for it."""
with_short_format = _with(_format("-o", "form"), *_SOURCES)
"""As `with_terminal`, for a command whose option --output names output channels: the format is -o only."""
with_sources = _with(*_SOURCES)
"""As `with_terminal`, for a command that prints its result in one way."""
