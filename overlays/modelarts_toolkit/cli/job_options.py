"""The options that describe a job, including those of the vendor's `ma-cli ma-job submit`."""

import json
import re
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from modelarts_toolkit.cli.groups import Option

REHEARSAL = "30s"  # by default


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A time such as 30s or 30."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)s?", str(value))
        if found is None or not float(found[1]):
            self.fail(f"{value} is not a time: write --rehearse=30s, or --rehearse after the file", param, ctx)
        return float(found[1])


OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace local files that the job did not write.")
NAMES = {"parameter": "parameters", "input": "inputs", "output": "outputs"}  # settings that have another name


def describing_a_job(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the options of job_options.json, each under its own name; the titles are those of the help.

    The second name of an option is that of `ma-cli ma-job submit`.
    """
    table = json.loads(Path(__file__).with_name("job_options.json").read_text("utf-8"))
    options = [_option(group=title, **entry) for title, entries in table.items() for entry in entries]
    return reduce(lambda decorated, option: option(decorated), reversed(options), function)


def _option(names: list[str], at_least: int | None = None, **attributes: Any) -> Callable[[Any], Any]:
    variable = names[0].removeprefix("--").replace("-", "_")
    kind = None if at_least is None else click.IntRange(at_least)
    return click.option(*names, variable, type=kind, default=None, cls=Option, **attributes)


def settings_of_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings; raises UsageError if --output has a format instead of an output channel."""
    if formats := {"table", "json", "yaml"} & set(given.get("output") or ()):
        raise click.UsageError(f"--output names an output channel: -o {formats.pop()} chooses how to print the result")
    settings = {NAMES.get(name, name): value for name, value in given.items()}
    return {name: value for name, value in settings.items() if value not in (None, ())}
