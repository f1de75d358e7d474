"""Servers on this machine: of handlers for HTTP that a test makes, and what programs with a port of their own need."""

import ctypes
import random
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

__all__ = ["LocalHandler", "end_with_parent", "free_ports", "serving"]


class LocalHandler(BaseHTTPRequestHandler):
    """Prints nothing of its requests."""

    def respond(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def content(self) -> bytes:
        """The body of the request."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(served: type[BaseHTTPRequestHandler] | ThreadingHTTPServer) -> Iterator[str]:
    """The address of a handler or a server, which requests reach until the block ends."""
    server = served if isinstance(served, ThreadingHTTPServer) else ThreadingHTTPServer(("127.0.0.1", 0), served)
    with server:
        thread = Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def free_ports(count: int) -> list[int]:
    """As many ports below those that Linux gives to connections, so that none takes one before the server does."""
    ports: set[int] = set()
    while len(ports) < count:
        port = random.randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            ports.add(port)
    return [*ports]


def end_with_parent(number: signal.Signals) -> None:
    """In a child: have Linux send it this signal when the process that started it ends."""
    ctypes.CDLL(None).prctl(1, number, 0, 0, 0)  # PR_SET_PDEATHSIG
