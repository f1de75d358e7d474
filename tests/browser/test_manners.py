"""Every page can be used by everybody, on every screen, in light and dark."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.browser.conftest import Tab
from tests.overlays.ui.conftest import Served, submitted

from modelarts_toolkit import JobFailed, ModelArts

pytestmark = pytest.mark.ci

THEMES = ("light", "dark")
WIDTHS = (320, 1600)


def select(page: Any) -> None:
    """Select jobs, and open the menu of the columns."""
    for box in page.locator("#rows [name=job]").all():
        box.check()
    page.locator("summary", has_text="Columns").click()


def ask(page: Any) -> None:
    """Begin to delete the selected jobs."""
    page.locator("#rows [name=job]").first.check()
    page.get_by_role("button", name="Delete", exact=False).click()


STATES: Mapping[str, Callable[[Any], None]] = {
    "select": select,
    "ask": ask,
    "keys": lambda page: page.keyboard.press("?"),
    "open": lambda page: page.evaluate(
        "document.querySelectorAll('main details').forEach((each) => (each.open = true))"
    ),
}
"""What somebody does on a page before it is looked at, by the name behind a # of the path."""


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
            *(f"/?name=manners#{state}" for state in ("", *STATES)),
            "/?name=no-job-has-this-name",
            "/?where=start+0.5",
            "/v1/jobs",
            *(f"/jobs/{failed.id}?tab={tab}" for tab in tabs),
            *(f"/compare?job={jobs[0].id}&job={jobs[1].id}&job={failed.id}#{state}" for state in ("", "open")),
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
        tab.page.goto("about:blank")  # or a path that differs behind its # only would not be loaded
        page = tab.open(path)
        page.locator("h1").wait_for()
        STATES.get(path.partition("#")[2], lambda _page: None)(page)
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
