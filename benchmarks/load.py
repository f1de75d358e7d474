"""Requests as fast as a server responds, from a process of its own: `rate` starts it, `main` is what it runs.

The load must not be the bottleneck, on any machine and without any tool: requests are made beforehand, connections are
plain sockets that are kept, and of a response only the status and the length are read. It never sleeps, for it is the
server whose time it takes to wake it.
"""

from __future__ import annotations

import pickle
import selectors
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONNECTIONS = 8
BLOCK = 1 << 18


def request(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    """The request as it goes over the wire, but for the header Host, which `rate` adds."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def rate(port: int, requests: Sequence[bytes], status: int, connections: int = CONNECTIONS) -> float:
    """How many responses the server sends per second; raises RuntimeError unless all have this status."""
    host = f"\r\nHost: 127.0.0.1:{port}\r\n".encode()
    plan = pickle.dumps((port, [request.replace(b"\r\n", host, 1) for request in requests], connections))
    command = [sys.executable, "-m", "benchmarks.load"]
    run = subprocess.run(command, input=plan, stdout=subprocess.PIPE, check=True, cwd=ROOT)
    seconds, statuses = pickle.loads(run.stdout)
    if statuses != {status: len(requests)}:
        raise RuntimeError(f"{len(requests)} requests should get {status}, but there were: {statuses}")
    return len(requests) / float(seconds)


class Connection:
    """One connection, which has one request under way at a time; opened again when the server closes it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None

    def fileno(self) -> int:
        assert self._socket is not None
        return self._socket.fileno()

    def send(self, request: bytes) -> None:
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = bytearray()
        self._missing = 1
        self._socket.sendall(request)

    def receive(self) -> int | None:
        """Read what is there; the status once the response is complete."""
        assert self._socket is not None
        block = self._socket.recv(BLOCK)
        if not block:
            raise ConnectionError("the server closed the connection before it had responded")
        is_begun = bool(self._received) and b"\r\n\r\n" in self._received
        self._received += block
        if is_begun:
            self._missing -= len(block)
        else:
            head, separator, body = self._received.partition(b"\r\n\r\n")
            if not separator:
                return None
            self._head = head.lower()
            _, _, length = self._head.partition(b"content-length:")
            self._missing = int(length.partition(b"\r\n")[0] or 0) - len(body)
        return None if self._missing > 0 else int(self._head[9:12])

    @property
    def is_kept(self) -> bool:
        """Whether the server keeps the connection after its response."""
        return b"connection: close" not in self._head

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def load(port: int, requests: Iterator[bytes], connections: int) -> tuple[float, Counter[int]]:
    """Send all requests, as many at a time as there are connections; the seconds it took, and the statuses."""
    statuses: Counter[int] = Counter()
    opened = [Connection(port) for _ in range(connections)]
    began = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        for connection, first in zip(opened, requests, strict=False):
            connection.send(first)
            selector.register(connection, selectors.EVENT_READ, connection)
        while selector.get_map():
            for key, _ in selector.select(0):
                connection = key.data
                status = connection.receive()
                if status is None:
                    continue
                statuses[status] += 1
                following = next(requests, None)
                if following is not None and connection.is_kept:
                    connection.send(following)
                    continue
                selector.unregister(connection)
                connection.close()
                if following is not None:
                    connection.send(following)
                    selector.register(connection, selectors.EVENT_READ, connection)
    return time.perf_counter() - began, statuses


def main() -> None:
    port, requests, connections = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps(load(port, iter(requests), connections)))


if __name__ == "__main__":
    main()
