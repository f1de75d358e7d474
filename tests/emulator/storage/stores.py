"""The kinds of store that one suite runs over: a folder, and buckets of two services, each with a fresh prefix."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from tests.emulator.s3.conftest import ACCESS_KEY, SECRET_KEY, KeyPair

from modelarts_emulator.s3.app import create_app
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.folder import FolderStore

BUCKET = "all-objects"
MOTO = [shutil.which("moto_server"), str(Path(__file__).parents[3] / ".cache" / "peers" / "bin" / "moto_server")]


def store_error(code: str, match: str | None = None) -> pytest.RaisesExc[StoreError]:
    """Expects a StoreError with this code in a `with` block."""
    return pytest.raises(StoreError, match=match, check=lambda error: error.code == code)


def moto_server() -> str | None:
    """The foreign S3 server: that of the tests' environment or of the benchmarks' (`benchmarks/peers.py`)."""
    return next((path for path in MOTO if path is not None and Path(path).exists()), None)


@contextlib.contextmanager
def own_service() -> Iterator[str]:
    """The emulator's own object store on a real port, with the bucket; its address."""
    with tempfile.TemporaryDirectory() as folder:
        store = FolderStore(Path(folder))
        store.create_bucket(BUCKET)
        app = create_app(store, [KeyPair()])
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.005)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def foreign_service() -> Iterator[str]:
    """Moto's server in a process of its own, with the bucket; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(moto_server()), "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    endpoint = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(httpx.TransportError):
                httpx.put(f"{endpoint}/{BUCKET}")
                break
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError("moto's server does not respond")
            time.sleep(0.05)
        yield endpoint
    finally:
        process.terminate()
        process.wait()


def credentials() -> dict[str, str]:
    """The environment of a store in either service."""
    return {"MODELARTS_EMULATOR_OBJECTS_ACCESS_KEY": ACCESS_KEY, "MODELARTS_EMULATOR_OBJECTS_SECRET_KEY": SECRET_KEY}


def fresh_url(endpoint: str) -> str:
    """The URL of a store that nobody has used."""
    return f"s3://{BUCKET}/tests/{uuid.uuid4().hex}?endpoint={endpoint}"
