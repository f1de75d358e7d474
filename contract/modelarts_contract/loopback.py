"""A server of this process on the loopback address, for as long as a block lasts."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

__all__ = ["serving"]

HOST = "127.0.0.1"
START_POLL_S = 0.002


@contextmanager
def serving(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """Serve the application on 127.0.0.1, on a free port for 0; yields its URL. Raises OSError if the port is used."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    listener = socket.create_server((HOST, port))
    thread = threading.Thread(target=server.run, args=([listener],), name="loopback server")
    thread.start()
    while not server.started and thread.is_alive():  # before, connections are rejected
        time.sleep(START_POLL_S)
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
