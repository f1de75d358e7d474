"""What somebody does on the page, in a real browser: watch, search, compare, stop, and move the clock."""

import re
from typing import Any

import pytest
from tests.browser.conftest import Tab
from tests.overlays.ui.conftest import Served, submitted

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobFailed, ModelArts
from modelarts_toolkit.settings.config import Config


def test_the_address_logs_in_once_and_loses_its_token(tab: Tab) -> None:
    """The cookie stays for other pages; a script cannot read it."""
    assert "token" not in tab.page.url
    assert tab.page.evaluate("document.cookie") == ""
    assert tab.open("/queue").locator("h1").inner_text() == "Queue"


def test_a_job_appears_is_watched_and_shows_its_curve(tab: Tab, ma: ModelArts) -> None:
    """Nothing is loaded anew by hand."""
    page = tab.open("/?name=watched")
    page.get_by_text("0 of").first.wait_for()
    job = submitted(ma, "watched", epochs=40)
    page.get_by_role("link", name=job.name).click()
    page.get_by_text("epoch 39 loss: 0.025").wait_for()
    page.locator("#summary .phase", has_text="Completed").wait_for()
    page.get_by_text("The job has ended: Completed").wait_for()
    assert page.locator("span.c2", has_text="green").count() == 1
    assert page.locator("#log script").count() == 0

    page.get_by_role("link", name="Metrics").click()
    page.locator("figure", has_text="loss").locator("canvas").wait_for()


def test_the_error_of_a_failed_job_is_found(tab: Tab, ma: ModelArts) -> None:
    """By its verdict, by the button, and by a search that counts and keeps the lines around."""
    job = submitted(ma, "fails", module="not_there", epochs=300)
    with pytest.raises(JobFailed):
        job.wait(timeout=300)
    page = tab.open(f"/jobs/{job.id}")
    page.get_by_text("The Python that ran the boot file has no module not_there").wait_for()
    page.get_by_text("The job has ended: Failed").wait_for()
    lines = page.locator("#log section > div").count()

    page.get_by_role("button", name="First error").click()
    assert page.locator("#log div:target").inner_text().endswith("Traceback (most recent call last):")
    page.keyboard.press("Escape")
    page.get_by_label("Search").fill("epoch 2")
    assert page.locator("#matches").inner_text() == "0/111"
    page.get_by_label("Search").press("Enter")
    page.get_by_label("Search").press("Enter")
    page.get_by_label("Search").press("Shift+Enter")
    assert page.locator("#matches").inner_text() == "1/111"
    assert page.locator("#log section > div").count() == lines


def test_a_link_to_a_line_leads_there(tab: Tab, ma: ModelArts) -> None:
    """Also in a log that has to be loaded first."""
    job = submitted(ma, "linked", epochs=1500)
    job.wait(timeout=300)
    page = tab.open(f"/jobs/{job.id}#L900")
    page.get_by_text("The job has ended: ").wait_for()

    assert page.locator("#log div:target a").inner_text() == "900"
    assert page.locator("#L900").is_visible()


def test_a_hidden_tab_goes_on_where_it_was(tab: Tab, ma: ModelArts) -> None:
    """No line is lost, and none comes twice."""
    job = submitted(ma, "hidden", epochs=20)
    page = tab.open(f"/jobs/{job.id}")
    page.locator("#log section > div").first.wait_for()
    hide = "value => { Object.defineProperty(document, 'hidden', {value, configurable: true});"
    hide += " document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(hide, True)
    job.wait(timeout=300)
    page.evaluate(hide, False)
    page.get_by_text("The job has ended: ").wait_for()

    text = page.locator("#log").inner_text()
    assert [int(each) for each in re.findall(r"epoch (\d+) ", text)] == [*range(20)]


def test_jobs_are_selected_compared_and_deleted(tab: Tab, ma: ModelArts) -> None:
    """Buttons say by themselves what they need, and ask before they destroy."""
    jobs = [submitted(ma, "chosen", start=start) for start in (1, 2)]
    for job in jobs:
        job.wait(timeout=300)
    page = tab.open("/?name=chosen")
    page.get_by_label(f"Select {jobs[0].name}").check()
    assert page.get_by_role("button", name="Compare").is_disabled()
    page.get_by_label(f"Select {jobs[1].name}").check()
    page.get_by_role("button", name="Compare").click()
    page.locator("figure canvas").wait_for()
    assert sorted(page.locator("tr", has_text="Parameter start").locator("td").all_inner_texts()) == ["1", "2"]

    page.go_back()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Cancel").click()
    assert len(ma.jobs.list(name="chosen")) == 2
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 2 jobs").click()
    page.get_by_role("link", name="Clear the filter").wait_for()
    assert ma.jobs.list(name="chosen") == []


def test_the_keys_lead_through_the_list(tab: Tab, ma: ModelArts) -> None:
    job = submitted(ma, "by-key")
    job.wait(timeout=300)
    page = tab.open("/")
    page.keyboard.press("/")
    page.keyboard.type("by-key")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?name=by-key*")
    page.keyboard.press("j")
    for said in ("1 selected", "0 selected"):
        page.keyboard.press("x")
        assert page.locator("#selected").text_content() == said, said
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/jobs/{job.id}")
    page.keyboard.press("g")
    page.keyboard.press("j")
    page.wait_for_url(f"{tab.served.url}/")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()


def test_a_page_without_its_server_says_so(browser: Any, trained: Emulator) -> None:
    """And what to do."""
    environment = trained.environment()
    with Served(Config.load(environ=environment), environment) as served:
        tab = Tab(browser, served)
        tab.page.wait_for_selector("main[data-state=live]")
    tab.page.get_by_text("start modelarts ui again").wait_for()
    tab.context.close()
