"""The page of a job in a browser: its questions, and what becomes of it when the job or the service goes away."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.browser.conftest import Tab
from tests.overlays.ui.conftest import Served, simulated, submitted

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Job, ModelArts
from modelarts_toolkit.settings.config import Config

HIDE = """value => { Object.defineProperty(document, 'hidden', {value, configurable: true});
document.dispatchEvent(new Event('visibilitychange')); }"""


class Living(NamedTuple):
    """A job that runs until it is ended, the emulator of it, and a tab of its page; `service` ends the emulator."""

    job: Job
    emulator: Emulator
    folder: Path
    service: ExitStack
    tab: Tab


@pytest.fixture
def living(browser: Any, tmp_path: Path) -> Iterator[Living]:
    with ExitStack() as service:
        emulator = service.enter_context(Emulator(tmp_path, executor="simulated"))
        emulator.plans.add(job="*", preparation=0, duration=10_000, log=["epoch 1"])
        environment = emulator.environment()
        with ModelArts(config=Config.load(environ=environment)) as ma:
            job = simulated(ma, "lives").wait(until="Running", timeout=300)
            with Served(Config.load(environ=environment), environment) as served:
                tab = Tab(browser, served)
                yield Living(job, emulator, tmp_path, service, tab)
                tab.context.close()


def test_a_button_that_is_pressed_while_news_come_does_what_it_says(living: Living) -> None:
    """News wait until it is released."""
    page = living.tab.open(f"/jobs/{living.job.id}")
    page.wait_for_selector("main[data-state=live]")
    page.get_by_role("button", name="Run again").hover()
    page.mouse.down()
    living.emulator.clock.advance(10_000)
    with page.expect_response(lambda response: response.url.endswith("/rerun")):
        page.get_by_text("The job has ended: Completed").wait_for()
        while "Completed" not in living.tab.served.client.get(f"/jobs/{living.job.id}").text:
            pass
        page.mouse.up()
    page.wait_for_url(lambda url: not url.endswith(living.job.id))


def test_a_question_names_the_job_and_the_button_what_it_does(tab: Tab, ma: ModelArts) -> None:
    """It begins at Cancel, so that Enter does nothing; then the focus is back, also if the page changed meanwhile."""
    job = submitted(ma, "asked")
    job.wait(timeout=300)
    page = tab.open(f"/jobs/{job.id}")
    page.locator("#summary .phase", has_text="Completed").wait_for()
    page.get_by_role("button", name="Delete").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")

    assert f"Delete the job \u2068{job.name}\u2069? Its outputs stay." in dialog.inner_text()
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    page.keyboard.press("Enter")
    dialog.wait_for(state="hidden")
    assert ma.jobs.get(job.id).phase == "Completed"
    page.locator("button:focus", has_text="Delete").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.textContent") == "Delete 1 job"
    page.keyboard.press("Enter")
    page.wait_for_url(f"{tab.served.url}/")


def test_the_page_of_a_job_that_is_deleted_says_it_once_and_stops(living: Living) -> None:
    """Its buttons are off, its times stand, nothing asks for it any more, and a link leads to the list.

    Why an action failed stays on the page.
    """
    tab, job = living.tab, living.job
    page = tab.open(f"/jobs/{job.id}")
    page.locator("#log section > div").first.wait_for()
    page.evaluate(HIDE, True)
    job.delete()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Stop 1 job").click()
    page.locator("#said", has_text=f"There is no job {job.id}. It may have been deleted.").wait_for()
    page.evaluate(HIDE, False)
    gone = page.get_by_text("This job was deleted.")
    gone.wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(HIDE, True)
    page.evaluate(HIDE, False)
    page.evaluate("fetch('/static/icon.svg').then((response) => response.text())")
    buttons = [page.get_by_role("button", name=name) for name in ("Stop", "Run again", "Delete")]

    assert gone.count() == 1
    assert [button.is_disabled() for button in buttons] == [True] * 3
    assert page.locator("#said p").inner_text().startswith("There is no job")
    assert page.locator("[data-still]").count() == 1
    assert [url for url in asked if "/jobs/" in url] == []
    gone.get_by_role("link", name="All jobs").click()
    page.wait_for_url(f"{tab.served.url}/")


def test_a_page_goes_on_when_the_emulator_is_there_again(living: Living) -> None:
    """Until then a sentence says what to start, and it goes by itself."""
    emulator, page = living.emulator, living.tab.open(f"/jobs/{living.job.id}")
    page.wait_for_selector("main[data-state=live]")
    living.service.close()
    banner = page.locator("#problem p", has_text="start the emulator")
    banner.wait_for()
    said = banner.inner_text()
    ports = [int(each.rpartition(":")[2]) for each in (emulator.endpoint, emulator.obs_endpoint)]
    with Emulator(living.folder, ports[0], ports[1], executor="simulated"):
        page.locator("#problem p").wait_for(state="detached")

    remedy = "start the emulator with: modelarts emulator. If its address changes, start modelarts ui again."
    assert said == f"No response from {emulator.endpoint}: {remedy} This page tries again."


def test_who_has_no_session_any_more_or_the_wrong_token_learns_which_address_to_open(living: Living) -> None:
    """The one that was printed last: neither a new start nor a correct token would be needed otherwise."""
    tab = living.tab
    page = tab.open(f"/jobs/{living.job.id}")
    page.wait_for_selector("main[data-state=live]")
    tab.context.clear_cookies()
    page.get_by_role("button", name="Run again").click()
    page.locator("#said", has_text="The session has ended: open the address that modelarts ui printed last.").wait_for()
    page.goto(f"{tab.served.url}/#token=mistyped")

    page.get_by_text(
        "This token is not of the page that runs now: open the address that modelarts ui printed last."
    ).wait_for()
