"""The arguments and options of commands that run a script on this machine, and the request made from them."""

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from modelarts_toolkit.cli.files import Input
from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.interruptions import Interruptions
from modelarts_toolkit.cli.options import TYPES
from modelarts_toolkit.cli.terminal import Terminal, upload_bar
from modelarts_toolkit.local.caller import Caller
from modelarts_toolkit.local.request import RunRequest

if TYPE_CHECKING:
    from modelarts_api.v2.models import ParameterRequestInput

CHANNEL = re.compile(r"(?P<name>[A-Za-z_][\w-]*)=(?P<path>.+)", re.DOTALL)
FILE = Input(exists=True, dir_okay=False)


def python(text: str) -> Path:
    """Find a Python by its path, or by the name of a command; raises BadParameter."""
    if (found := shutil.which(os.path.expanduser(text))) is None:  # noqa: PTH111 - keeps the "./" of a path
        raise click.BadParameter(f"{text} is neither a program nor a command: name a Python, like .venv/bin/python")
    return Path(found).absolute()


class RunCommand(Command):
    """A command whose error for an unknown option says where options of the script go."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name
            near = f" (did you mean {error.possibilities[0]}?)" if error.possibilities else ""
            hint = f"if it is a hyperparameter of the script, write -- before it: SCRIPT -- {name} VALUE"
            raise click.UsageError(f"No such option {name!r}{near}; {hint}", ctx) from None


class Channel(click.ParamType):  # type: ignore[type-arg]
    """A path, or NAME=PATH for a channel of that name; the value is the name (None if not given) and the path."""

    name = "path"

    def __init__(self, kind: click.Path) -> None:
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str | None, Path]:
        named = CHANNEL.fullmatch(value)
        path = self._kind.convert(named["path"] if named else value, param, ctx)
        return named["name"] if named else None, Path(os.fsdecode(path))

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return self._kind.shell_complete(ctx, param, incomplete)


WORDS = click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [-- ARGUMENTS]")
RUN_TYPES: Mapping[str, Any] = {
    **TYPES,
    "input": Channel(Input(exists=True)),
    "output": Channel(click.Path(file_okay=False, path_type=Path)),
    "folder": Input(exists=True, file_okay=False),
    "file": FILE,
    "python": python,
}


def caller_of(terminal: Terminal, interruptions: Interruptions) -> Caller:
    """Return what a run calls: it writes on the terminal, and signals interrupt it."""
    return Caller(terminal.note, partial(upload_bar, terminal), interruptions.check, interruptions.sleep)


def request_of(
    words: Sequence[str], given: Mapping[str, Any], out: Mapping[str, Path | None], name: str | None = None
) -> "RunRequest":
    """Return the request that the words of a command line and its options describe; raises UsageError."""
    arguments, script = script_of(words, given["module"])
    return RunRequest(
        script=script,
        data=channels_of(given["data"], "data_url"),
        out=out,
        name=name,
        parameters=parameters_of(arguments),
        environments=environment_of(given["variables"]),
        **{each: given[each] for each in ("module", "code", "requirements")},
    )


def script_of(words: Sequence[str], module: str | None) -> tuple[Sequence[str], Path | None]:
    """Split the words into arguments and the script, if no module runs; raises UsageError for other files."""
    if module is not None:
        return words, None
    if not words:
        raise click.UsageError("name a script: modelarts run train.py, or a module: modelarts run -m MODULE")
    script = FILE.convert(words[0], None, None)
    if script.suffix == ".ipynb":
        raise click.UsageError(f"{script} is a notebook: convert it first (jupyter nbconvert --to script {script})")
    if script.suffix != ".py":
        raise click.UsageError(f"{script} is not a Python file: a job runs train.py, which may start other programs")
    return words[1:], script


def parameters_of(arguments: Sequence[str]) -> "list[ParameterRequestInput]":
    """Parse `--name value` and `--name=value`; raises UsageError for arguments that a job cannot pass."""
    parameters: list[ParameterRequestInput] = []
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if not name.startswith("--") or name == "--":
            given = name + equals + value
            fact = f"{given!r}: a job passes arguments as --name=value, so write --name {given}"
            if parameters:
                option = f"--{parameters[-1]['name']}"
                values = [str(parameters[-1]["value"]), given, *takewhile(lambda word: not word.startswith("--"), rest)]
                fact += f", or for more values of {option} one text, {option}={shlex.quote(' '.join(values))}"
            raise click.UsageError(fact)
        if not equals:
            if not rest or rest[0].startswith("--"):
                hint = f"write {name}=true, and let the script read the text"
                raise click.UsageError(f"{name} has no value: a job passes arguments as --name=value, so {hint}")
            value = rest.pop(0)
        parameters.append({"name": name[2:], "value": value})
    return parameters


def environment_of(given: Sequence[str]) -> dict[str, str]:
    """Parse `NAME=VALUE`, and `NAME` for a variable of the shell; raises UsageError."""
    variables = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or (not equals and name not in os.environ):
            raise click.UsageError(f"--env {text}: write NAME=VALUE, or NAME of a variable that is set in this shell")
        variables[name] = value if equals else os.environ[name]
    return variables


def channels_of(given: Sequence[tuple[str | None, Path]], default: str) -> dict[str, Path]:
    """Return paths by the names of their channels; raises UsageError if two have the same name."""
    channels: dict[str, Path] = {}
    for name, path in given:
        if (name or default) in channels:
            raise click.UsageError(f"two paths are named {name or default}: give each a name, NAME={path}")
        channels[name or default] = path
    return channels
