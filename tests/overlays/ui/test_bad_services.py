"""What pages show of services that are slow, throttle, or respond with anything but what is documented."""

import asyncio
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.overlays.ui.conftest import TOKEN, simulated

from modelarts_emulator.server import Emulator
from modelarts_openapi.error_codes import ERROR_CODES
from modelarts_toolkit import AsyncModelArts, ModelArts
from modelarts_toolkit.errors import ApiError
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui.app import create_app
from modelarts_toolkit.ui.problems import text_of
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


CALL = re.compile(r"\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) (?:https?:/)?/|\{[\w/]*\}|%s")
RETRIED = {408, 429, 502, 503, 504}


class Rejecting(httpx.AsyncHTTPTransport):
    """A network on which the service rejects the request for a job with the code whose number its id begins with."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.startswith("/v3/"):
            return await super().handle_async_request(request)
        code, known = [*ERROR_CODES.items()][int(request.url.path.rpartition("/")[2][:8], 16)]
        body = {"error_code": code, "error_msg": known.text or known.meaning, "error_solution": known.remedy}
        status = 400 if known.status in RETRIED or known.status < 400 else known.status
        return httpx.Response(status, json=body, request=request)


def test_every_error_of_the_service_is_told_in_sentences_for_somebody_who_sends_no_requests(job: str) -> None:
    """Without the requests that the service's own remedies name, and without placeholders; the code stays."""
    ids = [f"{number:08x}-0000-4000-8000-000000000000" for number in range(len(ERROR_CODES))]
    found = pages(Rejecting(), [f"/jobs/{each}" for each in ids])

    for id_, code, page in zip(ids, ERROR_CODES, found, strict=True):
        (said,) = re.findall(r'<p class="problem">(.*?)</p>', page.text, re.DOTALL)
        assert page.status_code >= 400, code
        assert not CALL.search(said), code
        assert said.endswith(f"{code}.") or said == f"There is no job {id_}. It may have been deleted.", code


SENTENCES = st.sampled_from(
    [
        "The name is taken.",
        "Choose another name!",
        "Model ({0}) does not exist.",
        "Check the id: POST /v2/{project_id}/training-jobs returns it as metadata.id.",
        "Get a token with POST https://iam.example/v3/auth/tokens.",
        "Policy doesn't allow {} {} to be performed.",
        "API %s does not exist.",
        "It is 100 % sure (see GET /v2/jobs).",
        "Wait for 3.5 s.",
    ]
)


@given(message=st.lists(SENTENCES, max_size=4), solution=st.lists(SENTENCES, max_size=3), code=st.booleans())
def test_what_is_said_of_an_error_keeps_every_sentence_that_names_no_request(
    message: list[str], solution: list[str], code: bool
) -> None:
    """In its order; something is said also if nothing is left."""
    words = " ".join(message), " ".join(solution), "ModelArts.0104" if code else None
    said = text_of(ApiError(400, words[2], words[0], words[1] or None, None, "POST", "http://127.0.0.1/v2/x"))

    assert not CALL.search(said)
    assert said
    place = 0
    for sentence in (each for each in [*message, *solution] if not CALL.search(each)):
        place = said.index(sentence, place) + len(sentence)
    assert said.endswith("The service's code for this is ModelArts.0104.") == code
