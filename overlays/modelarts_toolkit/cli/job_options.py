"""The options that describe a job, including those of the vendor's `ma-cli ma-job submit`."""

import re
from collections.abc import Callable
from typing import Any

import click

from modelarts_toolkit.cli.groups import Option

WHAT, WHERE, DATA = "What runs", "Where it runs", "Data"

_OPTIONS: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (("--name",), WHAT, {"metavar": "NAME", "help": "Name of the job.  [default: the boot file's, with a suffix]"}),
    (("--description",), WHAT, {"metavar": "TEXT", "help": "Description of the job."}),
    (("--code", "--code-dir"), WHAT, {"metavar": "FOLDER|URL", "help": "Code: a local folder, or obs://bucket/code/."}),
    (("--boot", "--boot-file"), WHAT, {"metavar": "FILE", "help": "Script in the code."}),
    (("--engine",), WHAT, {"metavar": "ENGINE", "help": "Id or pattern, such as 'pytorch_1.8*': engine list."}),
    (("--framework-type",), WHAT, {"metavar": "NAME", "help": "Name of the engine, instead of --engine."}),
    (("--framework-version",), WHAT, {"metavar": "VERSION", "help": "Version of the engine, instead of --engine."}),
    (("--image", "--image-url"), WHAT, {"metavar": "IMAGE", "help": "Custom image instead of an engine."}),
    (("--command", "--user-command"), WHAT, {"metavar": "COMMAND", "help": "What runs in the image."}),
    (("--uid",), WHAT, {"metavar": "UID", "help": "User id in the image; must be 1000."}),
    (("--working-dir",), WHAT, {"metavar": "PATH", "help": "Working directory in the container."}),
    (("--local-code-dir",), WHAT, {"metavar": "PATH", "help": "Folder in the container for the code."}),
    (("--parameter",), WHAT, {"metavar": "NAME=VALUE", "multiple": True, "help": "Hyperparameter; repeat it."}),
    (("--env", "--env-variables"), WHAT, {"metavar": "NAME=VALUE", "multiple": True, "help": "Variable; repeat it."}),
    (("--flavor", "--train-instance-type"), WHERE, {"metavar": "FLAVOR", "help": "Flavor of each node: flavor list."}),
    (("--nodes", "--train-instance-count"), WHERE, {"type": click.IntRange(1), "help": "Nodes.  [default: 1]"}),
    (("--pool-id",), WHERE, {"metavar": "ID", "help": "Dedicated resource pool."}),
    (
        ("--input",),
        DATA,
        {"metavar": "NAME=PATH|URL", "multiple": True, "help": "Input channel; repeat it. Local paths are uploaded."},
    ),
    (("--output",), DATA, {"metavar": "NAME=FOLDER|URL", "multiple": True,
      "help": "Output channel; repeat it. Outputs are downloaded into a local folder."}),
    (("--data-url",), DATA, {"metavar": "URL", "help": "Input channel data_url."}),
    (("--log-url",), DATA, {"metavar": "URL", "help": "Where the service stores the logs."}),
    (
        ("--staging",),
        DATA,
        {
            "metavar": "URL",
            "envvar": "MODELARTS_STAGING",
            "help": "Where local folders go in object storage.  [default: a bucket of the project, created if needed]",
        },
    ),
)  # fmt: skip

REHEARSAL = "30s"  # by default


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A time such as 30s or 30."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)s?", str(value))
        if found is None or not float(found[1]):
            self.fail(f"{value} is not a time: write --rehearse=30s, or --rehearse after the file", param, ctx)
        return float(found[1])


NAMES = {"parameter": "parameters", "input": "inputs", "output": "outputs"}  # settings that have another name


def describing_a_job(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the options, each under its own name."""
    decorated = function
    for names, group, attributes in reversed(_OPTIONS):
        variable = names[0].removeprefix("--").replace("-", "_")
        decorated = click.option(*names, variable, default=None, cls=Option, group=group, **attributes)(decorated)
    return decorated


def settings_of_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings; raises UsageError if --output has a format instead of an output channel."""
    if formats := {"table", "json", "yaml"} & set(given.get("output") or ()):
        raise click.UsageError(f"--output names an output channel: -o {formats.pop()} chooses how to print the result")
    settings = {NAMES.get(name, name): value for name, value in given.items()}
    return {name: value for name, value in settings.items() if value not in (None, ())}
