"""A line of JSON for every request of the API: who called what, and with which status it was responded to.

at           when the response began, in seconds since 1970, by the clock of the machine
method path  of the request; without the query, which can hold secrets
status       of the response
duration_ms  from the request to the begin of the response
user_agent   what the client says of itself
executor     how the emulator runs jobs
"""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from modelarts_emulator.http.errors import EmulatorError

__all__ = ["VARIABLE", "AccessLog", "LogFile", "file_of_environment"]

log = logging.getLogger(__name__)

VARIABLE = "MODELARTS_EMULATOR_ACCESS_LOG"
AGENT_LENGTH = 200  # characters


def file_of_environment() -> Path | None:
    """The file that the environment variable names."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None


class LogFile:
    """An opened access log, to which lines are appended whole, so that several emulators may write to one file.

    Raises EmulatorError if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError as error:
            raise EmulatorError(
                f"the access log {path} cannot be written ({error.strerror}): name another file with --access-log"
            ) from error

    def append(self, line: str) -> None:
        """Write the line; a request is served, too, if that fails."""
        try:
            os.write(self._descriptor, line.encode())
        except OSError as error:
            log.error("cannot write to the access log: %s", error.strerror)

    def close(self) -> None:
        os.close(self._descriptor)


class AccessLog:
    """An ASGI application that serves with another one, and logs each response before its client has it."""

    def __init__(self, app: ASGIApp, file: LogFile, executor: str) -> None:
        self._app = app
        self._file = file
        self._executor = executor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()

        async def logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._file.append(self._line(scope, message["status"], time.perf_counter() - began))
            await send(message)

        await self._app(scope, receive, logged)

    def _line(self, scope: Scope, status: int, duration_s: float) -> str:
        entry = {
            "at": round(time.time(), 3),
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "duration_ms": round(duration_s * 1000, 2),
            "user_agent": Headers(scope=scope).get("user-agent", "")[:AGENT_LENGTH],
            "executor": self._executor,
        }
        return json.dumps(entry) + "\n"
