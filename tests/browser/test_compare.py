"""The comparison of ten jobs in a real browser."""

import re
from collections.abc import Iterator

import pytest
from tests.browser.conftest import Tab
from tests.overlays.ui.conftest import Served, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

NAMES = [f"compared-{'long-' * 8}{number}" for number in range(10)]
IN_SIGHT = """cell => {
  const box = cell.getBoundingClientRect();
  const found = document.elementFromPoint(box.left + 8, box.bottom - 8);
  return cell.contains(found);
}"""


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A page with ten jobs that have ended; only every second one has an accuracy, and one failed."""
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        environment = emulator.environment()
        config = Config.load(environ=environment)
        with ModelArts(config=config) as ma:
            for number, name in enumerate(NAMES):
                log = [f"loss: {1 / (step + number + 1)}" for step in range(5)]
                log += [f"accuracy: {step / 5}" for step in range(5)] if number % 2 else []
                log += [f"ValueError: {'x' * 900}"] if number == 4 else []
                emulator.plans.add(job=name, duration=9, log=log, exit_code=int(number == 4))
                simulated(ma, name, rate=number)
        emulator.clock.advance(10)
        with Served(config, environment) as served:
            yield served


@pytest.fixture
def address(served: Served) -> str:
    """The comparison of all jobs."""
    keys = re.findall(r'name="job" value="([^"]*)"', served.client.get("/").text)
    return "/compare?" + "&".join(f"job={key}" for key in keys)


def test_names_of_jobs_and_rows_stay_in_sight_while_ten_jobs_are_scrolled(tab: Tab, address: str) -> None:
    """Those of jobs where all fit into the window; no row is hidden in a box of its own."""
    tab.page.set_viewport_size({"width": 1440, "height": 500})
    page = tab.open(address)
    page.wait_for_selector("main[data-state=live] figure canvas")
    region = page.get_by_role("region", name="What differs")
    heads, row = region.locator("thead th"), region.locator("tbody th", has_text="Last loss")
    is_as_wide = "document.documentElement.scrollWidth <= innerWidth"
    row.evaluate("cell => scrollTo(0, cell.getBoundingClientRect().top - 200)")
    assert page.evaluate("scrollY") > 0
    assert [heads.first.evaluate(IN_SIGHT), heads.last.evaluate(IN_SIGHT)] == [True, True]
    assert page.evaluate(is_as_wide)

    page.set_viewport_size({"width": 400, "height": 900})
    region.evaluate("region => region.scrollTo(region.scrollWidth, 0)")
    row.scroll_into_view_if_needed()

    assert page.evaluate(is_as_wide)
    assert region.evaluate("region => region.scrollHeight <= region.clientHeight")
    assert row.evaluate(IN_SIGHT)
    assert not heads.first.evaluate(IN_SIGHT)


def test_a_job_has_one_colour_in_its_head_and_in_all_charts_and_is_left_out_by_a_click(tab: Tab, address: str) -> None:
    """Also where other jobs lack the metric; a long reason opens."""
    page = tab.open(address)
    page.locator("figure canvas").first.wait_for()
    colour = "each => getComputedStyle(each).color"
    heads = {
        head.locator("bdi").inner_text(): head.locator("svg").evaluate(colour)
        for head in page.locator("thead th:has(svg)").all()
    }
    for legend in page.locator(".legend li").all():
        name = legend.locator("bdi").inner_text()
        assert legend.locator("svg").evaluate(colour) == heads[name], name
    reason = page.locator("td summary")
    height = reason.bounding_box()["height"]
    reason.click()
    assert reason.bounding_box()["height"] > height
    page.get_by_role("link", name=f"Leave out {NAMES[4]}").click()
    page.locator("caption", has_text="9 jobs").wait_for()

    assert len(set(heads.values())) == len(heads) == 10
    assert page.locator("td summary").count() == 0
