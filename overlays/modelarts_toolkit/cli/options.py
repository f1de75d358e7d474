"""Options of commands, which `options.json` declares; the members are arguments of click.option."""

import re
from collections.abc import Callable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

from modelarts_api.phases import PHASES, STATUS_NUMBERS
from modelarts_toolkit.cli.groups import Option
from modelarts_toolkit.jobs.state import MOMENTS
from modelarts_toolkit.own_files import own_table

F = TypeVar("F", bound=Callable[..., Any])


def rehearsal(text: str) -> float:
    """Parse a time such as 30s or 30; raises BadParameter."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)s?", text)
    if found is None or not float(found[1]):
        raise click.BadParameter(f"{text} is not a time: write --rehearse=30s, or --rehearse after the file")
    return float(found[1])


TYPES: Mapping[str, Any] = {
    "count": click.IntRange(1),
    "number": click.IntRange(0),
    "seconds": click.FloatRange(0),
    "positive": click.FloatRange(0, min_open=True),
    "file": click.Path(path_type=Path, dir_okay=False),
    "phase": click.Choice(PHASES, case_sensitive=False),
    "moment": click.Choice(MOMENTS),
    "status": click.Choice([*STATUS_NUMBERS]),
    "level": click.Choice(["Info", "Error", "Warning"], case_sensitive=False),
    "rehearsal": rehearsal,
}
TABLE = own_table(__package__, "options.json")


def with_options(name: str, types: Mapping[str, Any] = TYPES) -> Callable[[F], F]:
    """Give a command the options that the table has under this name; a text there names a shared one."""
    entries = [TABLE["shared"][entry] if isinstance(entry, str) else entry for entry in TABLE[name]]
    options = [_option(types, **entry) for entry in entries]
    return lambda function: reduce(lambda decorated, option: option(decorated), reversed(options), function)


def _option(types: Mapping[str, Any], names: list[str], type: str = "", **attributes: Any) -> Callable[[F], F]:  # noqa: A002 - as click does
    return click.option(*names, type=types.get(type), cls=Option, **attributes)
