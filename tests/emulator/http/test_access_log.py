"""The access log has a line for each request, also of clients that were rejected, and no secrets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from modelarts_emulator.server import Emulator, EmulatorError


def read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_every_request_has_a_line_before_its_client_has_the_response(tmp_path: Path) -> None:
    """With the method, the path without its query, the status, the client and the executor."""
    file = tmp_path / "access.jsonl"
    with (
        Emulator(executor="simulated", access_log=file) as emulator,
        httpx.Client(base_url=emulator.endpoint) as client,
    ):
        client.get("/v3?token=s3cret", headers={"User-Agent": "tester/1"})
        client.get("/v2/p/training-jobs/j", headers={"X-Auth-Token": "s3cret"})
        client.get("/nowhere")
        found = read(file)

    calls = [(line["method"], line["path"], line["status"]) for line in found]
    assert calls == [("GET", "/v3", 400), ("GET", "/v2/p/training-jobs/j", 401), ("GET", "/nowhere", 404)]
    assert (found[0]["user_agent"], found[0]["executor"]) == ("tester/1", "simulated")
    assert all(0 <= line["duration_ms"] < 60_000 and line["at"] > 1.7e9 for line in found)
    assert "s3cret" not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_environment_names_a_file_that_emulators_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "access.jsonl"
    monkeypatch.setenv("MODELARTS_EMULATOR_ACCESS_LOG", str(file))
    for _ in range(2):
        with Emulator(executor="simulated") as emulator:
            httpx.get(f"{emulator.endpoint}/v3")

    assert [line["path"] for line in read(file)] == ["/v3", "/v3"]


def test_a_file_that_cannot_be_written_is_reported_at_the_start(tmp_path: Path) -> None:
    with (
        pytest.raises(EmulatorError, match=r"the access log .* cannot be written \(No such file or directory\)"),
        Emulator(executor="simulated", access_log=tmp_path / "missing" / "access.jsonl"),
    ):
        pass
