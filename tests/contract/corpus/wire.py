"""A server before the service that sends the same responses in another of the forms that HTTP allows."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import socket
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
from tests import local_servers
from tests.local_servers import LocalHandler

__all__ = ["Form", "serving"]

HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "content-encoding", "host", "accept-encoding"}


@dataclass
class Form:
    """How responses are sent; one of `reset_every` requests gets a reset instead, before or after it was served."""

    name: Callable[[str], str] = str.title
    chunked: bool = False
    zipped: bool = False
    closes: bool = False
    http_1_0: bool = False
    pause_s: float = 0.0
    reset_every: int = 0
    is_served_first: bool = False


@contextlib.contextmanager
def serving(upstream: str, form: Form) -> Iterator[str]:
    """Serve what is behind `upstream` in this form; yield the address."""
    requests = itertools.count(1)

    class Handler(LocalHandler):
        disable_nagle_algorithm = True
        protocol_version = "HTTP/1.0" if form.http_1_0 else "HTTP/1.1"

        def handle_one_request(self) -> None:
            with contextlib.suppress(ConnectionError):
                super().handle_one_request()

        def answer(self) -> None:
            is_reset = form.reset_every and next(requests) % form.reset_every == 0
            body = self.content()
            if is_reset and not form.is_served_first:
                return self.reset()
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            found = client.request(self.command, self.path, content=body, headers=headers)
            return self.reset() if is_reset else self.send(found)

        def send(self, found: httpx.Response) -> None:
            body = gzip.compress(found.content) if form.zipped else found.content
            self.send_response_only(found.status_code)
            for name, value in found.headers.items():
                if name not in HOP_BY_HOP:
                    self.send_header(form.name(name), value)
            if form.zipped:
                self.send_header(form.name("content-encoding"), "gzip")
            has_body = self.command != "HEAD" and found.status_code != 204
            if form.chunked and has_body:
                self.send_header(form.name("transfer-encoding"), "chunked")
            elif not form.http_1_0 and has_body:
                self.send_header(form.name("content-length"), str(len(body)))
            if form.closes:
                self.send_header(form.name("connection"), "close")
            self.end_headers()
            if has_body:
                self.send_body(body)
            self.close_connection = form.closes or form.http_1_0

        def send_body(self, body: bytes) -> None:
            size = max(1, len(body) // 3)
            for part in [body[start : start + size] for start in range(0, len(body), size)]:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part) if form.chunked else part)
                time.sleep(form.pause_s)
            if form.chunked:
                self.wfile.write(b"0\r\n\r\n")

        def reset(self) -> None:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - names of the base class

    with (
        httpx.Client(base_url=upstream, timeout=300, trust_env=False) as client,
        local_servers.serving(Handler) as address,
    ):
        yield address
