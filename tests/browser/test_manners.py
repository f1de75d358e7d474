"""Every page can be used by everybody, on every screen, in light and dark."""

from typing import Any

import pytest
from tests.browser.conftest import Tab
from tests.overlays.ui.conftest import Served, submitted

from modelarts_toolkit import JobFailed, ModelArts

pytestmark = pytest.mark.ci

THEMES = ("light", "dark")
WIDTHS = (320, 1600)


@pytest.fixture(scope="module")
def paths(served: Served, trained: Any) -> list[str]:
    """Every kind of page, each with something on it."""
    from modelarts_toolkit.settings.config import Config

    with ModelArts(config=Config.load(environ=trained.environment())) as ma:
        jobs = [submitted(ma, "manners-" + "x" * 40, start=start) for start in (1, 2)]
        failed = submitted(ma, "manners-failed", module="not_there")
        for job in jobs:
            job.wait(timeout=300)
        with pytest.raises(JobFailed):
            failed.wait(timeout=300)
        tabs = ("log", "metrics", "events", "outputs", "request", "fields")
        return [
            "/?name=manners",
            "/v1/jobs",
            *(f"/jobs/{failed.id}?tab={tab}" for tab in tabs),
            f"/compare?job={jobs[0].id}&job={jobs[1].id}",
            "/queue",
            "/storage?url=obs://page/code/",
            "/storage?url=obs://page/code/train.py",
            "/emulator",
            "/nowhere",
        ]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("theme", THEMES)
def test_no_page_breaks_a_rule_of_accessibility_or_is_wider_than_the_screen(
    browser: Any, served: Served, paths: list[str], theme: str
) -> None:
    axe_of = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: make browser")
    tab = Tab(browser, served, color_scheme=theme)
    found = {}
    for path in paths:
        page = tab.open(path)
        page.locator("h1").wait_for()
        problems = []
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            wide = page.evaluate("document.documentElement.scrollWidth")
            problems += [f"{wide} wide on a screen of {width}"] if wide > width else []
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})
        problems += [
            f"{each['id']}: {each['nodes'][0]['html'][:120]} {each['nodes'][0].get('failureSummary', '')[:200]}"
            for each in axe_of.Axe().run(page).response["violations"]
        ]
        found[path] = problems
    tab.context.close()

    assert {path: each for path, each in found.items() if each} == {}
