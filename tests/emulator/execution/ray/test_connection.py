"""What is said of a cluster, and of a Python without Ray, before any job runs."""

from __future__ import annotations

import json
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from modelarts_emulator.execution.ray import connection
from modelarts_emulator.execution.ray.connection import (
    Connection,
    OwnCluster,
    RayUnreachableError,
    check_address,
    check_python,
)
from modelarts_emulator.http.errors import EmulatorError


@pytest.mark.parametrize("python", [sys.executable, "/nowhere/python"])
def test_a_python_without_ray_is_rejected_with_what_to_install(python: str) -> None:
    message = rf"{python} does not have it: run \"pip install 'modelarts-toolkit\[ray\]'\", or name the Python"
    with pytest.raises(EmulatorError, match=message):
        check_python(python)


@pytest.mark.parametrize("address", ["auto", "local", "ray://head:10001", "head", "head:port", "a b:1"])
def test_an_address_is_that_of_a_cluster(address: str) -> None:
    with pytest.raises(EmulatorError, match="name the cluster as HOST:PORT"):
        check_address(address)


@pytest.mark.parametrize("address", [None, "head:6379", "10.0.0.1:6379"])
def test_no_address_is_right_too(address: str | None) -> None:
    check_address(address)


def test_a_gateway_that_cannot_start_is_an_unreachable_cluster(tmp_path: Path) -> None:
    """It is tried again by the next call."""
    connection = Connection(tmp_path, sys.executable, "127.0.0.1:1")
    for number in (1, 2):
        with pytest.raises(RayUnreachableError, match=r"the cluster at 127\.0\.0\.1:1 cannot be reached"):
            connection.call({})
        assert connection.generation == number


def test_a_cluster_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    """Its token is readable by its owner only, and no record of a process is left."""
    cluster = OwnCluster(tmp_path, sys.executable)
    (tmp_path / "cluster.json").write_text(
        json.dumps({"process": {"pid": 1, "start_id": "long ago"}, "address": "127.0.0.1:1"})
    )

    with pytest.raises(RayUnreachableError, match=r"no cluster could be started: ModuleNotFoundError: .*'ray'"):
        cluster.address()

    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600


CLUSTER = """
import os, pathlib, sys, time
with pathlib.Path(__file__).with_name("starts").open("a") as starts:
    starts.write("started\\n")
time.sleep(0.2)
print(f"127.0.0.1:{os.getpid()}", flush=True)
time.sleep(600)
"""


def test_of_several_front_ends_one_starts_the_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others use it."""
    program = tmp_path / "gateway.py"
    program.write_text(CLUSTER)
    monkeypatch.setattr(connection, "GATEWAY", program)
    clusters = [OwnCluster(tmp_path / "folder", sys.executable) for _ in range(3)]
    with ThreadPoolExecutor() as pool:
        addresses = set(pool.map(OwnCluster.address, clusters))
    clusters[0].stop()
    ended = [cluster.process.wait(10) for cluster in clusters if cluster.process is not None]

    assert ended == [-signal.SIGTERM]
    assert (tmp_path / "starts").read_text() == "started\n"
    assert len(addresses) == 1
