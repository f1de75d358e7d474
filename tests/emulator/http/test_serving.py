"""The HTTP servers of both ports."""

from __future__ import annotations

import asyncio
from email.utils import formatdate

from starlette.applications import Starlette

from modelarts_emulator.http.serving import Server, server_config


def test_every_response_is_dated_by_the_clock() -> None:
    """At any moment of a second, and as soon as the clock has moved, forwards or back."""
    now = 1e9
    server = Server(server_config(Starlette()), lambda: now)
    for now in (1e9, 1e9 + 0.5, 1e9 + 7, 1e9 + 3):
        for counter in (0, 1):
            asyncio.run(server.on_tick(counter))
            assert server.server_state.default_headers == [(b"date", formatdate(now, usegmt=True).encode())]
