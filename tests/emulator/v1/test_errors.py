"""Errors of version 1: its envelope and its codes, whatever is wrong."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("method", "path", "arguments", "status", "code"),
    [
        ("GET", "training-jobs", {"headers": {"X-Auth-Token": ""}}, 401, "ModelArts.0201"),
        ("GET", "training-jobs", {"headers": {"X-Auth-Token": "made-up"}}, 401, "ModelArts.0203"),
        ("GET", "../another/training-jobs", {}, 404, "ModelArts.2786"),
        ("PATCH", "training-jobs", {}, 405, "ModelArts.2803"),
        ("GET", "training-jobs?colour=red", {}, 400, "ModelArts.0104"),
        ("GET", "training-jobs?per_page=1001", {}, 400, "ModelArts.0104"),
        ("GET", f"training-jobs?search_content={'x' * 101}", {}, 400, "ModelArts.0104"),
        ("GET", "training-jobs/one/versions", {}, 400, "ModelArts.0104"),
        ("GET", "training-jobs/1/versions/0x1/aom-log?log_file=a", {}, 400, "ModelArts.0104"),
        ("GET", "training-jobs/1/versions/1/aom-log", {}, 400, "ModelArts.0104"),
        ("POST", "training-jobs", {"content": b"{"}, 400, "ModelArts.0101"),
        ("POST", "training-jobs", {"content": b""}, 400, "ModelArts.0101"),
        ("POST", "training-jobs", {"json": {"job_name": "%%123", "config": {}}}, 400, "ModelArts.0104"),
        ("POST", "training-jobs", {"json": {"job_name": "a"}}, 400, "ModelArts.0104"),
        ("GET", "training-jobs/1000000/versions", {}, 400, "ModelArts.0105"),
        ("DELETE", "training-job-configs/none", {}, 400, "ModelArts.0105"),
        ("POST", "training-jobs", {"content": b" " * (13 << 20)}, 413, "APIG.0201"),
    ],
)
def test_every_rejection_has_the_documented_body(
    api: Any, method: str, path: str, arguments: Any, status: int, code: str
) -> None:
    project = api.project.replace("/v2/", "/v1/")
    url = f"/v1/another/{path[len('../another/') :]}" if path.startswith("..") else f"{project}/{path}"

    response = api.http.request(method, url, **arguments)

    assert response.status_code == status
    assert response.json().keys() == {"is_success", "error_message", "error_code"}
    assert (response.json()["is_success"], response.json()["error_code"]) == (False, code)
    assert response.json()["error_message"]
