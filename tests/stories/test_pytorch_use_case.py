"""The PyTorch use case of the v2 API: nine steps over HTTP, a real process, a model that reads digits.

Source: "Using PyTorch to Create a Training Job (New-Version Training)", page modelarts_03_0407.
"""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from tests.stories.conftest import eventually, log_in

from modelarts_contract.documents import operations

EXAMPLE = Path(__file__).parents[2] / "examples" / "digits"
BUCKET, PREFIX = "cnnorth4-job-test-v2", "pytorch/fast_example"
PASS_MARK = 0.95
METRICS = {"cpuUsage", "memUsage", "npuUtil", "npuMemUsage", "gpuUtil", "gpuMemUsage"}


def printed_body(operation_id: str) -> Any:
    """Return the request body that the use case prints, from the documents' examples."""
    content = operations("v2")[operation_id].definition["requestBody"]["content"]["application/json"]["examples"]
    texts = [json.dumps(example["value"]) for example in content.values()]
    return next(json.loads(text) for text in texts if f"{BUCKET}/{PREFIX}" in text)


def score(model: Path) -> float:
    return float(runpy.run_path(str(EXAMPLE / "score.py"))["score"](model))


@pytest.fixture
def objects(environment: dict[str, str]) -> Any:
    """An S3 client, with the training code and data where the use case keeps them."""
    client = boto3.client("s3")  # its variables are among those of `modelarts emulator env`
    client.create_bucket(Bucket=BUCKET)
    client.upload_file(EXAMPLE / "code" / "test-pytorch.py", BUCKET, f"{PREFIX}/code/cpu/test-pytorch.py")
    client.upload_file(EXAMPLE / "data" / "digits.csv.gz", BUCKET, f"{PREFIX}/data/digits.csv.gz")
    return client


def end_of(client: httpx.Client, job: str) -> dict[str, Any]:
    """The details of the job if it has ended."""
    details = client.get(f"training-jobs/{job}")
    assert details.status_code == 200
    return {} if details.json()["status"]["phase"] in {"Creating", "Pending", "Running"} else dict(details.json())


def test_the_use_case_works_as_printed(environment: dict[str, str], objects: Any, tmp_path: Path) -> None:
    """Every request of the page gets the response the page prints, and the model it trains is good."""
    with log_in(environment, "v2") as client:
        flavors = client.get("training-job-flavors", params={"flavor_type": "CPU"})
        assert flavors.status_code == 200
        flavor = next(item for item in flavors.json()["flavors"] if item["flavor_id"] == "modelarts.vm.cpu.8u")
        assert flavor["flavor_info"]["max_num"] == 16

        engines = client.get("training-job-engines")
        assert engines.status_code == 200
        assert engines.json()["total"] == len(engines.json()["items"])
        versions = {item["engine_version"] for item in engines.json()["items"]}

        algorithm_body = printed_body("createAlgorithm")
        assert algorithm_body["job_config"]["engine"]["engine_version"] in versions
        algorithm = client.post("algorithms", json=algorithm_body)
        assert algorithm.status_code in {200, 201}
        assert algorithm.json()["job_config"]["parameters"][0]["constraint"]["type"] == "Boolean"

        job_body = printed_body("createTrainingJob")
        job_body["algorithm"]["id"] = algorithm.json()["metadata"]["id"]
        created = client.post("training-jobs", json=job_body)
        assert created.status_code == 201
        assert created.json()["status"]["phase"] == "Creating"
        assert created.json()["status"]["tasks"] == ["worker-0"]
        channel = created.json()["algorithm"]["inputs"][0]
        assert channel["local_dir"] == "/home/ma-user/modelarts/inputs/data_url_0"
        job = created.json()["metadata"]["id"]

        details = eventually(lambda: end_of(client, job), "the job ends")
        assert details["status"]["phase"] == "Completed"
        assert details["status"]["duration"] > 0

        link = client.get(f"training-jobs/{job}/tasks/worker-0/logs/url", headers={"Content-Type": "text/plain"})
        assert link.status_code == 200
        log = httpx.get(link.json()["obs_url"])
        assert log.status_code == 200
        assert len(re.findall(r"^epoch \d+/40 loss [\d.]+ accuracy [\d.]+$", log.text, re.MULTILINE)) == 40

        metrics = client.get(f"training-jobs/{job}/metrics/worker-0")
        assert metrics.status_code == 200
        assert {entry["metric"] for entry in metrics.json()["metrics"]} == METRICS
        cpu = next(entry["value"] for entry in metrics.json()["metrics"] if entry["metric"] == "cpuUsage")
        assert max(cpu) > 0

        objects.download_file(BUCKET, f"{PREFIX}/outputs/model.npz", tmp_path / "model.npz")
        exported = objects.list_objects_v2(Bucket=BUCKET, Prefix=f"{PREFIX}/log/")["Contents"]
        assert [item["Key"] for item in exported] == [f"{PREFIX}/log/modelarts-job-{job}-worker-0.log"]

        assert client.delete(f"training-jobs/{job}").status_code == 202
        assert client.get(f"training-jobs/{job}").json()["error_code"] == "ModelArts.2775"

    assert score(tmp_path / "model.npz") >= PASS_MARK
