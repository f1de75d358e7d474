"""The list of jobs in a real browser: what is selected, what is done with it, and where the columns are."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser.conftest import Tab
from tests.overlays.ui.conftest import Served, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

LONG_NAME = "resnet50-imagenet-" + "x" * 46
LONG_REASON = "ValueError: " + "x" * 900


@pytest.fixture(scope="module")
def sweep() -> Iterator[Emulator]:
    """An emulator whose clock stands, with nine jobs that have ended, one that failed, and one that runs."""
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
            emulator.plans.add(job="*", duration=60, log=["epoch 1 loss: 0.5", "epoch 2 loss: 0.25"])
            emulator.plans.add(job=LONG_NAME, duration=60, exit_code=1, log=[LONG_REASON])
            emulator.plans.add(job="runs", duration=1_000_000)
            for name in (*(f"job-{number}" for number in range(9)), LONG_NAME, "runs"):
                simulated(ma, name, lr=len(ma.jobs.list()) / 100)
                emulator.clock.advance(1)
            emulator.clock.advance(1000)
        yield emulator


@pytest.fixture(scope="module")
def served(sweep: Emulator) -> Iterator[Served]:
    """The page of that emulator."""
    environment = sweep.environment()
    with Served(Config.load(environ=environment), environment) as served:
        yield served


@pytest.fixture
def ma(sweep: Emulator) -> Iterator[ModelArts]:
    with ModelArts(config=Config.load(environ=sweep.environment())) as ma:
        yield ma


def chosen(page: Any) -> list[str]:
    """The names of the selected jobs that are in the list."""
    return page.locator("#rows tbody tr:has(:checked) th a").all_inner_texts()


def test_rows_are_selected_as_a_range_by_mouse_and_by_keyboard(tab: Tab) -> None:
    """The bar counts them, stays in sight, and comes after the rows; all are selected, and none, at once."""
    page = tab.open("/?name=job-")
    bar = page.locator("#bar")
    assert not bar.is_visible()
    page.get_by_label("Select job-7").check()
    page.get_by_label("Select job-5").click(modifiers=["Shift"])
    assert chosen(page) == ["job-7", "job-6", "job-5"]

    page.get_by_label("Select job-3").focus()
    page.keyboard.press("Shift+Space")
    assert chosen(page) == ["job-7", "job-6", "job-5", "job-4", "job-3"]
    assert bar.inner_text().split("\n")[0].startswith("5 selected")
    page.set_viewport_size({"width": 1200, "height": 300})
    box = bar.bounding_box()
    assert box["y"] + box["height"] <= 300
    page.get_by_label("Select job-0").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Compare"

    page.get_by_label("Select all").check()
    assert len(chosen(page)) == 9
    page.get_by_role("button", name="Clear").click()
    assert chosen(page) == []


def test_what_came_with_the_page_is_not_drawn_twice(tab: Tab) -> None:
    """The first look at the service finds nothing new, once the logs were read: no part is replaced."""
    page = tab.open("/?name=job-")
    page.wait_for_function("!document.getElementById('count').textContent.includes('being read')")
    page.add_init_script("document.addEventListener('replaced', () => (window.isDrawnAgain = true))")
    page.reload()
    page.wait_for_selector("#main[data-state=live]")
    looks = "new EventSource(document.getElementById('main').dataset.live)"
    page.evaluate(f"new Promise((resolve) => {{ const looks = {looks}; looks.addEventListener('parts', resolve); }})")
    assert page.evaluate("window.isDrawnAgain") is None


def test_a_selection_stays_while_the_list_changes_is_sorted_and_filtered(tab: Tab, ma: ModelArts) -> None:
    """What is not in the list any more is said, and is compared all the same."""
    page = tab.open("/")
    for name in ("job-1", "job-2"):
        page.get_by_label(f"Select {name}").check()
    simulated(ma, "newer")
    page.get_by_role("link", name="newer").wait_for()
    assert chosen(page) == ["job-2", "job-1"]

    page.get_by_role("link", name="lr", exact=True).click()
    page.wait_for_url("**/?sort=lr")
    assert chosen(page) == ["job-1", "job-2"]
    page.get_by_label("Where").fill("lr>0.01")
    page.keyboard.press("Enter")
    page.wait_for_url("**where=**")
    assert "1 not in this list" in page.locator("#selected").inner_text()
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/compare?**")
    assert page.url.count("job=") == 2
    assert sorted(page.locator("thead a").all_inner_texts()) == ["job-1", "job-2"]


def test_an_action_names_what_it_is_for_and_one_that_fails_hides_no_other(tab: Tab, ma: ModelArts) -> None:
    """Only what has not ended is stopped; a job that somebody else deleted is named."""
    first, second = simulated(ma, "goes-1"), simulated(ma, "goes-2")
    page = tab.open("/")
    for name in ("goes-1", "goes-2", "job-0"):
        page.get_by_label(f"Select {name}").check()
    page.get_by_role("button", name="Stop").click()
    dialog = page.get_by_role("dialog")
    assert dialog.locator("p").inner_text() == "Stop 2 jobs: goes-1, goes-2?"
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_label("Select job-0").uncheck()
    page.get_by_role("button", name="Delete").click()
    assert dialog.locator("p").inner_text() == "Delete 2 jobs: goes-1, goes-2? Their outputs stay."
    first.delete()
    dialog.get_by_role("button", name="Delete 2 jobs").click()

    said = page.get_by_text("Deleted 1 of 2 jobs.")
    assert "goes-1: " in said.inner_text()
    page.locator(f'#rows a[href="/jobs/{second.id}"]').wait_for(state="detached")
    assert {"goes-1", "goes-2"}.isdisjoint(job.name for job in ma.jobs.list())
    assert len(tab.errors) == 1
    tab.errors.clear()  # the browser's own word about the 502


def test_columns_are_chosen_by_the_keyboard(tab: Tab) -> None:
    """The choice is in the address; Escape closes the menu."""
    page = tab.open("/")
    page.get_by_role("columnheader", name="best loss").wait_for()
    page.locator("summary", has_text="Columns").focus()
    page.keyboard.press("Enter")
    page.get_by_label("best loss").focus()
    assert page.get_by_label("best loss").is_checked()
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    assert not page.get_by_label("best loss").is_visible()
    page.keyboard.press("Enter")
    page.get_by_label("last loss").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?column=&column=lr&column=last%3Aloss")

    page.get_by_role("columnheader", name="last loss").wait_for()
    assert page.get_by_role("columnheader", name="best loss").count() == 0


@pytest.mark.parametrize("width", [1440, 1024, 400])
def test_no_text_pushes_a_column_out_of_the_window(tab: Tab, width: int) -> None:
    """The reason has two lines, and all of it when it is clicked; at 400 px the columns are on the cards."""
    tab.page.set_viewport_size({"width": width, "height": 800})
    page = tab.open("/")
    reason = page.locator(".why", has_text="xxx")
    page.get_by_text("0.25").first.wait_for()
    height = reason.bounding_box()["height"]
    for cell in page.locator(f"tr:has-text('{LONG_NAME}') > :visible, thead th").all():
        box = cell.bounding_box()
        assert box["x"] >= 0, cell
        assert box["x"] + box["width"] <= width, cell
    assert height < 50
    page.locator("tr", has_text=LONG_NAME).locator("summary").click()
    assert reason.bounding_box()["height"] > height
    assert page.locator("td.value", has_text="0.25").first.is_visible()
