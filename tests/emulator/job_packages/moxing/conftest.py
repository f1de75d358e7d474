"""Object storage of an emulator, with the settings that a job finds in its environment."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from modelarts_emulator.control.client import ObjectControl
from modelarts_emulator.server import Emulator
from moxing import client

JOB_PACKAGES = Path(client.__file__).parents[1]

Run = Callable[..., str]


def close_connections() -> None:
    """Close the connections of moxing that are not in use."""
    for idle in client._idle.values():
        while idle:
            idle.pop().close()


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(executor="simulated") as running:
        yield running
    close_connections()


@pytest.fixture
def job_environment(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables of a job."""
    monkeypatch.setenv("S3_ENDPOINT", emulator.obs_endpoint)
    monkeypatch.setenv("ACCESS_KEY_ID", emulator.identity.access_key)
    monkeypatch.setenv("SECRET_ACCESS_KEY", emulator.identity.secret_key)


@pytest.fixture
def objects(emulator: Emulator, job_environment: None) -> ObjectControl:
    """What the emulator keeps, without moxing."""
    return emulator.objects


@pytest.fixture
def bucket(objects: ObjectControl) -> str:
    """The URL of a new bucket, without a slash at its end."""
    name = f"b-{uuid.uuid4().hex[:12]}"
    objects.put(f"obs://{name}/x")
    objects._store.delete(name, "x")
    return f"obs://{name}"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A local directory with files in directories, one of them empty."""
    top = tmp_path / "tree"
    (top / "sub" / "deeper").mkdir(parents=True)
    (top / "empty").mkdir()
    (top / "a.txt").write_bytes(b"a")
    (top / "sub" / "b.bin").write_bytes(bytes(range(256)))
    (top / "sub" / "deeper" / "c").write_bytes(b"")
    return top


@pytest.fixture
def run_script(job_environment: None) -> Run:
    """Runs a script in a new Python that has its standard library and the packages of jobs only."""

    def run(script: str, python: str = sys.executable) -> str:
        prelude = f"import sys; sys.path.insert(0, {str(JOB_PACKAGES)!r})\n"
        done = subprocess.run([python, "-I", "-S", "-c", prelude + script], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    return run
