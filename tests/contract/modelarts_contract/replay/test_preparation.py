"""What a replay makes before it plays: objects that requests name, and the course of jobs."""

from __future__ import annotations

import json
from typing import Any

from modelarts_contract.exchange import Exchange
from modelarts_contract.replay.preparation import job_plans, object_paths


def exchange(request: Any = None, response: Any = None) -> Exchange:
    bodies = [b"" if body is None else json.dumps(body).encode() for body in (request, response)]
    return Exchange("POST", "https://example.com", 200, request_body=bodies[0], response_body=bodies[1])


def test_objects_and_folders_that_requests_name_are_found() -> None:
    """In both spellings, also in lists; paths in a container are none."""
    body = {
        "algorithm": {
            "code_dir": "/acme/code/",
            "boot_file": "obs://acme/code/train.py",
            "local_code_dir": "/cache/c/",
        },
        "inputs": [{"remote": {"obs": {"obs_url": "s3://data-1/mnist/"}}}],
        "data_url": "not a path",
    }

    found = object_paths([exchange(body), exchange([body]), Exchange("POST", "https://h", 200, request_body=b"\xff")])

    assert found == {("acme", "code/placeholder.txt"), ("acme", "code/train.py"), ("data-1", "mnist/placeholder.txt")}


def test_a_job_runs_as_long_as_a_response_shows_and_ends_as_it_did() -> None:
    """The last response counts; a job that has not ended by itself runs until it is stopped."""
    job = {"metadata": {"name": "a"}, "status": {"phase": "Running", "duration": 5}}
    done = {"metadata": {"name": "a"}, "status": {"phase": "Failed", "duration": 90_500}}
    version = {"job_name": "b", "status": 10, "duration": 2000}
    stopped = {"metadata": {"name": "c"}, "status": {"phase": "Terminated", "duration": 90_500}}

    plans = job_plans(
        [exchange(response=job), exchange(response={"items": [done]}), exchange(response=[version, stopped])]
    )

    assert plans == [
        {"job": "a", "duration": 90.5, "exit_code": 1},
        {"job": "b", "duration": 2.0, "exit_code": 0},
        {"job": "c", "duration": 30 * 24 * 3600},
    ]
