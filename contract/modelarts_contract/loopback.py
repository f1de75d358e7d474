"""A server of this process on the loopback address, for as long as a block lasts."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

__all__ = ["forwarded", "returned", "serving"]

HOST = "127.0.0.1"
START_POLL_S = 0.002
# Headers of a connection, and those that httpx or uvicorn write themselves; httpx decodes what it says it can decode.
NOT_FORWARDED = {
    *("host", "content-length", "connection", "transfer-encoding", "keep-alive", "te", "upgrade", "accept-encoding"),
}
NOT_RETURNED = {"content-length", "content-encoding", "transfer-encoding", "connection", "date", "server"}


def forwarded(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a request that a proxy sends on."""
    return {name: value for name, value in headers.items() if name.lower() not in NOT_FORWARDED}


def returned(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a response that a proxy gives back."""
    return {name: value for name, value in headers.items() if name.lower() not in NOT_RETURNED}


@contextmanager
def serving(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """Serve the application on 127.0.0.1, on a free port for 0; yields its URL. Raises OSError if the port is used."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    listener = socket.create_server((HOST, port))
    thread = threading.Thread(target=server.run, args=([listener],), name="proxy")
    thread.start()
    while not server.started and thread.is_alive():  # before, connections are rejected
        time.sleep(START_POLL_S)
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
