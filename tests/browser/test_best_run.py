"""Somebody finds the best of thirty runs, sees why the worst failed, and runs the best again: in a minute or less."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from tests.browser.conftest import Tab
from tests.overlays.cli.conftest import job_request
from tests.overlays.ui.conftest import Served

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

RUNS = 30
BEST, WORST = 17, 23
REASON = "labels.csv has no rows"
MOST_CLICKS, MOST_KEYS = 5, 120  # a click takes some seconds, a key much less than one, also because it can be held


class Runs(NamedTuple):
    """Thirty runs that have ended, and their page."""

    ma: ModelArts
    served: Served


@pytest.fixture
def runs() -> Iterator[Runs]:
    """The smallest loss has one in the middle; another one has failed."""
    with Emulator(executor="simulated") as emulator:
        emulator.clock.freeze()
        config = Config.load(environ=emulator.environment())
        emulator.objects.put("obs://runs/code/train.py", "")
        with ModelArts(config=config) as ma, Served(config, emulator.environment()) as served:
            for number in range(RUNS):
                lines = [f"epoch {epoch}/3 loss: {(1 + abs(number - BEST)) / epoch}" for epoch in (1, 2, 3)]
                if number == WORST:
                    lines = ["Traceback (most recent call last):", f"ValueError: {REASON}"]
                emulator.plans.add(job=f"run-{number}", duration=60, log=lines, exit_code=int(number == WORST))
                request = job_request(f"run-{number}")
                code = {"code_dir": "/runs/code/", "boot_file": "/runs/code/train.py"}
                request["algorithm"] |= {**code, "parameters": [{"name": "lr", "value": str(0.01 * (number + 1))}]}
                ma.jobs.submit(request)
            emulator.clock.advance(100)
            yield Runs(ma, served)


class Person:
    """Looks for what to press, and counts what is pressed."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.count = 0

    def sees(self, text: str, where: str = "main") -> None:
        self.page.locator(where, has_text=text).first.wait_for()

    def press(self, role: str, name: str) -> None:
        """Press the link or the button of this name."""
        raise NotImplementedError


class Mouse(Person):
    def press(self, role: str, name: str) -> None:
        self.count += 1
        self.page.get_by_role(role, name=name, exact=True).first.click()


class Finger(Person):
    def press(self, role: str, name: str) -> None:
        self.count += 1
        self.page.get_by_role(role, name=name, exact=True).first.tap()


class Keys(Person):
    """Goes through rows by j and k, and to anything else by Tab."""

    def press(self, role: str, name: str) -> None:
        self.page.wait_for_load_state()
        wanted = self.page.get_by_role(role, name=name, exact=True).first
        wanted.wait_for()
        is_row = wanted.evaluate("element => element.matches('tbody a')")
        while not wanted.evaluate("element => element === document.activeElement"):
            below = (
                "element => element.compareDocumentPosition(document.activeElement) & Node.DOCUMENT_POSITION_FOLLOWING"
            )
            self.key(("k" if wanted.evaluate(below) else "j") if is_row else "Tab")
        self.key("Enter")

    def key(self, key: str) -> None:
        self.count += 1
        assert self.count < 2 * MOST_KEYS, f"{key}: nothing wanted gets the focus"
        self.page.keyboard.press(key)


@pytest.mark.parametrize(
    ("person_of", "most", "options"),
    [
        (Mouse, MOST_CLICKS, {"viewport": {"width": 1440, "height": 900}}),
        (Keys, MOST_KEYS, {"viewport": {"width": 1440, "height": 900}}),
        (Finger, MOST_CLICKS, {"viewport": {"width": 400, "height": 800}, "has_touch": True}),
    ],
)
def test_the_best_of_thirty_runs_is_found_and_run_again(
    browser: Any, runs: Runs, person_of: type[Person], most: int, options: Any
) -> None:
    tab = Tab(browser, runs.served, **options)
    person = person_of(page := tab.page)
    person.sees("30 jobs", "#count")

    person.press("link", "best loss")
    person.sees(f"run-{BEST}", "#rows tbody tr:first-child")
    person.sees(REASON, "#rows tbody tr:last-child")
    person.press("link", f"run-{WORST}")
    person.sees(REASON, "#summary")
    person.sees(REASON, "#log")
    page.go_back()
    person.press("link", f"run-{BEST}")
    person.sees("0.3333", "#summary")
    person.press("button", "Run again")
    person.sees(f"run-{BEST}-", "h1")
    person.sees("Running", "#summary")

    assert person.count <= most
    assert [job.parameters["lr"] for job in runs.ma.jobs.list()[:-RUNS]] == [f"{0.01 * (BEST + 1)}"]
    assert (tab.errors, tab.foreign) == ([], [])
    tab.context.close()
