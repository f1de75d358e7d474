"""The command `modelarts emulator`, and `modelarts emulator env` for shells that want to use it."""

from __future__ import annotations

import contextlib
import gc
import json
import math
import os
import shlex
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from modelarts_emulator.cli.background import TEMPORARY, default_folder, running_environment
from modelarts_emulator.cli.commands import COMMANDS
from modelarts_emulator.cli.messages import show_messages
from modelarts_emulator.cli.option_groups import OptionGroups
from modelarts_emulator.http.errors import EmulatorError

__all__ = ["emulator"]

OPEN_WARNING = (
    "Warning: the emulator listens on {}, so other machines may reach it. Whoever has its credentials runs programs as"
    " you, and connections are not encrypted. See docs/security.md."
)
NEXT = """Now, in another terminal:
  eval "$(modelarts emulator env{0})"
  modelarts job list
Ctrl-C ends the emulator and its running jobs."""
FILE = click.Path(path_type=Path, dir_okay=False)
PORT_RANGE = click.IntRange(0, 65535)


class InputEnd:
    """Discards a temporary emulator when standard input ends, because the program that started it has ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._discard: Callable[[], object] | None = None
        threading.Thread(target=self._read, name="input", daemon=True).start()

    def set_discard(self, discard: Callable[[], object]) -> None:
        """Say how to discard an emulator that has started; before, there are no jobs."""
        with self._lock:
            self._discard = discard

    def _read(self) -> None:
        while os.read(0, 4096):
            pass
        with self._lock:
            while self._discard is None and self._folder.exists():
                shutil.rmtree(self._folder, ignore_errors=True)  # the start may go on making files
            if self._discard is None:
                os._exit(0)
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            self._discard()


class Seconds(click.FloatRange):
    """A finite number of seconds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        seconds = super().convert(value, param, ctx)
        if not math.isfinite(seconds):
            self.fail(f"{value} is not a finite number of seconds.", param, ctx)
        return seconds


class Capacity(click.ParamType):  # type: ignore[type-arg]
    """FLAVOR=NODES."""

    name = "flavor=nodes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        flavor_id, _, number = str(value).rpartition("=")
        if not flavor_id or not (number.isascii() and number.isdigit()):
            self.fail(f"{value!r} is not of the form FLAVOR=NODES, such as modelarts.vm.cpu.8u=4.", param, ctx)
        return flavor_id, int(number[:9])


class Folder(click.Path):
    """A folder that has a name: an empty one is a shell variable that is not set."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty: name a folder, or leave the option out.", param, ctx)
        return super().convert(value, param, ctx)


def interpreters(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, Path]:
    """`PATTERN=PYTHON` as given on the command line, by pattern, in that order."""
    chosen: dict[str, Path] = {}
    for value in given:
        pattern, _, python = value.partition("=")
        if not pattern or not python or pattern in chosen:
            what = "gives a pattern twice" if pattern in chosen else "is not of the form PATTERN=PYTHON"
            raise click.BadParameter(f"{value!r} {what}: say, for example, 'PyTorch*=.venv/bin/python'.")
        chosen[pattern] = Path(python)
    return chosen


def address_options(command: Any) -> Any:
    """The options that `emulator` and `emulator env` share."""
    options = (
        click.option("--port", type=PORT_RANGE, default=None, help="Of IAM and ModelArts; 0: any.  [default: 9180]"),
        click.option("--obs-port", type=PORT_RANGE, default=None, help="Of the object store; 0: any.  [default: 9181]"),
        click.option("--data-dir", type=Folder(path_type=Path, file_okay=False), default=None,
                     help="Folder for everything that lasts.  [default: the user's data folder]"),
        click.option("--credentials", type=FILE, default=None,
                     help="TOML file of users.  [default: one with random secrets, kept in the data folder]"),
        click.option("--region", metavar="NAME", default=None,
                     help="Region to stand for; each account has a project of its name.  [default: eu-de]"),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@click.group(cls=OptionGroups, invoke_without_command=True)
@address_options
@click.option("--host", metavar="ADDRESS", default=None, help="IP address to listen on.  [default: 127.0.0.1]")
@click.option(
    "--allowed-host",
    "allowed_hosts",
    metavar="NAME[:PORT]",
    multiple=True,
    help="Another name that clients may call it by. Can be repeated.  [default: 127.0.0.1, localhost and [::1] only]",
)
@click.option(
    "--database-url",
    metavar="URL",
    envvar="MODELARTS_EMULATOR_DATABASE_URL",
    default=None,
    help="Keep the state in a PostgreSQL database, postgresql+psycopg://USER@HOST/DATABASE. The variable"
    " MODELARTS_EMULATOR_DATABASE_URL and ~/.pgpass keep the password out of the list of processes."
    "  [default: a file in the data folder]",
)
@click.option(
    "--objects",
    metavar="s3://BUCKET/PREFIX",
    default=None,
    envvar="MODELARTS_EMULATOR_OBJECTS",
    help="Keep objects in a bucket of another service.  [default: in the data folder]",
)
@click.option(
    "--objects-endpoint",
    metavar="URL",
    default=None,
    envvar="MODELARTS_EMULATOR_OBJECTS_ENDPOINT",
    help="Its address; keys are in MODELARTS_EMULATOR_OBJECTS_ACCESS_KEY and MODELARTS_EMULATOR_OBJECTS_SECRET_KEY.",
)
@click.option("--catalogue", type=FILE, default=None, help="TOML file of flavors and engines: adds or replaces.")
@click.option(
    "--executor",
    metavar="NAME",
    default="process",
    show_default=True,
    help="process runs scripts, slurm and ray do so on a cluster, simulated only pretends to, as jobs' annotations"
    " say; packages can add others.",
)
@click.option(
    "--paths",
    type=click.Choice(["auto", "namespace", "mapping"]),
    default="auto",
    show_default=True,
    help="How scripts see /home/ma-user and /cache: mounted there, or mapped to other folders.",
)
@click.option(
    "--engine",
    "engines",
    metavar="PATTERN=PYTHON",
    multiple=True,
    callback=interpreters,
    help="The Python of the engines whose name, version or id the pattern fits.  [default: the emulator's]",
)
@click.option("--install-requirements", is_flag=True, help="Install a code directory's pip-requirements.txt.")
@click.option("--metrics-period", type=Seconds(0.1), default=60, show_default=True, help="Seconds per metric value.")
@click.option(
    "--max-running-jobs",
    type=click.IntRange(1),
    default=None,
    help="More wait.  [default: number of CPUs; no limit if simulated]",
)
@click.option(
    "--max-jobs", type=click.IntRange(1), default=10_000, show_default=True, help="A project's quota of jobs."
)
@click.option(
    "--max-visualization-jobs",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="A project's quota of visualization jobs.",
)
@click.option(
    "--capacity",
    type=Capacity(),
    multiple=True,
    help="Nodes that there are of a flavor; more jobs wait. Can be repeated.  [default: as many as are asked for]",
)
@click.option(
    "--offset-unit",
    type=click.Choice(["page", "record"]),
    default="page",
    show_default=True,
    help="What the offset of a search counts.",
)
@click.option(
    "--seeds",
    type=Folder(path_type=Path, file_okay=False),
    default=None,
    help="Folder of what exists after a start without state, and after a reset.",
)
@click.option(
    "--temporary",
    is_flag=True,
    help="For a program that starts one for itself: serve a new folder until standard input ends, then kill the jobs"
    " and delete the folder. Prints its variables as a line of JSON when it is ready.",
)
@click.option("--forget", is_flag=True, help="First delete the jobs, algorithms and objects of earlier runs.")
@click.option("--check-responses", is_flag=True, help="Respond with 500 in place of what the documents do not allow.")
@click.option("--record-calls", is_flag=True, help="Keep the newest calls, which GET /_emulator/calls shows.")
@click.option(
    "--access-log",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Append a line of JSON for each request of the API; also by MODELARTS_EMULATOR_ACCESS_LOG.",
)
@click.option("-v", "--verbose", is_flag=True, help="Print every request.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors: no jobs, no rejected requests.")
@click.option("--keep-jobs", is_flag=True, help="On exit, let running jobs go on instead of stopping them.")
@click.pass_context
def emulator(context: click.Context, /, **given: Any) -> None:
    """Run a local ModelArts: IAM, training jobs that really run, object storage.

    \b
    Ctrl-C stops it, and the jobs that run (a second Ctrl-C does not wait for them); queued jobs run after the next
    start. A killed emulator leaves jobs running; the next one on the same folder takes over.
    """
    context.obj = given
    if context.invoked_subcommand is not None:
        return
    # What is made until the emulator is ready stays: looking through it for garbage takes a tenth of the start.
    gc.disable()
    try:
        _serve({name: value for name, value in given.items() if value is not None})
    except EmulatorError as error:
        raise click.ClickException(str(error)) from error
    finally:
        gc.enable()


def _serve(given: dict[str, Any]) -> None:
    if given.pop("temporary"):
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, ignore_cleanup_errors=True) as folder:
            given |= {"port": 0, "obs_port": 0, "data_dir": Path(folder), "fsync": False}
            _serve_options(given, InputEnd(Path(folder)))
    else:
        _serve_options(given, None)


def _serve_options(given: dict[str, Any], input_end: InputEnd | None) -> None:
    try:
        from modelarts_emulator.server import Options, serve
        from modelarts_emulator.settings.client_env import is_loopback
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("modelarts_"):
            raise
        install = "pip install 'modelarts-toolkit[emulator]'"
        raise EmulatorError(f"the emulator needs more libraries ({error.name}): {install}") from error
    quiet = given.pop("quiet")
    show_messages(verbose=given.pop("verbose"), quiet=quiet)
    options = Options(**{"data_dir": default_folder(), **given, "capacity": dict(given["capacity"])})
    if not is_loopback(options.host):
        click.echo(OPEN_WARNING.format(options.host), err=True)
    is_default = options.data_dir == default_folder()

    def announce(line: str) -> None:
        gc.freeze()
        gc.enable()
        if input_end is not None:
            click.echo(json.dumps(running_environment(options.data_dir)))
            return
        click.echo(line)
        if not quiet:
            folder = "" if is_default else f" --data-dir {shlex.quote(str(options.data_dir))}"
            click.echo(NEXT.format(folder), err=True)

    serve(options, announce, *([] if input_end is None else [input_end.set_discard]))
    if not quiet:
        click.echo("The emulator has ended.", err=True)


for _command in COMMANDS:
    emulator.add_command(_command)


@emulator.command("env")
@address_options
@click.option("--host", metavar="NAME", default=None, help="Name or address of the machine.  [default: 127.0.0.1]")
@click.option(
    "--shell",
    type=click.Choice(["posix", "fish", "powershell"]),
    default="posix",
    show_default=True,
    help="posix: sh, bash, zsh.",
)
@click.option("--unset", is_flag=True, help="Print lines that remove the variables from the shell.")
@click.pass_obj
def env(outer: dict[str, Any], /, shell: str, unset: bool, **given: Any) -> None:
    """Print export lines for a shell: eval "$(modelarts emulator env)".

    \b
    fish:        modelarts emulator env --shell fish | source
    PowerShell:  modelarts emulator env --shell powershell | Out-String | Invoke-Expression

    Variables of other logins, which clients would mix with these, are unset.
    Without ports, they name the emulator that serves the data folder, else the default ports, with a word about it on
    standard error. The credentials are those of that emulator, or of the data folder, made if it has none yet.
    """
    from modelarts_emulator.settings import client_env
    from modelarts_emulator.settings.accounts import REGION, check_region, load_credentials
    from modelarts_emulator.settings.client_env import shell_lines
    from modelarts_emulator.settings.data_folder import running_emulator

    chosen = {name: outer.get(name) if value is None else value for name, value in given.items()}
    folder = chosen["data_dir"] or default_folder()
    running = running_emulator(folder) or {}
    port, obs_port = (
        running.get(name, default) if chosen[name] is None else chosen[name]
        for name, default in (("port", client_env.PORT), ("obs_port", client_env.OBS_PORT))
    )
    if not port or not obs_port:
        raise click.UsageError("port 0 stands for any port: name the emulator's data folder instead")
    try:
        file = chosen["credentials"] or running.get("credentials")
        region = chosen["region"] or running.get("region") or REGION
        check_region(region)
        credentials = load_credentials(folder.absolute(), Path(file) if file else None, region)
    except EmulatorError as error:
        raise click.ClickException(str(error)) from error
    is_explicit = None not in (chosen["port"], chosen["obs_port"], chosen["credentials"] or chosen["data_dir"])
    if not running and not is_explicit and not unset:
        lead = f"no emulator serves {folder} yet: these lines lead to ports {port} and {obs_port}"
        click.echo(f'{lead}. Start it ("modelarts emulator"), or name its folder with --data-dir.', err=True)
    host = chosen["host"] or running.get("host") or client_env.HOST
    api, objects = client_env.endpoint(port, host), client_env.endpoint(obs_port, host)
    variables = client_env.environment(api, objects, folder, credentials, region)
    kept, removed = ({}, variables) if unset else (variables, {})
    click.echo("\n".join(shell_lines(shell, [*client_env.FOREIGN, *removed], kept)))
