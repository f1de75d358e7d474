"""Object storage: small objects against moto's server, large ones against a bare server, listings, and memory."""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

from benchmarks import peers
from benchmarks.load import rate, request
from benchmarks.result import Result
from benchmarks.server import first_answer, free_port, running

ROUNDS = 3
KEYS = 500
SMALL = b"x" * 4096
LARGE_MEBIBYTES = 256
LISTED = 10_000
MEBIBYTE = b"x" * (1 << 20)

# The server that the emulator has, set up like the emulator's: bodies to a flushed file, and files as responses.
BARE = """
import os
import sys
import uvicorn
from starlette.concurrency import run_in_threadpool

async def app(scope, receive, send):
    if scope["method"] == "PUT":
        with open(sys.argv[2], "wb", buffering=0) as file:
            more = True
            while more:
                message = await receive()
                await run_in_threadpool(file.write, message["body"])
                more = message.get("more_body", False)
            await run_in_threadpool(os.fsync, file.fileno())
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})
        return
    size = os.path.getsize(sys.argv[2]) if os.path.exists(sys.argv[2]) else 0
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % size)]})
    if size:
        with open(sys.argv[2], "rb", buffering=0) as file:
            while data := await run_in_threadpool(file.read, 1 << 20):
                await send({"type": "http.response.body", "body": data, "more_body": True})
    await send({"type": "http.response.body"})

uvicorn.run(
    app, port=int(sys.argv[1]), http="httptools", ws="none", lifespan="off", log_config=None, access_log=False,
    server_header=False, proxy_headers=False,
)
"""

# Takes method and path, returns the headers of a signed request (AWS Signature Version 2).
Sign = Callable[[str, str], dict[str, str]]


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        port = int(server.environment["MODELARTS_OBS_ENDPOINT"].rpartition(":")[2])
        sign = signer(server.environment["AWS_ACCESS_KEY_ID"], server.environment["AWS_SECRET_ACCESS_KEY"])
        rate(port, [request("PUT", "/bench", sign("PUT", "/bench"))], 200)
        puts, gets = _small(port, sign)
        moto_puts, moto_gets = _moto()
        before = _resident_mebibytes(server.pid)
        with _bare(Path(folder, "bare")) as bare:
            large = {name: _large(where, sign) for name, where in (("ours", port), ("bare", bare))}
        grown = _resident_mebibytes(server.pid) - before
        listing = _listing(port, sign)
    put, get = large["ours"]
    bare_put, bare_get = large["bare"]
    return [
        Result("PUT 4 kB / moto's server", puts / moto_puts, 1.5, "×", _rates(puts, moto_puts), at_least=True),
        Result("GET 4 kB / moto's server", gets / moto_gets, 5, "×", _rates(gets, moto_gets), at_least=True),
        Result("PUT 256 MB", put, None, "MB/s", f"bare server {bare_put:,.0f} MB/s"),
        Result("GET 256 MB", get, None, "MB/s", f"bare server {bare_get:,.0f} MB/s"),
        Result("memory after large objects, growth", grown, 32, "MiB", f"{ROUNDS} × {LARGE_MEBIBYTES} MiB up and down"),
        Result(f"list {LISTED:,} keys", listing * 1000, 200, "ms", "10 pages of 1,000, on one connection"),
    ]


def _rates(ours: float, moto: float) -> str:
    return f"{ours:,.0f}/s against {moto:,.0f}/s, medians of {ROUNDS} × {KEYS}"


def signer(access_key: str, secret_key: str) -> Sign:
    from email.utils import formatdate

    from modelarts_emulator.http import signatures
    from modelarts_emulator.s3 import sigv2

    def sign(method: str, path: str) -> dict[str, str]:
        date = formatdate(usegmt=True)
        path, _, query = path.partition("?")
        text = next(sigv2.strings_to_sign(signatures.Request(method, path, query, []), "AWS", date, ""))
        return {"Date": date, "Authorization": f"AWS {access_key}:{sigv2.sign(secret_key, text)}"}

    return sign


def _small(port: int, sign: Sign) -> tuple[float, float]:
    """How many objects are put and read per second."""
    paths = [f"/bench/small/{number}" for number in range(KEYS)]
    puts, gets = [], []
    for _ in range(ROUNDS):
        puts.append(rate(port, [request("PUT", path, sign("PUT", path), SMALL) for path in paths], 200))
        gets.append(rate(port, [request("GET", path, sign("GET", path)) for path in paths], 200))
    return statistics.median(puts), statistics.median(gets)


def _moto() -> tuple[float, float]:
    port = free_port()
    command = [str(peers.python().with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)]
    with _process(command, port):
        credential = "Credential=benchmark/20260101/us-east-1/s3/aws4_request"
        header = {"Authorization": f"AWS4-HMAC-SHA256 {credential}, SignedHeaders=host, Signature=0"}
        rate(port, [request("PUT", "/bench", header)], 200)
        return _small(port, lambda _method, _path: header)


@contextlib.contextmanager
def _bare(file: Path) -> Iterator[int]:
    port = free_port()
    with _process([sys.executable, "-c", BARE, str(port), str(file)], port):
        yield port


@contextlib.contextmanager
def _process(command: list[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        first_answer(f"http://127.0.0.1:{port}", process)
        yield
    finally:
        process.terminate()
        process.wait()


def _large(port: int, sign: Sign) -> tuple[float, float]:
    """The best rate, in MB/s, at which a large object is put and read."""
    size, path, puts, gets = LARGE_MEBIBYTES << 20, "/bench/large", [], []
    for _ in range(ROUNDS):
        connection = HTTPConnection("127.0.0.1", port)
        began = time.perf_counter()
        connection.putrequest("PUT", path)
        for name, value in {**sign("PUT", path), "Content-Length": str(size)}.items():
            connection.putheader(name, value)
        connection.endheaders()
        for _ in range(LARGE_MEBIBYTES):
            connection.send(MEBIBYTE)
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            raise RuntimeError(f"the large object should be stored, but the status was {response.status}")
        puts.append(size / 1e6 / (time.perf_counter() - began))
        gets.append(_read(connection, path, sign, size))
        connection.close()
    return max(puts), max(gets)


def _read(connection: HTTPConnection, path: str, sign: Sign, size: int) -> float:
    began = time.perf_counter()
    connection.request("GET", path, headers=sign("GET", path))
    response = connection.getresponse()
    buffer, received = bytearray(1 << 20), 0
    while count := response.readinto(buffer):
        received += count
    if received != size:
        raise RuntimeError(f"{received} bytes of {size} arrived")
    return size / 1e6 / (time.perf_counter() - began)


def _listing(port: int, sign: Sign) -> float:
    """The seconds of listing all keys, the median of some rounds."""
    paths = [f"/bench/listed/{number:05}" for number in range(LISTED)]
    rate(port, [request("PUT", path, sign("PUT", path), b"1") for path in paths], 200)
    connection, times = HTTPConnection("127.0.0.1", port), []
    for _ in range(ROUNDS):
        began, marker, count = time.perf_counter(), "", 0
        while count < LISTED:
            headers = sign("GET", "/bench")
            connection.request("GET", f"/bench?prefix=listed/&marker={marker}", headers=headers)
            page = connection.getresponse().read().decode()
            count += page.count("<Key>")
            marker = page.rpartition("<Key>")[2].partition("</Key>")[0]
        times.append(time.perf_counter() - began)
    connection.close()
    return statistics.median(times)


def _resident_mebibytes(pid: int) -> float:
    import psutil

    return float(psutil.Process(pid).memory_info().rss) / (1 << 20)
