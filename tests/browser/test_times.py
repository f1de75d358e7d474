"""Times that pass in a browser, as the server tells them; and what stands out in the drawing of trials."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.browser.conftest import Tab
from tests.overlays.ui.conftest import Served, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.texts import lasted
from modelarts_toolkit.ui.site import ago

RAN = "dt:text-is('Ran') + dd"
HIDE = """value => {
  Object.defineProperty(document, 'hidden', {value, configurable: true});
  document.dispatchEvent(new Event('visibilitychange'));
}"""


@pytest.fixture
def moved(browser: Any) -> Iterator[tuple[Emulator, Tab, str]]:
    """A running job of an emulator whose clock stands, and the tab with its page."""
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        emulator.plans.add(job="*", duration=10**7)
        environment = emulator.environment()
        config = Config.load(environ=environment)
        with ModelArts(config=config) as ma, Served(config, environment) as page:
            job = simulated(ma, "moved")
            emulator.clock.advance(59)
            tab = Tab(browser, page)
            tab.page.clock.install()
            yield emulator, tab, f"/jobs/{job.id}?tab=fields"
            tab.context.close()
            assert tab.errors == []


def test_the_browser_and_the_server_write_durations_in_one_way(tab: Tab) -> None:
    seconds = [0, 1, 9, 10, 59, 60, 61, 119, 599, 3599, 3600, 3661, 86399, 86400, 172799, 172800, 10**6]
    script = """async seconds => {
      const { ago, lasted } = await import('/static/times.js');
      return seconds.map((each) => [lasted(each), ago(each)]);
    }"""

    written = tab.page.evaluate(script, seconds)
    durations = [timedelta(seconds=each) for each in seconds]
    assert written[-3:] == [["47 h 59 min", "47 h ago"], ["2 d 00 h", "2 days ago"], ["11 d 13 h", "11 days ago"]]
    assert written == [[lasted(each) or "0 s", ago(each).striptags()] for each in durations]


def test_times_are_counted_on_from_what_the_service_said_and_stand_while_its_clock_does(
    moved: tuple[Emulator, Tab, str],
) -> None:
    """An hour of the browser is none of the service, whose clock stands; what it says then is shown at once."""
    emulator, tab, path = moved
    page = tab.open(path)
    page.wait_for_selector("[data-state=live]")
    ran = page.locator(RAN)
    page.clock.run_for(3600_000)
    assert ran.inner_text() == "59 s"
    assert "its clock stands at" in page.locator("header").inner_text()

    emulator.clock.advance(7151)
    page.locator(RAN, has_text="2 h 00 min").wait_for()
    emulator.clock.resume()
    page.locator("header", has_text="2 h 00 min ahead").wait_for()
    page.evaluate(HIDE, True)  # nothing comes from the service
    page.clock.run_for(3600_000)
    assert ran.inner_text() == "3 h 00 min"
    page.evaluate(HIDE, False)
    page.locator(RAN, has_text="2 h 00 min").wait_for()


def test_the_age_of_a_new_job_is_counted_on_in_seconds(moved: tuple[Emulator, Tab, str]) -> None:
    emulator, tab, _ = moved
    page = tab.open("/")
    page.wait_for_selector("[data-state=live]")
    age = page.locator("td time")
    page.clock.run_for(5000)
    assert age.inner_text() == "59 s ago"

    emulator.clock.resume()
    page.locator("header:not(:has([data-still]))").wait_for()
    page.evaluate(HIDE, True)
    page.clock.run_for(90_000)
    assert age.inner_text() in ("1 min ago", "2 min ago")  # also the time since the clock goes on
