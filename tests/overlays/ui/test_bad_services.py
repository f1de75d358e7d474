"""What pages show of services that are slow, throttle, or respond with anything but what is documented."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.overlays.ui.conftest import TOKEN, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncModelArts, ModelArts
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui.app import create_app
from modelarts_toolkit.ui.site import Site

NONSENSE: list[Any] = [None, "", 0, -1, 1.5, True, [], {}, [None], {"a": 1}, "\u202e<b>", 10**20, [[1]], "2026-13-45"]
SHARES = (0.02, 0.1, 0.3)  # of members that are nonsense
Change = Callable[[httpx.Response], httpx.Response]


class Changed(httpx.AsyncHTTPTransport):
    """A network on which each response of the emulator but that to a login is changed."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if request.url.path.startswith("/v3/"):
            return response
        body = await response.aread()
        headers = {"content-type": response.headers.get("content-type", "")}
        return self.change(httpx.Response(response.status_code, content=body, headers=headers))


class Silent(httpx.AsyncBaseTransport):
    """A network on which nothing comes back."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(60)
        raise httpx.ReadTimeout("silence", request=request)


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The id of a job that runs on an emulator, which is the service of the environment."""
    with Emulator(executor="simulated") as emulator:
        for name, value in emulator.environment().items():
            monkeypatch.setenv(name, value)
        with ModelArts(config=Config.load()) as ma:
            yield simulated(ma, "watched").id


def pages(transport: httpx.AsyncBaseTransport, paths: list[str], *, patience_s: float = 30) -> list[httpx.Response]:
    """What each path shows."""

    async def show() -> list[httpx.Response]:
        async with AsyncModelArts(transport=transport) as ma:
            app = create_app(Site(ma, may_write=True, patience_s=patience_s), token=TOKEN, port=1)
            headers = {"Authorization": f"Bearer {TOKEN}"}
            network = httpx.ASGITransport(app)
            async with httpx.AsyncClient(
                transport=network, base_url="http://127.0.0.1:1", headers=headers, timeout=300
            ) as browser:
                return [await browser.get(path) for path in paths]

    return asyncio.run(show())


def test_a_response_that_is_not_as_documented_is_named_and_the_page_goes_on(job: str) -> None:
    """Wrong types and missing members anywhere, other media types, bytes that are not text."""
    chance = random.Random(0)
    paths = ["/", "/queue", "/storage", f"/jobs/{job}/log.txt"]
    paths += [f"/jobs/{job}?tab={tab}" for tab in ("log", "metrics", "events", "outputs", "request", "fields")]

    def spoilt(value: Any, share: float) -> Any:
        if chance.random() < share:
            return chance.choice(NONSENSE)
        if isinstance(value, dict):
            return {name: spoilt(each, share) for name, each in value.items() if chance.random() > share / 2}
        return [spoilt(each, share) for each in value] if isinstance(value, list) else value

    def change(response: httpx.Response) -> httpx.Response:
        if chance.random() < 0.1:
            return httpx.Response(200, text="<html>login</html>", headers={"content-type": "text/html"})
        if chance.random() < 0.1:
            return httpx.Response(200, content=b"\xff\xfe{", headers={"content-type": "application/json"})
        if not response.is_success or "json" not in response.headers.get("content-type", ""):
            return response
        text = json.dumps(spoilt(response.json(), chance.choice(SHARES)))
        return httpx.Response(response.status_code, text=text, headers={"content-type": "application/json"})

    found = pages(Changed(change), paths * 5)

    assert {response.status_code for response in found} <= {200, 204, 400, 404, 502}
    assert any(response.status_code == 200 for response in found)
    named = [response for response in found if "is not as documented" in response.text]
    assert named
    assert all("modelarts contract run" in response.text for response in named)


def test_a_service_that_throttles_is_asked_again_by_the_page(job: str) -> None:
    throttled = httpx.Response(429, json={"error_msg": "too many requests"}, headers={"Retry-After": "0"})
    (page,) = pages(Changed(lambda _response: throttled), ["/"])

    assert page.status_code == 429
    assert "too many requests" in page.text
    assert "loaded again every 10 s" in page.text
    assert page.headers["refresh"] == "10"


def test_a_silent_service_is_not_waited_for_longer_than_somebody_waits(job: str) -> None:
    (page,) = pages(Silent(), [f"/jobs/{job}"], patience_s=0.5)

    assert page.status_code == 502
    assert "did not respond within 0.5 s" in page.text
