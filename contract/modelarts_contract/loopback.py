"""A server of this process on the loopback address, for as long as a block lasts."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["serving"]

HOST = "127.0.0.1"
START_POLL_S = 0.002
REJECTED = "The request is for another host: use the address that was printed."


@contextmanager
def serving(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """Serve the application on 127.0.0.1, on a free port for 0; yields its URL. Raises OSError if the port is used.

    Requests for another host are rejected: they are those of a web page whose name resolves to this machine.
    """
    listener = socket.create_server((HOST, port))
    address = f"{HOST}:{listener.getsockname()[1]}"
    hosts = {address.encode(), address.replace(HOST, "localhost").encode()}

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        is_ours = all(value in hosts for name, value in scope["headers"] if name == b"host")
        await (app if is_ours else Response(REJECTED, 421))(scope, receive, send)

    server = uvicorn.Server(uvicorn.Config(checked, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listener],), name="loopback server")
    thread.start()
    while not server.started and thread.is_alive():  # before, connections are rejected
        time.sleep(START_POLL_S)
    try:
        yield f"http://{address}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
