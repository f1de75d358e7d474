"""Transfers over a slow network that are cancelled or interrupted: they stop at once and leave nothing half-written."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.local_servers import LocalHandler, serving

from modelarts_toolkit import AsyncObs, Obs
from modelarts_toolkit.settings.config import Config

SIZE = 4_000_000  # which would take 80 s
BYTES_PER_SECOND = 50_000
PIECE = 5_000  # bytes


class SlowStore(ThreadingHTTPServer):
    """An object store behind a network that passes on BYTES_PER_SECOND; `began` is set when content moves."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), SlowHandler)
        self.objects: dict[str, bytes] = {}
        self.began = threading.Event()
        self.environment = {
            "MODELARTS_OBS_ENDPOINT": f"http://127.0.0.1:{self.server_port}",
            "MODELARTS_ACCESS_KEY": "key",
            "MODELARTS_SECRET_KEY": "secret",
        }


class SlowHandler(LocalHandler):
    """Stores an object when the whole of it has arrived; lists all objects, whatever the prefix."""

    server: SlowStore

    def do_PUT(self) -> None:
        missing, content = int(self.headers["Content-Length"] or 0), b""
        while len(content) < missing:
            piece = self.rfile.read1(PIECE)
            if not piece:
                return
            content += piece
            self._pause()
        if self.path != "/bucket/":  # which makes the bucket
            self.server.objects[self.path] = content
        self._respond(b"")

    def do_GET(self) -> None:
        if "list-type" not in self.path:
            self._respond(self.server.objects[self.path])
            return
        entry = "<Contents><Key>{}</Key><Size>{}</Size><LastModified>2026-11-21T10:00:00.000Z</LastModified></Contents>"
        objects = self.server.objects.items()
        listed = "".join(entry.format(path.removeprefix("/bucket/"), len(content)) for path, content in objects)
        self._respond(f"<ListBucketResult>{listed}</ListBucketResult>".encode())

    def _respond(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with suppress(OSError):  # the client has gone
            for start in range(0, len(content), PIECE):
                self.wfile.write(content[start : start + PIECE])
                if len(content) > PIECE:
                    self._pause()

    def _pause(self) -> None:
        self.server.began.set()
        time.sleep(PIECE / BYTES_PER_SECOND)


@pytest.fixture
def slow() -> Iterator[SlowStore]:
    server = SlowStore()
    with serving(server):
        yield server


@pytest.fixture
def large(tmp_path: Path) -> Path:
    file = tmp_path / "large.bin"
    file.write_bytes(os.urandom(SIZE))
    return file


def visible(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]


def test_a_cancelled_download_stops_at_once_and_leaves_no_file(slow: SlowStore, tmp_path: Path) -> None:
    """While it runs, the file does not appear, and after it was cancelled nothing is left."""
    slow.objects["/bucket/down/large.bin"] = bytes(SIZE)
    obs = AsyncObs(Config.load(environ=slow.environment))
    seen: list[str] = []

    async def download() -> None:
        task = asyncio.create_task(obs.download("obs://bucket/down/", tmp_path / "back"))
        await asyncio.to_thread(slow.began.wait, 30)
        await asyncio.sleep(0.3)
        seen.extend(visible(tmp_path / "back"))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(download())

    assert len(seen) == 1
    assert all(name.endswith(".part") for name in seen)
    assert visible(tmp_path / "back") == []


JOB = """\
code: code
boot: large.bin
engine: "pytorch_1.8*"
flavor: modelarts.vm.cpu.8u
staging: obs://bucket/staging/
"""


def test_ctrl_c_ends_a_transfer_of_a_command_at_once(
    slow: SlowStore, large: Path, tmp_path: Path, emulator_environment: dict[str, str]
) -> None:
    """SIGINT ends the command, which uploads the code of a job; no object is left."""
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "large.bin").hardlink_to(large)
    process = subprocess.Popen(
        [Path(sys.executable).with_name("modelarts"), "job", "submit", "job.yaml"],
        cwd=tmp_path,
        env={**os.environ, **emulator_environment, **slow.environment},
        stderr=subprocess.PIPE,
        # a test may run where it is ignored, as in the background of a shell
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert slow.began.wait(30)
        time.sleep(0.3)  # somewhere in the middle

        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)

        assert (process.returncode, errors.splitlines()[-1:]) == (130, [b"Interrupted."])
    finally:
        process.kill()
        process.communicate()
    assert slow.objects == {}


def test_a_call_works_where_an_event_loop_runs_already(slow: SlowStore, tmp_path: Path) -> None:
    """As in a notebook: the call runs in the event loop of another thread, and raises what it raises there."""
    slow.objects["/bucket/down/small"] = b"1"
    obs = Obs(Config.load(environ=slow.environment))

    async def cell() -> None:
        assert obs.download("obs://bucket/down/", tmp_path / "back").files == 1
        with pytest.raises(FileNotFoundError):
            obs.upload(tmp_path / "missing", "obs://bucket/up/")

    asyncio.run(cell())
