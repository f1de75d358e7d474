"""The command `modelarts emulator`, and `modelarts emulator env` for shells that want to use it."""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import os
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from modelarts_emulator.cli.background import TEMPORARY, default_folder, running_environment
from modelarts_emulator.cli.commands import COMMANDS
from modelarts_emulator.cli.options import ADDRESS, OptionGroups
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
LOGGER = "modelarts_emulator"


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
            if self._discard is None:
                # The start may go on making files, so another process removes them when this one has ended.
                remover = ["sh", "-c", 'cat; rm -rf "$0"', str(self._folder)]
                subprocess.Popen(remover, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)  # noqa: S603
                os._exit(0)
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            self._discard()


class _Formatter(logging.Formatter):
    """`07:33:23 job c7526d5e: The job is running.`; warnings and errors begin with their level."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(message)s", "%H:%M:%S")
        self._serious = logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        return self._serious.format(record) if record.levelno >= logging.WARNING else super().format(record)


def _show_messages(*, verbose: bool, quiet: bool) -> None:
    """Print what jobs do and which requests are rejected; all requests if `verbose`, only errors if `quiet`."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    level = logging.DEBUG if verbose else logging.ERROR if quiet else logging.INFO
    logging.getLogger(LOGGER).setLevel(level)


@click.group(cls=OptionGroups, invoke_without_command=True)
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
        raise EmulatorError(f"the emulator needs more libraries ({error.name.partition('.')[0]}): {install}") from error
    quiet = given.pop("quiet")
    _show_messages(verbose=given.pop("verbose"), quiet=quiet)
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


@emulator.command("env", params=list(ADDRESS))
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
