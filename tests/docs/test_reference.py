"""What the reference shows as calls of operations: curl reads with it, and bodies are what the documents want."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from operation_examples import LOGIN, Example, examples, sample

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

# These read something that a job of their own kind has.
REJECTED = {
    "showAutoSearchPerTrial": "no trial",
}
ENGINE: Any = {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"}
CODE: Any = {"code_dir": "/bucket/code/", "boot_file": "/bucket/code/train.py", "engine": ENGINE}
CODE_OF_VERSION_1 = {
    "worker_server_num": 1,
    "app_url": "/bucket/code/",
    "boot_file_url": "/bucket/code/train.py",
    "engine_id": 4,
    "data_url": "/bucket/code/",
    "train_url": "/bucket/out/",
}
FLAVOR = "modelarts.vm.cpu.2u"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[dict[str, dict[str, Any]]]:
    """The ids of one thing of each kind, by document and name of the parameter."""
    with Emulator(data_dir=tmp_path / "data", executor="simulated", check_responses=True) as emulator:
        environment = emulator.environment()
        with pytest.MonkeyPatch.context() as patched:
            for name, value in environment.items():
                patched.setenv(name, value)
            (tmp_path / "train.py").write_text("print('epoch 1')")
            with ModelArts() as ma:
                ma.obs.create_bucket("bucket")
                ma.obs.upload(tmp_path / "train.py", "obs://bucket/code/")
                jobs = second_job(ma), first_job(ma)
                emulator.clock.advance(3600)
                yield {"iam": {}, "v1": of_version_1(ma, jobs[1]), "v2": of_version_2(ma, jobs[0])}


def second_job(ma: ModelArts) -> str:
    resource: Any = {"resource": {"flavor_id": FLAVOR, "node_count": 1}}
    return str(ma.jobs.submit({"metadata": {"name": "second"}, "algorithm": CODE, "spec": resource}).id)


def first_job(ma: ModelArts) -> str:
    config: Any = {**CODE_OF_VERSION_1, "flavor": {"code": FLAVOR}}
    return ma.v1_jobs.submit({"job_name": "first", "config": config}).id


def of_version_2(ma: ModelArts, job: str) -> dict[str, Any]:
    algorithm = ma.v2.algorithms.create_algorithm({"metadata": {"name": "stored"}, "job_config": CODE})
    experiment = ma.v2.experiments.create_training_experiment({"metadata": {"name": "group"}})
    return {"training_job_id": job, "algorithm_id": algorithm.metadata.id, "experiment_id": experiment.metadata.id}


def of_version_1(ma: ModelArts, job: str) -> dict[str, Any]:
    kept: Any = {"config_name": "kept", **CODE_OF_VERSION_1, "spec_id": 2}
    ma.v1.training_job_configs.create_training_job_config(kept)
    job_id, version_id = map(int, job.split("/"))
    files = ma.v1.logs.list_training_job_log_files(job_id, version_id).log_file_list
    return {"job_id": job_id, "version_id": version_id, "log_file": files[0], "config_name": "kept"}


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is missing")
def test_the_lines_for_curl_read_what_is_there(made: Mapping[str, Mapping[str, Any]], tmp_path: Path) -> None:
    """As they stand, after the lines that log in, but for the ids, which are those of things that exist."""
    with ModelArts() as ma:
        made = {**made, "iam": {"project": os.environ["MODELARTS_PROJECT_ID"], "region_id": "eu-de"}}
        board = ma.v1.visualization_jobs.create_visualization_job({"job_name": "curve", "train_url": "/bucket/out/"})
    reading = [
        with_ids(example, made | {"v1": {**made["v1"], "job_id": board.job_id}} if is_board(example) else made)
        for example in examples().values()
        if example.operation.kind == "read" and example.operation.is_emulated
    ]
    lines = [example.curl.replace("curl ", "curl -sS -o body -w '%{http_code}\\n' ", 1) for example in reading]
    _, _, login = LOGIN.partition("\n")  # the emulator's variables are set

    done = subprocess.run(
        ["sh", "-euc", "\n".join([login, *lines])], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    statuses = dict(zip((each.operation.operation_id for each in reading), map(int, done.stdout.split()), strict=True))
    assert {name for name, status in statuses.items() if status > 300} == set(REJECTED)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is missing")
def test_the_lines_for_curl_write_what_is_shown(tmp_path: Path) -> None:
    """Each reaches its operation with the body that stands there, whatever becomes of it; a logout comes last."""
    writing = [
        example for example in examples().values() if example.operation.kind != "read" and example.operation.is_emulated
    ]
    writing.sort(key=lambda example: example.operation.name == "iam" and example.operation.method == "DELETE")
    _, _, login = LOGIN.partition("\n")
    with Emulator(data_dir=tmp_path / "data", executor="simulated", record_calls=True) as emulator:
        lines = [example.curl.replace("curl ", "curl -sS -o body ", 1) for example in writing]
        subprocess.run(
            ["sh", "-euc", "\n".join([login, *lines])],
            cwd=tmp_path,
            env=os.environ | emulator.environment(),
            check=True,
        )
        _, *calls = emulator.calls.list()

    reached = [(call.document, call.operation) for call in calls]
    assert reached == [(example.operation.name, example.operation.operation_id) for example in writing]
    assert [call.body for call in calls if call.document != "iam"] == [
        example.body for example in writing if example.operation.name != "iam"
    ]
    assert not [call.operation for call in calls if call.status == 401 and call.document != "iam"]


def is_board(example: Example) -> bool:
    return "/visualization-jobs/" in example.operation.path


def with_ids(example: Example, made: Mapping[str, Mapping[str, Any]]) -> Example:
    ids = made.get(example.operation.name, {})
    return replace(example, arguments={name: ids.get(name, value) for name, value in example.arguments.items()})


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, "my-pool-name"),
        ({"pattern": r"^\w+$"}, "my_pool_name"),
        ({"pattern": "^[a-z]{1,20}$"}, "poolname"),
        ({"pattern": "^[a-z-]*$", "maxLength": 4}, "my-p"),
        ({"pattern": r"^\d+$"}, "1"),
    ],
)
def test_a_text_of_an_example_matches_its_pattern(schema: dict[str, Any], expected: str) -> None:
    assert sample({}, {"type": "string", **schema}, "pool_name") == expected


def test_a_body_is_what_the_document_wants() -> None:
    """Also that of an operation without examples, which is made of its schema."""
    with_body = [example for example in examples().values() if example.body is not None]
    for example in with_body:
        schema = example.operation.body_schema()
        assert schema is not None, example
        assert list(example.operation.validator("body", schema).iter_errors(example.body)) == [], example
    assert len(with_body) > 20
