"""What the emulator says while it serves."""

import logging

import httpx
import pytest

from modelarts_emulator.server import Emulator


def test_jobs_and_rejected_requests_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "modelarts_emulator")
    with Emulator(executor="simulated") as emulator:
        response = httpx.get(f"{emulator.endpoint}/v2/{emulator.identity.project_id}/training-jobs/none")

    assert response.status_code == 401
    assert any(text.startswith(f"rejected (401) GET /v2/{emulator.identity.project_id}") for text in caplog.messages)
