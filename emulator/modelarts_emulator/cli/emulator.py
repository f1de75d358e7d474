"""The command `modelarts emulator` itself, which serves."""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from modelarts_emulator.cli.background import (
    choose_python,
    command,
    folder_option,
    meant_folder,
    running_environment,
)
from modelarts_emulator.cli.commands import COMMANDS
from modelarts_emulator.cli.options import DATA_DIR, OptionGroups
from modelarts_emulator.cli.rules import faults, plans
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings.data_folder import TEMPORARY, discard_folder

OPEN_WARNING = (
    "Warning: the emulator listens on {}, so other machines may reach it. Anyone who has its credentials runs programs"
    " as you, and connections are not encrypted. See docs/security.md."
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
        """Say how to discard an emulator that has started; it has no jobs before."""
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


@click.group(cls=OptionGroups, invoke_without_command=True)
@click.pass_context
def emulator(context: click.Context, /, **given: Any) -> None:
    """Run a local ModelArts: IAM, training jobs that really run, object storage.

    Ctrl-C stops it, and the jobs that run (a second Ctrl-C does not wait for them); queued jobs run after the next
    start. A killed emulator leaves jobs running; the next one on the same folder takes over.
    """
    if context.invoked_subcommand is not None:
        source = context.get_parameter_source
        own = [each for each in context.command.params if source(str(each.name)) is ParameterSource.COMMANDLINE]
        if lost := [each.opts[0] for each in own if each is not DATA_DIR]:
            raise click.UsageError(f"{lost[0]} is an option of the start: write it behind modelarts emulator start")
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
        folder = Path(tempfile.mkdtemp(prefix=f"{TEMPORARY}{os.getpid()}-"))
        try:
            tempfile.tempdir = str(folder)  # what is made on the side goes with it
            given |= {"port": 0, "obs_port": 0, "data_dir": folder, "fsync": False}
            _serve_options(given, InputEnd(folder))
        finally:
            discard_folder(folder)
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
    quiet, has_page = given.pop("quiet"), given.pop("ui")
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S")
    # Jobs and rejected requests; with --verbose all requests, with --quiet only errors.
    level = logging.DEBUG if given.pop("verbose") else logging.ERROR if quiet else logging.INFO
    logging.getLogger(LOGGER).setLevel(level)
    options = Options(**{**given, "data_dir": meant_folder(given.get("data_dir"))})
    if not is_loopback(options.host):
        click.echo(OPEN_WARNING.format(options.host), err=True)

    def announce(line: str) -> None:
        gc.freeze()
        gc.enable()
        if input_end is not None:
            click.echo(json.dumps(running_environment(options.data_dir)))
            return
        click.echo(line)
        if not quiet:
            click.echo(NEXT.format(folder_option(options.data_dir)), err=True)
        if has_page:
            stack.enter_context(_page(running_environment(options.data_dir) or {}))

    with contextlib.ExitStack() as stack:
        # Looking for one takes time where python3 is a shim.
        is_needed = "*" not in options.engines and options.executor != "simulated"
        python = choose_python(Path.cwd()) if is_needed else None
        serve(options, announce, (lambda _: None) if input_end is None else input_end.set_discard, python)
    if not quiet:
        click.echo("The emulator has ended.", err=True)


@contextlib.contextmanager
def _page(environment: Mapping[str, str]) -> Iterator[None]:
    """Run `modelarts ui` for the emulator of these variables; it ends with the block, or with this process."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MODELARTS_", "OS_"))}
    arguments = command(["--quiet", "--until-input-ends"], "ui")
    with subprocess.Popen(arguments, env={**others, **environment}, stdin=subprocess.PIPE):  # noqa: S603 - ours
        yield


for _command in (*COMMANDS, faults, plans):
    emulator.add_command(_command)
