"""The options of `modelarts emulator`, declared once, by what they are about, as its help shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click import Option

OTHERS = "Other options"
FILE = click.Path(path_type=Path, dir_okay=False)
PORT_RANGE = click.IntRange(0, 65535)


class Folder(click.Path):
    """A folder that has a name: an empty one is a shell variable that is not set."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty: name a folder, or leave the option out.", param, ctx)
        return super().convert(value, param, ctx)


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


GROUPS: Mapping[str, Sequence[Option]] = {
    "Where it listens": [
        Option(["--port"], type=PORT_RANGE, help="Port of IAM and ModelArts; 0 takes any free port.  [default: 9180]"),
        Option(
            ["--obs-port"], type=PORT_RANGE, help="Port of the object store; 0 takes any free port.  [default: 9181]"
        ),
        Option(["--host"], metavar="ADDRESS", help="IP address to listen on.  [default: 127.0.0.1]"),
        Option(
            ["--allowed-host", "allowed_hosts"],
            metavar="NAME[:PORT]",
            multiple=True,
            help="Another host name that clients may use. Can be repeated."
            "  [default: 127.0.0.1, localhost and [::1] only]",
        ),
    ],
    "What it keeps": [
        Option(
            ["--data-dir"],
            type=Folder(path_type=Path, file_okay=False),
            help="Folder for all state.  [default: the user's data folder]",
        ),
        Option(
            ["--database-url"],
            metavar="URL",
            envvar="MODELARTS_EMULATOR_DATABASE_URL",
            help="Keep the state in a PostgreSQL database, postgresql+psycopg://USER@HOST/DATABASE. The variable"
            " MODELARTS_EMULATOR_DATABASE_URL and ~/.pgpass keep the password out of the list of processes."
            "  [default: a file in the data folder]",
        ),
        Option(
            ["--seeds"],
            type=Folder(path_type=Path, file_okay=False),
            help="Folder with the state after a first start and after a reset.",
        ),
        Option(
            ["--temporary"],
            is_flag=True,
            help="For a program that starts one for itself: serve a new folder until standard input ends, then kill"
            " the jobs and delete the folder. Prints its variables as a line of JSON when it is ready.",
        ),
        Option(["--forget"], is_flag=True, help="First delete the jobs, algorithms and objects of earlier runs."),
    ],
    "Whom it knows": [
        Option(
            ["--credentials"],
            type=FILE,
            help="TOML file of users.  [default: one with random secrets, kept in the data folder]",
        ),
        Option(
            ["--region"],
            metavar="NAME",
            help="Region to stand for; each account has a project of its name.  [default: eu-de]",
        ),
    ],
    "How jobs run": [
        Option(["--catalogue"], type=FILE, help="TOML file of flavors and engines: adds or replaces."),
        Option(
            ["--executor"],
            metavar="NAME",
            default="process",
            show_default=True,
            help="process runs scripts, slurm does so on a cluster, simulated only pretends to, as jobs' annotations"
            " say; packages can add others.",
        ),
        Option(
            ["--paths"],
            type=click.Choice(["auto", "namespace", "mapping"]),
            default="auto",
            show_default=True,
            help="How scripts see /home/ma-user and /cache: mounted there, or mapped to other folders.",
        ),
        Option(
            ["--engine", "engines"],
            metavar="PATTERN=PYTHON",
            multiple=True,
            callback=pairs("PATTERN=PYTHON", "'PyTorch*=.venv/bin/python'", Path),
            help="Python for engines whose name, version or id matches the pattern.  [default: the emulator's]",
        ),
        Option(["--install-requirements"], is_flag=True, help="Install a code directory's pip-requirements.txt."),
        Option(
            ["--metrics-period"],
            type=click.FloatRange(0.1, 86_400),
            default=60,
            show_default=True,
            help="Seconds per metric value.",
        ),
        Option(
            ["--max-running-jobs"],
            type=click.IntRange(1),
            help="Number of jobs that run at once; others wait.  [default: number of CPUs; no limit if simulated]",
        ),
        Option(
            ["--capacity"],
            metavar="FLAVOR=NODES",
            multiple=True,
            callback=pairs("FLAVOR=NODES", "modelarts.vm.cpu.8u=4", int),
            help="Number of nodes of a flavor; other jobs wait. Can be repeated.  [default: no limit]",
        ),
        Option(["--keep-jobs"], is_flag=True, help="Leave running jobs running on exit."),
    ],
    "What the service allows": [
        Option(
            ["--max-jobs"],
            type=click.IntRange(1),
            default=10_000,
            show_default=True,
            help="A project's quota of jobs, and of visualization jobs.",
        ),
        Option(
            ["--offset-unit"],
            type=click.Choice(["page", "record"]),
            default="page",
            show_default=True,
            help="What the offset of a search counts.",
        ),
    ],
    "What it reports": [
        Option(["--check-responses"], is_flag=True, help="Respond with 500 if a response violates the documents."),
        Option(["--record-calls"], is_flag=True, help="Keep the newest calls, which GET /_emulator/calls shows."),
        Option(
            ["--access-log"],
            metavar="FILE",
            type=FILE,
            help="Append a line of JSON for each request of the API; also by MODELARTS_EMULATOR_ACCESS_LOG.",
        ),
        Option(["--ui"], is_flag=True, help="Also serve the page of modelarts ui."),
        Option(["-v", "--verbose"], is_flag=True, help="Print every request."),
        Option(["-q", "--quiet"], is_flag=True, help="Print only errors: no jobs, no rejected requests."),
    ],
}


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
