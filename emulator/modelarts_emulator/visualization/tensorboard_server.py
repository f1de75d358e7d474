"""The program of a TensorBoard process: serves one folder of logs until its standard input ends.

It reads one line of JSON from standard input (`logdir`, `path_prefix`) and prints one with the `url`. Standard input
ends when the emulator closes it or dies, however it dies, so no TensorBoard is left behind. The settings do not stand
on the command line, which other users of the machine can read: whoever knows the path may read the logs.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import types
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

__all__ = ["RELOAD_INTERVAL_S", "check_host", "main"]

HOST = "127.0.0.1"
HOSTS = (HOST, "localhost")
RELOAD_INTERVAL_S = 2  # between two looks for new events
STUB = "tensorboard.compat.notf"

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def check_host(app: WsgiApp) -> WsgiApp:
    """The application, but for requests to another host than this machine's loopback address (DNS rebinding)."""

    def checked(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("HTTP_HOST", "").rpartition(":")[0] in HOSTS:
            return app(environ, start_response)
        status = HTTPStatus.MISDIRECTED_REQUEST
        start_response(f"{status.value} {status.phrase}", [("Content-Type", "text/plain")])
        return [b"The request is for another host. Open the service_url of the visualization job.\n"]

    return checked


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the emulator decides when it is over
    settings = json.loads(sys.stdin.readline())
    # Without TensorFlow, files are opened anew with every look: the object store replaces those that have grown.
    sys.modules[STUB] = types.ModuleType(STUB)
    from tensorboard import default, program

    class Server(program.WerkzeugServer):  # type: ignore[misc]
        def __init__(self, app: WsgiApp, flags: Any) -> None:
            super().__init__(check_host(app), flags)

    board = program.TensorBoard(default.get_plugins(), server_class=Server)
    board.configure(
        host=HOST,
        port=0,
        logdir=settings["logdir"],
        path_prefix=settings["path_prefix"],
        reload_interval=RELOAD_INTERVAL_S,
        reload_multifile=True,
        load_fast="false",
    )
    print(json.dumps({"url": board.launch()}), flush=True)  # noqa: T201 - read by the emulator
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
