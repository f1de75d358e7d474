"""Options of single calls."""

from typing import Any

import httpx
import pytest
from tests.overlays.conftest import Service, Twin

from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Settings

JOB = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"


def test_options_of_a_block_hold_for_its_calls_and_tell_their_request_id(service: Service, settings: Settings) -> None:
    """The call after the block has the client's own timeout again."""
    service.responses = lambda _: httpx.Response(200, json={}, headers={"X-Request-Id": "id-1"})

    async def work(ma: Any) -> Any:
        with ma.options(timeout=5, headers={"X-Language": "en-us"}) as call:
            await ma.v2.training_jobs.show_training_job_details(JOB)
        await ma.v2.training_jobs.show_training_job_details(JOB)
        return call

    twin = Twin("async")
    call = twin.do(work, **settings, transport=twin.transport(service))

    first, second = (request for request in service.requests if request.url.path.endswith(JOB))
    assert first.extensions["timeout"] == dict.fromkeys(("connect", "read", "write", "pool"), 5)
    assert (first.headers["X-Language"], "X-Language" in second.headers) == ("en-us", False)
    assert second.extensions["timeout"]["read"] == 30
    assert (call.status, call.request_id, call.response_headers["x-request-id"]) == (200, "id-1", "id-1")


def test_a_timeout_is_a_number(settings: Settings) -> None:
    with ModelArts(**settings) as ma, pytest.raises(TypeError, match="must be a number of seconds or None, not str"):
        ma.options(timeout="1").__enter__()  # type: ignore[arg-type]
