"""The HTTP servers of both ports."""

from __future__ import annotations

from email.utils import formatdate

import httpx

from modelarts_emulator.server import Emulator


def test_every_response_is_dated_by_the_clock() -> None:
    """As soon as the clock has moved, and rejections of a host or of a path, too."""
    with Emulator(executor="simulated") as emulator, httpx.Client(base_url=emulator.endpoint) as client:
        emulator.clock.freeze()
        for _ in range(2):
            emulator.clock.advance(3600)
            dates = {
                client.get(path, headers=headers).headers["Date"]
                for path, headers in (("/v3", {}), ("/nowhere", {}), ("/v3", {"Host": "foreign.example"}))
            }

            assert dates == {formatdate(emulator.clock.now, usegmt=True)}
