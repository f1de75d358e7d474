"""The emulator that `modelarts run` uses: one that runs, or one of its own.

The toolkit knows the emulator as another command, found by its entry point, and calls it through that alone.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click

END_LIMIT_S = 10.0
STORES = ("MODELARTS_EMULATOR_DATABASE_URL", "MODELARTS_EMULATOR_OBJECTS")  # beginnings of variables' names


def background() -> Any:
    """The module of the emulator's distribution that starts and finds emulators."""
    from importlib.metadata import entry_points  # takes 15 ms, which a command in an emulator's environment saves

    entry = next(iter(entry_points(group="modelarts.commands", name="emulator")), None)
    try:
        if entry is None:
            raise ModuleNotFoundError
        return import_module(f"{entry.module.rpartition('.')[0]}.background")
    except ModuleNotFoundError:
        raise click.ClickException("modelarts run needs the emulator: pip install 'modelarts-toolkit[local]'") from None


def running_environment() -> Mapping[str, str] | None:
    """The variables of an emulator that runs: the one that the environment names, else that of the default folder."""
    if os.environ.get("MODELARTS_EMULATOR_TOKEN") and os.environ.get("MODELARTS_ENDPOINT"):
        return dict(os.environ)
    found: Mapping[str, str] | None = background().running_environment()
    return found


@dataclass
class OwnEmulator:
    """An emulator that was started for one command."""

    environment: Mapping[str, str]
    is_done: bool = False  # its jobs have ended: nothing has to be stopped before it ends


@contextmanager
def own_emulator(arguments: Sequence[str]) -> Iterator[OwnEmulator]:
    """Start an emulator with a temporary data folder, and end it with the block."""
    module = background()
    folder = Path(tempfile.mkdtemp(prefix="modelarts-run-"))
    log = folder / "emulator.log"
    command = module.command(["--data-dir", str(folder / "data"), "--port", "0", "--obs-port", "0", *arguments])
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env=variables_without_stores(),
        )
    own: OwnEmulator | None = None
    try:
        # while it starts
        import modelarts_toolkit.client
        import modelarts_toolkit.job_handles
        import modelarts_toolkit.obs  # noqa: F401

        try:
            module.wait_until_ready(process, folder / "data")
        except Exception as error:
            text = "\n".join(log.read_text("utf-8", "replace").splitlines()[-20:])
            raise click.ClickException(f"{error}\n{text}".rstrip()) from error
        own = OwnEmulator(module.running_environment(folder / "data"))
        yield own
    finally:
        if own is not None and own.is_done:
            process.kill()  # its data goes with it
        process.terminate()
        try:
            process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def variables_without_stores() -> dict[str, str]:
    """The variables of this process, without those that would lead an emulator to another one's database or objects."""
    return {name: value for name, value in os.environ.items() if not name.startswith(STORES)}


def active_python() -> Path:
    """The Python of the active virtual environment, else the one that runs this command."""
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if folder := os.environ.get(variable):
            for name in ("bin/python", "Scripts/python.exe", "python.exe"):
                if (python := Path(folder) / name).exists():
                    return python
    return Path(sys.executable)
