"""A response that never ends does not hold up a run."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.contract.played import Played, run
from tests.local_servers import LocalHandler, serving

PATH = "/training-job-flavors"
BEGINNINGS = {  # of a response; the rest follows byte by byte
    "headers": b"HTTP/1.1 200 OK\r\nX-Endless: ",
    "body": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n",
}


@contextlib.contextmanager
def dripping(upstream: str, drip: bytes, size: int = 1, where: str = "") -> Iterator[str]:
    """Serve what is behind `upstream`; responses at `where` begin with `drip` and go on, `size` bytes a time."""
    over = threading.Event()

    class Handler(LocalHandler):
        def pass_on(self) -> None:
            body = self.content()
            if self.path.split("?")[0].endswith(where):
                self.wfile.write(drip)
                with contextlib.suppress(OSError):
                    while not over.wait(0.05 if size == 1 else 0):
                        self.wfile.write(b" " * size)
                return
            headers: dict[str, Any] = {name: self.headers[name] for name in self.headers if name.lower() != "host"}
            found = httpx.request(self.command, upstream + self.path, content=body, headers=headers, trust_env=False)
            kept = {name: found.headers[name] for name in ("content-type", "x-subject-token") if name in found.headers}
            self.respond(found.status_code, found.content, kept)

        do_GET = do_POST = pass_on

    with serving(Handler) as url:
        try:
            yield url
        finally:
            over.set()


def behind(url: str, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs take the URL for the service."""
    played.address = url
    monkeypatch.setenv("MODELARTS_ENDPOINT", url)
    monkeypatch.setenv("CONTRACT_RESPONSE_S", "3")


@pytest.mark.parametrize("part", ["headers", "body", "without an end"])
def test_an_operation_whose_response_never_ends_is_a_finding(
    part: str, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte now and then, in the headers or in the body, or a body as fast as it can be sent."""
    drip, size = BEGINNINGS.get(part, BEGINNINGS["body"]), 2**20 if part == "without an end" else 1
    with dripping(played.emulator.endpoint, drip, size, PATH) as url:
        behind(url, played, monkeypatch)

        done = run(played, "--documents", "v2", "--operation", "showTrainingJobFlavors")

    assert done.exit_code == 1, done.output
    assert "no response, 2 times in a row" in done.output


def test_a_service_of_which_no_response_ends_cannot_be_tried(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first request says so."""
    with dripping(played.emulator.endpoint, BEGINNINGS["body"]) as url:
        behind(url, played, monkeypatch)

        done = run(played)

    assert done.exit_code == 3, done.output
    assert re.search("no complete response within 3 s", done.output)
