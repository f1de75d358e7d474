"""The player sends what was recorded, and waits for what comes a moment later."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from modelarts_contract import loopback
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.replay.player import Player, Service

LOG = "https://host/v2/p/training-jobs/j/tasks/worker-0/logs/preview"


def test_a_log_that_is_not_there_yet_is_asked_for_again() -> None:
    looks = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal looks
        if Request(scope).method == "POST":  # a login
            response: Response = JSONResponse({}, 201, {"X-Subject-Token": "t"})
        else:
            looks += 1
            response = JSONResponse({"content": "hello"}) if looks == 3 else Response(status_code=204)
        await response(scope, receive, send)

    with loopback.serving(app) as url, Player(Service(url, "p", {}, lambda _: None), Documents()) as player:
        played = player.play(Exchange("GET", LOG, 200, response_body=b'{"content": "REDACTED"}'))

    assert played.emulated is not None
    assert (played.emulated.status, looks) == (200, 3)
