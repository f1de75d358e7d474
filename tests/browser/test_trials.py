"""The trials of a search in a browser: a line of the drawing and a row of the table are one trial."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.browser.conftest import Tab
from tests.overlays.ui.conftest import Served, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

HEADER = ["", "done", "pid", "config", "trial_id", "time_total_s", "reward_attr", "status", "accuracy", "loss"]
RATES = (0.3, 1e-05, 0.02, 0.5)


class Searching(httpx.AsyncHTTPTransport):
    """A network on which each job is a search whose trials the service reports."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/autosearch-trials"):
            rows = [
                [
                    str(number),
                    "True",
                    "",
                    {"rate": rate, "layers": 4},
                    f"t{number}",
                    "19.4",
                    "",
                    "TERMINATED",
                    f"0.{number}",
                    "1",
                ]
                for number, rate in enumerate(RATES, 1)
            ]
            return httpx.Response(200, json={"total": len(rows), "items": {"header": HEADER, "data": rows}})
        response = await super().handle_async_request(request)
        if "/training-jobs/" not in request.url.path:
            return response
        await response.aread()
        job = response.json()
        if "algorithm" in job:
            job["algorithm"]["policies"] = {"auto_search": {"reward_attrs": [{"name": "accuracy", "mode": "max"}]}}
        return httpx.Response(200, json=job)


@pytest.fixture
def narrow(browser: Any) -> Iterator[Tab]:
    """The trials at the width of a phone."""
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        environment = emulator.environment()
        config = Config.load(environ=environment)
        with ModelArts(config=config) as ma, Served(config, environment, transport=Searching()) as page:
            job = simulated(ma, "search")
            tab = Tab(browser, page, viewport={"width": 400, "height": 900})
            tab.open(f"/jobs/{job.id}?tab=trials").wait_for_selector("main[data-state=live]")
            yield tab
            tab.context.close()
            assert tab.errors == []


def test_a_trial_that_is_pointed_at_or_focused_stands_out_in_the_drawing_and_in_the_table(narrow: Tab) -> None:
    """The axis that decides is in sight on a phone; the service's word for an end without an error is explained."""
    page = narrow.page
    rows, lines = page.locator(".trials tbody tr"), page.locator(".parallel polyline")
    assert (rows.count(), lines.count()) == (len(RATES), len(RATES))
    box = page.locator(".parallel .ends b", has_text="accuracy").bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= 400
    assert page.get_by_text("TERMINATED is the service's word").count() == 1

    for place, move in ((2, rows.nth(2).focus), (1, lines.nth(2).dispatch_event)):
        move(*(() if place == 2 else ("pointerover",)))
        marked = page.locator(".at").evaluate_all("each => each.map(one => [one.localName, one.dataset.trial])")
        assert marked == [["polyline", str(place)], ["tr", str(place)]], place
