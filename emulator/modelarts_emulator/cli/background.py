"""The emulator of a data folder as others see it: where it is, how to talk to it, and how to start one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import platformdirs

from modelarts_emulator.http.errors import EmulatorError

__all__ = ["call_control", "command", "default_folder", "running_environment", "start", "wait_until_ready"]

START_LIMIT_S = 60.0
LOOK_INTERVAL_S = 0.01
CALL_LIMIT_S = 60.0
LOG_LINES = 20  # of an emulator that did not start

_started: list[subprocess.Popen[bytes]] = []  # they outlive this process, and must not be waited for when it ends


def default_folder() -> Path:
    """Where the emulator keeps its data by default."""
    return platformdirs.user_data_path("modelarts-emulator", appauthor=False)


def command(arguments: Sequence[str]) -> list[str]:
    """The command line that runs `modelarts emulator` with this Python."""
    program = "import sys; from modelarts_toolkit.cli import main; sys.argv[0] = 'modelarts'; main()"
    return [sys.executable, "-c", program, "emulator", *arguments]


def running_environment(folder: Path | None = None) -> dict[str, str] | None:
    """The variables that lead clients to the emulator that serves the folder; None if none does.

    Raises EmulatorError if its credentials cannot be read.
    """
    from modelarts_emulator.settings import client_env
    from modelarts_emulator.settings.accounts import REGION
    from modelarts_emulator.settings.credentials import load_credentials
    from modelarts_emulator.settings.data_folder import running_emulator

    folder = folder or default_folder()
    running = running_emulator(folder)
    if running is None:
        return None
    region = running.get("region") or REGION
    file = running.get("credentials")
    credentials = load_credentials(folder.absolute(), Path(file) if file else None, region)
    return client_env.environment(running["endpoint"], running["obs_endpoint"], credentials, region)


def start(folder: Path, arguments: Sequence[str]) -> int:
    """Start an emulator in the background and wait until it serves; returns its process id.

    What it prints is appended to the log in its folder. Raises EmulatorError if it ends instead.
    """
    from modelarts_emulator.settings.data_folder import LOG_FILE

    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    log = folder / LOG_FILE
    with log.open("ab") as output:
        begin = output.tell()
        process = subprocess.Popen(  # noqa: S603 - our own command
            command(["--data-dir", str(folder), *arguments]),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        wait_until_ready(process, folder)
    except EmulatorError as error:
        with log.open("rb") as text:
            text.seek(begin)
            lines = text.read().decode("utf-8", "replace").splitlines()[-LOG_LINES:]
        raise EmulatorError("\n".join([str(error), *lines])) from error
    _started.append(process)
    return process.pid


def wait_until_ready(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until the process serves the folder; raises EmulatorError if it ends, or after a minute."""
    from modelarts_emulator.settings.data_folder import running_emulator

    deadline = time.monotonic() + START_LIMIT_S
    while (running_emulator(folder) or {}).get("pid") != process.pid:
        if process.poll() is not None:
            raise EmulatorError(f"the emulator did not start (exit status {process.returncode})")
        if time.monotonic() > deadline:
            process.terminate()
            raise EmulatorError(f"the emulator did not start within {START_LIMIT_S:g} s")
        time.sleep(LOOK_INTERVAL_S)


def call_control(environment: dict[str, str], method: str, path: str, body: Any = None) -> Any:
    """Call the control API of a running emulator; returns the document of its response.

    Raises EmulatorError with its message, or if there is no response.
    """
    request = urllib.request.Request(  # noqa: S310 - the emulator's own address
        f"{environment['MODELARTS_ENDPOINT']}/_emulator/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {environment['MODELARTS_EMULATOR_TOKEN']}"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=CALL_LIMIT_S) as response:
            content = response.read()
    except urllib.error.HTTPError as error:
        text = error.read().decode("utf-8", "replace")
        try:
            text = json.loads(text)["error_msg"]
        except (ValueError, KeyError, TypeError):
            text = f"{error.code} {text[:200]}"
        raise EmulatorError(text) from None
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise EmulatorError(f"no response from {environment['MODELARTS_ENDPOINT']}: {reason}") from None
    return json.loads(content) if content else None


def is_alive(pid: int) -> bool:
    """Whether there is a process of this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
