"""The first line of a job's log on Ray, against the same script that a connected Ray program starts."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, Any, cast

from tests.ray_cluster import PYTHON, RayCluster, why_not

from benchmarks.result import Result
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

__all__ = ["measure", "why_not"]

LINES = 7
BUDGET_S = 3.0
TIMEOUT_S = 60.0
SCRIPT = "print('first line', flush=True)\n"
BY_HAND = Path(__file__).with_name("ray_by_hand.py")
ENGINE: Any = {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"}


def measure() -> list[Result]:
    cluster = RayCluster(node_count=2)
    try:
        os.environ.update(cluster.environment)
        with tempfile.TemporaryDirectory() as folder:
            return [_first_line(Path(folder), cluster)]
    finally:
        cluster.close()


def _first_line(folder: Path, cluster: RayCluster) -> Result:
    (folder / "code").mkdir()
    script = folder / "code" / "train.py"
    script.write_text(SCRIPT)
    by_hand = subprocess.Popen(
        [PYTHON, BY_HAND, cluster.environment["RAY_ADDRESS"], script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    output = cast(IO[bytes], by_hand.stdout)
    output.readline()
    with Emulator(folder / "data", executor="ray") as emulator:
        os.environ.update(emulator.environment())
        with ModelArts() as ma:
            ma.obs.create_bucket("bench")
            ma.obs.upload(folder / "code", "obs://bench/code/")
            pairs = [(_by_emulator(ma, number), _alone(by_hand)) for number in range(LINES + 1)][1:]
    by_hand.communicate()
    ours, alone = (statistics.median(times) for times in zip(*pairs, strict=True))
    detail = f"create to the line in the log's preview, medians of {LINES}: {ours:.2f} s, by hand {alone:.2f} s"
    return Result("Ray: first line of the log, later than by hand", ours - alone, BUDGET_S, "s", detail)


def _by_emulator(ma: ModelArts, number: int) -> float:
    algorithm: Any = {"code_dir": "/bench/code/", "boot_file": "/bench/code/train.py", "engine": ENGINE}
    began = time.perf_counter()
    job = ma.v2.training_jobs.create_training_job(
        {
            "kind": "job",
            "metadata": {"name": f"line-{number}"},
            "algorithm": algorithm,
            "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
        }
    )
    give_up = time.monotonic() + TIMEOUT_S
    while not (shown := ma.v2.logs.show_training_job_logs_preview(job.metadata.id, "worker-0")) or not any(
        line == "first line" for line in shown.content.splitlines()
    ):
        if time.monotonic() > give_up:
            raise RuntimeError(f"job {job.metadata.id} has said nothing within {TIMEOUT_S} s")
        time.sleep(0.005)
    seconds = time.perf_counter() - began
    ma.jobs.wait(job)
    return seconds


def _alone(by_hand: subprocess.Popen[bytes]) -> float:
    stdin, stdout = cast(IO[bytes], by_hand.stdin), cast(IO[bytes], by_hand.stdout)
    stdin.write(b"run\n")
    stdin.flush()
    return float(stdout.readline())
