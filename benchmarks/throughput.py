"""Calls per second at full load: the emulator and moto's SageMaker."""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import peers
from benchmarks.load import rate, request
from benchmarks.result import Result
from benchmarks.server import first_answer, free_port, running
from benchmarks.target import Target

ROUNDS = 5
CALLS = 2000
CREATIONS = 1500
SLEEP = "import time\ntime.sleep(3600)\n"


def measure() -> list[Result]:
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), "--max-running-jobs", "1") as server,
        Target(server, Path(folder), SLEEP) as target,
    ):
        job_id = target.create("the-one-that-runs")
        target.wait(job_id, "Running")
        show = target.question(f"/training-jobs/{job_id}")
        rate(target.port, [show] * CALLS, 200)
        shows = [rate(target.port, [show] * CALLS, 200) for _ in range(ROUNDS)]
        creations = [target.creation(f"job-{number}") for number in range(ROUNDS * CREATIONS)]
        creates = [rate(target.port, creations[at::ROUNDS], 201) for at in range(ROUNDS)]
    moto_shows, moto_creates = moto()
    return [
        _against_moto("GET job", statistics.median(shows), moto_shows, 11),
        _against_moto("create job", statistics.median(creates), moto_creates, 2.8),
    ]


def _against_moto(what: str, ours: float, moto: float, budget: float) -> Result:
    detail = f"{ours:,.0f}/s against {moto:,.0f}/s, one process each"
    return Result(f"{what} / moto's server, calls per second", ours / moto, budget, "×", detail, at_least=True)


def moto() -> tuple[float, float]:
    """How many training jobs moto's server describes and creates per second; it runs none of them."""
    port = free_port()
    command = [str(peers.python().with_name("moto_server")), "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with _ended(process):
        first_answer(f"http://127.0.0.1:{port}", process)
        creations = [_sagemaker("CreateTrainingJob", _training_job(f"job-{number}")) for number in range(500)]
        shows = [_sagemaker("DescribeTrainingJob", {"TrainingJobName": "job-0"})] * 500
        creates = rate(port, creations, 200)
        return rate(port, shows, 200), creates


def _training_job(name: str) -> dict[str, object]:
    return {
        "TrainingJobName": name,
        "AlgorithmSpecification": {"TrainingImage": "image", "TrainingInputMode": "File"},
        "RoleArn": "arn:aws:iam::123456789012:role/benchmark",
        "HyperParameters": {"epochs": "10"},
        "OutputDataConfig": {"S3OutputPath": "s3://benchmark/output"},
        "ResourceConfig": {"InstanceType": "ml.m5.large", "InstanceCount": 1, "VolumeSizeInGB": 10},
        "StoppingCondition": {"MaxRuntimeInSeconds": 3600},
    }


def _sagemaker(action: str, body: dict[str, object]) -> bytes:
    credential = "Credential=benchmark/20260101/us-east-1/sagemaker/aws4_request"
    headers = {
        "X-Amz-Target": f"SageMaker.{action}",
        "Content-Type": "application/x-amz-json-1.1",
        "Authorization": f"AWS4-HMAC-SHA256 {credential}, SignedHeaders=host, Signature=0",
    }
    return request("POST", "/", headers, json.dumps(body).encode())


@contextlib.contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.terminate()
        process.wait()
