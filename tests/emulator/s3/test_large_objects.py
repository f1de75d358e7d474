"""Objects that take long: of two gigabytes, and of ten thousand parts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from tests.emulator.s3.conftest import Storage, signed

from modelarts_emulator.s3 import sigv4
from modelarts_emulator.storage.protocol import Store

MEBIBYTE = 1 << 20
GROWTH = 32 * MEBIBYTE
SERVER = """
import sys, uvicorn
from pathlib import Path
from tests.emulator.s3.conftest import key_pair, serving
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.s3.app import create_app

store = Store(Path(sys.argv[1]))
store.create_bucket("data")
with serving(create_app(store, [key_pair()])) as endpoint:
    print(endpoint, flush=True)
    sys.stdin.read()
"""


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_memory_does_not_grow_with_an_object_of_two_gigabytes(tmp_path: Path) -> None:
    """Neither while it is put nor while it is read."""
    root = Path(__file__).parents[4]
    command = [sys.executable, "-c", SERVER, str(tmp_path / "objects")]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, env=environment, cwd=root) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        endpoint = server.stdout.readline().strip()
        process = psutil.Process(server.pid)
        before, most, size = process.memory_info().rss, 0, 2048 * MEBIBYTE

        def pieces() -> Iterator[bytes]:
            nonlocal most
            for _ in range(size // MEBIBYTE):
                most = max(most, process.memory_info().rss)
                yield bytes(MEBIBYTE)

        storage, url = Storage(Store(tmp_path), endpoint), f"{endpoint}/data/x"
        with httpx.Client(timeout=300) as client:
            length = {"content-length": str(size)}
            headers = signed(storage, "PUT", "/data/x", "", sigv4.UNSIGNED) | length
            assert client.put(url, content=pieces(), headers=headers).status_code == 200
            received = 0
            headers = signed(storage, "GET", "/data/x", "", sigv4.UNSIGNED)
            with client.stream("GET", url, headers=headers) as response:
                for data in response.iter_raw(MEBIBYTE):
                    received += len(data)
                    most = max(most, process.memory_info().rss)
        server.stdin.close()

    assert received == size
    assert most - before < GROWTH
