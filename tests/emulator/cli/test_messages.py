"""What the emulator says while it serves."""

import logging

import httpx
import pytest

from modelarts_emulator.cli.messages import show_messages
from modelarts_emulator.server import Emulator


def test_jobs_and_rejected_requests_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "modelarts_emulator")
    with Emulator(executor="simulated") as emulator:
        response = httpx.get(f"{emulator.endpoint}/v2/{emulator.identity.project_id}/training-jobs/none")

    assert response.status_code == 401
    assert any(text.startswith(f"rejected (401) GET /v2/{emulator.identity.project_id}") for text in caplog.messages)


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ({"verbose": False, "quiet": False}, logging.INFO),
        ({"verbose": True, "quiet": False}, logging.DEBUG),
        ({"verbose": False, "quiet": True}, logging.ERROR),
    ],
)
def test_the_options_choose_how_much_is_printed(options: dict[str, bool], level: int) -> None:
    logger = logging.getLogger("modelarts_emulator")
    before = logger.level
    try:
        show_messages(**options)
        assert logger.level == level
    finally:
        logger.setLevel(before)
