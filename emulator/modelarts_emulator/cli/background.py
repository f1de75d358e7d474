"""Emulators as other programs see them: where they are, how to talk to them, and how to start one."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import platformdirs

from modelarts_emulator.control.client import ControlClient
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings import client_env
from modelarts_emulator.settings.accounts import REGION, load_credentials
from modelarts_emulator.settings.chosen_python import choose_python as choose_python  # others find both here
from modelarts_emulator.settings.chosen_python import named_python as named_python
from modelarts_emulator.settings.client_env import DATA_DIR, is_loopback
from modelarts_emulator.settings.data_folder import LOG_FILE, TEMPORARY, discard_folder, is_locked, running_emulator
from modelarts_emulator.storage.files import acquire_lock

START_LIMIT_S = 60.0
LOOK_INTERVAL_S = 0.01
CALL_TIMEOUT_S = 60.0
PROOF_TIMEOUT_S = 5.0
END_LIMIT_S = 10.0
LOG_LINES = 20  # of an emulator that did not start
# Beginnings of the names of variables that may lead an emulator to another one's database, or hold a secret.
SERVICES = ("MODELARTS_", "OS_", "AWS_", "HUAWEICLOUD_SDK_")


def default_folder() -> Path:
    """Where the emulator keeps its data by default."""
    return platformdirs.user_data_path("modelarts-emulator", appauthor=False)


def meant_folder(named: Path | None = None) -> Path:
    """The folder of the emulator that a command is about, running or not: the named one, or else the one that
    MODELARTS_EMULATOR_DATA_DIR names, or else the default one."""
    return named or Path(_variable() or default_folder())


def _variable() -> str:
    """What the variable names, without the blanks, line ends and byte-order marks of files that it may come from."""
    return os.environ.get(DATA_DIR, "").strip(" \t\r\n\ufeff")


def folder_option(folder: Path) -> str:
    """The option by which any shell names the folder; empty for the default one, unless a variable names another."""
    return "" if folder == default_folder() == meant_folder() else f" --data-dir {shlex.quote(str(folder))}"


def not_served(folder: Path | None = None, remedy: str | None = None) -> str:
    """The sentence that no emulator serves the folder (`meant_folder`), with what to do: by default, start it."""
    folder = meant_folder(folder)
    is_variable = bool(_variable()) and folder == meant_folder()
    start = f'start it with "modelarts emulator start{folder_option(folder)}"'
    start += ", or unset the variable" if is_variable else ""
    return f"no emulator serves {folder}{f', which {DATA_DIR} names' if is_variable else ''}: {remedy or start}"


def command(arguments: Sequence[str], name: str = "emulator") -> list[str]:
    """The command line that runs `modelarts emulator`, or another command, with this Python."""
    program = "import sys; from modelarts_toolkit.cli import main; sys.argv[0] = 'modelarts'; main()"
    return [sys.executable, "-c", program, name, *arguments]


def running_environment(folder: Path | None = None) -> dict[str, str] | None:
    """The variables that lead clients to the emulator that serves the folder (`meant_folder`); None if none does.

    Raises EmulatorError if its credentials cannot be read.
    """
    folder = meant_folder(folder)
    running = running_emulator(folder)
    return None if running is None else environment_of(folder, running)


def environment_of(folder: Path, running: Mapping[str, Any], host: str | None = None) -> dict[str, str]:
    """The variables for an emulator that announced this in the folder, or for one that is yet to be started there.

    `host` is the name of its machine. Raises EmulatorError if its credentials cannot be read or made.
    """
    region, file = running.get("region") or REGION, running.get("credentials")
    credentials = load_credentials(folder.absolute(), Path(file) if file else None, region)
    host = host or running.get("host") or client_env.HOST
    api = client_env.endpoint(running.get("port", client_env.PORT), host)
    objects = client_env.endpoint(running.get("obs_port", client_env.OBS_PORT), host)
    return client_env.environment(api, objects, folder, credentials, region)


def own_environment() -> dict[str, str] | None:
    """The variables of an emulator that proves to be this user's and to run scripts on this machine; None if none does.

    It serves the folder that is meant; the folder is this user's, and the emulator listens on a loopback address and
    takes the folder's control token. No other variable is believed.
    """
    folder = meant_folder()
    with contextlib.suppress(EmulatorError, OSError):
        variables = running_environment(folder) if folder.is_dir() and folder.stat().st_uid == os.getuid() else None
        if variables is not None and is_loopback(urlsplit(variables["MODELARTS_ENDPOINT"]).hostname or ""):
            call_control(variables, "GET", "clock", timeout_s=PROOF_TIMEOUT_S)
            health = call_control(variables, "GET", "health", timeout_s=PROOF_TIMEOUT_S)
            if health["capabilities"]["executor"] == "process":
                return variables
    return None


def start(folder: Path, arguments: Sequence[str]) -> bool:
    """Start an emulator in the background and wait until it serves; False if another one serves the folder first.

    What it prints is appended to the log in its folder. Raises EmulatorError if it ends instead.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / LOG_FILE).open("ab") as turn, (folder / LOG_FILE).open("ab+") as output:
        acquire_lock(turn.fileno(), START_LIMIT_S)  # one start at a time; the emulator does not inherit the lock
        if running_emulator(folder) is not None:
            return False
        begin = output.seek(0, os.SEEK_END)
        process = subprocess.Popen(  # noqa: S603 - our own command
            command(["--data-dir", str(folder), *arguments]),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            return _wait_until_ready(process, folder)
        except EmulatorError as error:
            raise EmulatorError(f"{error}{_tail(output, begin)}") from error
        finally:
            process.returncode = 0  # it outlives this process, which does not wait for it


@contextlib.contextmanager
def temporary(arguments: Sequence[str]) -> Iterator[Callable[[], dict[str, str]]]:
    """Start an emulator with a temporary folder; yields a function that waits until it serves, for its variables.

    It ends with the block, or with this process, however that ends; its jobs and its folder go with it.
    The function raises EmulatorError if the emulator does not start. Its environment has no variable of a service.
    """
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command(["--temporary", *arguments]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if not name.startswith(SERVICES)},
        )
        assert process.stdin is not None  # noqa: S101 - for type checkers
        assert process.stdout is not None  # noqa: S101
        output = process.stdout

        def ready() -> dict[str, str]:
            is_late = not select.select([output], [], [], START_LIMIT_S)[0]
            if not is_late and (line := output.readline()):
                return dict(json.loads(line))
            why = f"within {START_LIMIT_S:g} s" if is_late else f"(exit status {process.wait(END_LIMIT_S)})"
            raise EmulatorError(f"the emulator did not start {why}{_tail(log)}")

        with output:
            try:
                yield ready
            finally:
                process.stdin.close()
                with contextlib.suppress(subprocess.TimeoutExpired):  # killed, it would leave jobs and folder behind
                    process.wait(END_LIMIT_S)
                if process.returncode:  # somebody has killed it
                    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY}{process.pid}-*"):
                        discard_folder(folder)


def _tail(log: IO[bytes], begin: int = 0) -> str:
    """The last lines of the log from this position on, each after a line end."""
    log.seek(begin)
    return "".join(f"\n{line}" for line in log.read().decode("utf-8", "replace").splitlines()[-LOG_LINES:])


def _wait_until_ready(process: subprocess.Popen[bytes], folder: Path) -> bool:
    """Whether the process serves the folder, or else another one; raises EmulatorError if none does in a minute."""
    deadline = time.monotonic() + START_LIMIT_S
    while True:
        has_ended, state = process.poll() is not None, running_emulator(folder)
        if state and (has_ended or state["pid"] == process.pid) and listens(state["endpoint"]):
            return bool(state["pid"] == process.pid)
        if has_ended and not is_locked(folder):
            raise EmulatorError(f"the emulator did not start (exit status {process.returncode})")
        if time.monotonic() > deadline:
            process.terminate()
            raise EmulatorError(f"the emulator did not start within {START_LIMIT_S:g} s")
        time.sleep(LOOK_INTERVAL_S)


def listens(endpoint: str) -> bool:
    """Whether a server accepts connections there."""
    at = urlsplit(endpoint)
    with contextlib.suppress(OSError), socket.create_connection((at.hostname or "", at.port or 0), PROOF_TIMEOUT_S):
        return True
    return False


def call_control(
    environment: Mapping[str, str], method: str, path: str, body: Any = None, timeout_s: float = CALL_TIMEOUT_S
) -> Any:
    """Call the control API of a running emulator; returns the JSON of its response.

    Raises EmulatorError with its message, or without a response.
    """
    client = ControlClient(environment["MODELARTS_ENDPOINT"], environment["MODELARTS_EMULATOR_TOKEN"], timeout_s)
    try:
        return client.request(method, path, body)
    except ValueError as error:
        raise EmulatorError(str(error)) from None
