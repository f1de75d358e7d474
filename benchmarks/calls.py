"""What a call costs on top of its bytes: the same response from the same small server, read by different clients.

The server sends one job upon every request, without looking, so that what differs is the client's own work.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

import httpx

from benchmarks.decoding import example_text
from benchmarks.peers import vendor_sdk
from benchmarks.result import Pairs, Result
from benchmarks.server import first_answer, free_port
from modelarts_toolkit import ModelArts

CALLS_PER_SAMPLE = 20
SAMPLES = 40
PROJECT = "6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34"
TOKEN = "benchmark"

# As little server as there can be: it counts the blank lines that end requests without a body.
SERVER = """
import asyncio, socket, sys

body = sys.argv[2].encode()
head = f"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: {len(body)}\\r\\n\\r\\n"
response = head.encode() + body

class Static(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data):
        self.transport.write(response * data.count(b"\\r\\n\\r\\n"))

async def main():
    server = await asyncio.get_running_loop().create_server(Static, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()

asyncio.run(main())
"""


class TokenAuth(httpx.Auth):
    """A token that is already there."""

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["X-Auth-Token"] = TOKEN
        yield request


@contextlib.contextmanager
def serving(text: str) -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port), text])
    try:
        endpoint = f"http://127.0.0.1:{port}"
        first_answer(endpoint, process)
        yield endpoint
    finally:
        process.terminate()
        process.wait()


def timed(call: Callable[[], Any]) -> Callable[[], float]:
    def seconds() -> float:
        began = time.perf_counter()
        for _ in range(CALLS_PER_SAMPLE):
            call()
        return (time.perf_counter() - began) / CALLS_PER_SAMPLE

    return seconds


def measure() -> list[Result]:
    """The toolkit's call, decoded into its model, against bare httpx, decoded into a dict, and the vendor's SDK."""
    text = example_text()
    job_id = json.loads(text)["metadata"]["id"]
    path = f"/v2/{PROJECT}/training-jobs/{job_id}"
    with (
        serving(text) as endpoint,
        httpx.Client(base_url=endpoint, headers={"X-Auth-Token": TOKEN}) as bare,
        ModelArts(endpoint=endpoint, project_id=PROJECT, auth=TokenAuth()) as ma,
        vendor_sdk(endpoint, PROJECT, job_id, CALLS_PER_SAMPLE) as sdk,
    ):
        assert ma.v2.training_jobs.show_training_job_details(job_id).metadata.id == job_id
        ours = timed(lambda: ma.v2.training_jobs.show_training_job_details(job_id))
        httpx_pairs = Pairs.measure(ours, timed(lambda: bare.get(path).raise_for_status().json()), SAMPLES, warm_up=3)
        sdk_pairs = Pairs.measure(ours, sdk, SAMPLES, warm_up=3)
    return [
        Result("show-job call / bare httpx, static server", httpx_pairs.ratio, 1.2, "×", httpx_pairs.detail),
        Result("show-job call / vendor's SDK, static server", sdk_pairs.ratio, 0.5, "×", sdk_pairs.detail),
    ]
