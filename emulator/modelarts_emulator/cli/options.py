"""The options of `modelarts emulator`, which `options.toml` declares by what they are about."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click import Option

from modelarts_emulator.settings.files import own_table

OTHERS = "Other options"


class Folder(click.Path):
    """A folder that has a name: an empty one is a shell variable that is not set."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty: name a folder, or leave the option out.", param, ctx)
        return super().convert(value, param, ctx)


class Seconds(click.FloatRange):
    """A finite number of seconds, within limits if there are some."""

    name = "number of seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        return found if math.isfinite(found) else self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)


def pairs(form: str, example: str, convert: Callable[[str], Any]) -> Callable[..., dict[str, Any]]:
    """Read an option that is given several times, in the form KEY=VALUE, as a dict; `convert` makes the values."""

    def read(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
        chosen: dict[str, Any] = {}
        for text in given:
            key, _, value = text.partition("=")
            try:
                if not key or not value or key in chosen:
                    raise ValueError
                chosen[key] = convert(value)
            except ValueError:
                what = "is given twice" if key in chosen else f"is not of the form {form}"
                raise click.BadParameter(f"{text!r} {what}: say, for example, {example}.") from None
        return chosen

    return read


TYPES: Mapping[str, click.ParamType[Any]] = {
    "port": click.IntRange(0, 65535),
    "count": click.IntRange(1),
    "period": Seconds(0.1, 86_400),
    "file": click.Path(path_type=Path, dir_okay=False),
    "folder": Folder(path_type=Path, file_okay=False),
}
CALLBACKS: Mapping[str, Callable[..., Any]] = {
    "engines": pairs("PATTERN=PYTHON", "'PyTorch*=.venv/bin/python'", Path),
    "--capacity": pairs("FLAVOR=NODES", "modelarts.vm.cpu.8u=4", int),
}


def _option(names: list[str], type: str | list[str] = "", **attributes: Any) -> Option:  # noqa: A002 - as click does
    kind = click.Choice(type) if isinstance(type, list) else TYPES.get(type)
    return Option(names, type=kind, callback=CALLBACKS.get(names[-1]), **attributes)


GROUPS: Mapping[str, Sequence[Option]] = {
    title: [_option(**entry) for entry in entries] for title, entries in own_table(__file__, "options.toml").items()
}
DATA_DIR = next(option for option in GROUPS["What it keeps"] if option.name == "data_dir")


class OptionGroups(click.Group):
    """A command with the options of `GROUPS`, which its help shows in these groups."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params += [option for options in GROUPS.values() for option in options]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups and then, as click does, the commands."""
        shown = {id(option) for options in GROUPS.values() for option in options}
        others = [parameter for parameter in self.get_params(ctx) if id(parameter) not in shown]
        for title, options in {**GROUPS, OTHERS: others}.items():
            with formatter.section(title):
                records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
                formatter.write_dl(records, col_max=min(30, formatter.width // 2))
        self.format_commands(ctx, formatter)
