"""Calls per second at full load: the emulator, a bare Starlette on the same server, and moto's SageMaker."""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
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

# The framework and the server that the emulator has, set up like the emulator's, with nothing to do.
STARLETTE = """
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

body = sys.stdin.buffer.read()

async def show(request):
    return Response(body, media_type="application/json")

uvicorn.run(
    Starlette(routes=[Route("/v2/{project_id}/training-jobs/{training_job_id}", show)]),
    port=int(sys.argv[1]), http="httptools", ws="none", lifespan="off", log_config=None, access_log=False,
    server_header=False, proxy_headers=False,
)
"""


def measure() -> list[Result]:
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), "--max-running-jobs", "1") as server,
        Target(server, Path(folder), SLEEP) as target,
    ):
        job_id = target.create("the-one-that-runs")
        target.wait(job_id, "Running")
        show = target.question(f"/training-jobs/{job_id}")
        response = target.http.get(f"/training-jobs/{job_id}").content
        with starlette(response) as bare:
            shows, static = _alternate(target.port, bare, [show] * CALLS)
        creations = [target.creation(f"job-{number}") for number in range(ROUNDS * CREATIONS)]
        creates = [rate(target.port, creations[at::ROUNDS], 201) for at in range(ROUNDS)]
    moto_shows, moto_creates = moto()
    rates = f"{shows:,.0f}/s against {static:,.0f}/s of {len(response):,} bytes, medians of {ROUNDS} × {CALLS} calls"
    return [
        Result("GET job / bare Starlette, static bytes", shows / static, 0.4, "×", rates, at_least=True),
        _against_moto("GET job", shows, 4000, moto_shows),
        _against_moto("create job", statistics.median(creates), 1500, moto_creates),
    ]


def _against_moto(what: str, ours: float, budget: float, moto: float) -> Result:
    detail = f"moto's server {moto:,.0f}/s: {ours / moto:.1f} ×"
    return Result(f"{what}, one emulator process", ours, budget, "/s", detail, at_least=True)


def _alternate(ours: int, peer: int, requests: list[bytes]) -> tuple[float, float]:
    rate(ours, requests, 200)
    rounds = [(rate(ours, requests, 200), rate(peer, requests, 200)) for _ in range(ROUNDS)]
    return statistics.median(first for first, _ in rounds), statistics.median(second for _, second in rounds)


@contextlib.contextmanager
def starlette(response: bytes) -> Iterator[int]:
    """The port of a bare Starlette that responds to every GET of a job with these bytes."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", STARLETTE, str(port)], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(response)
    process.stdin.close()
    with _ended(process):
        first_answer(f"http://127.0.0.1:{port}", process)
        yield port


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
