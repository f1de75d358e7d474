"""What passes is counted by the clock of the service, on every view and by the commands in the same way."""

import re
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.overlays.ui.conftest import Served, simulated

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli.commands import modelarts
from modelarts_toolkit.http.transport import DATE_ERROR_S
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.texts import lasted

GROWING = re.compile(r'<span data-passed="([\d.]+)">(.*?)</span>')
DURATION = re.compile(r"\b\d+(?:\.\d)? (?:d \d\d h|h \d\d min|min \d\d s|s)\b(?! ago)")


class Views(NamedTuple):
    """The same service as an emulator and as a cloud; one job runs, one waits, one has ended, by their names."""

    emulator: Emulator
    pages: tuple[Served, Served]
    jobs: dict[str, str]

    def html(self) -> dict[tuple[int, str], str]:
        """What each page shows in each view; of the list and the queue, in each line."""
        found = {}
        for number, page in enumerate(self.pages):
            rows = {view: page.client.get(path).text for view, path in (("list", "/"), ("queue", "/queue"))}
            for name, key in self.jobs.items():
                found[number, f"page {name}"] = page.client.get(f"/jobs/{key}?tab=fields").text.partition("</dl>")[0]
                for view, text in rows.items():
                    lines = [line for line in text.split("<tr")[1:] if f'href="/jobs/{key}"' in line]
                    found[number, f"{view} {name}"] = "".join(lines)
        return found


@pytest.fixture(scope="module")
def views() -> Iterator[Views]:
    with Emulator(executor="simulated", capacity={"modelarts.vm.cpu.8u": 1}) as emulator:
        emulator.clock.freeze()
        emulator.plans.add(job="*", duration=3e7)
        emulator.plans.add(job="ended", duration=40)
        environment = emulator.environment()
        config = Config.load(environ=environment)
        with ModelArts(config=config) as ma:
            ended = simulated(ma, "ended")
            emulator.clock.advance(18000)
            jobs = {"ended": ended.id, "running": simulated(ma, "running").id}
            emulator.clock.advance(5)
            jobs["waiting"] = simulated(ma, "waiting").id
        with Served(config, environment) as own, Served(config, {}) as cloud:
            yield Views(emulator, (own, cloud), jobs)


@settings(max_examples=3)
@given(seconds=st.integers(0, 100_000))
def test_a_clock_that_moves_on_moves_the_durations_of_living_jobs_by_as_much_and_no_others(
    views: Views, seconds: int
) -> None:
    """Also on a page that takes the service for a cloud, whose clock is hours off; commands print the same texts."""
    before = views.html()
    views.emulator.clock.advance(seconds)
    after = views.html()

    ran = set()
    for place, text in after.items():
        grown = [float(passed) for passed, _ in GROWING.findall(text)]
        moved = [float(passed) + seconds for passed, _ in GROWING.findall(before[place])]
        assert grown == (pytest.approx(moved, abs=DATE_ERROR_S) if place[0] else moved), place
        assert len(grown) == 1 or "ended" in place[1] or place[1] == "list waiting", place
        others = [DURATION.findall(GROWING.sub("", html)) for html in (before[place], text)]
        assert others[0] == others[1], place
        for passed, shown in GROWING.findall(text):
            assert shown == (lasted(timedelta(seconds=int(float(passed)))) or "0 s"), place
        ran |= {shown for _, shown in GROWING.findall(text) if "running" in place[1]}
    assert len(ran) == 1
    command = CliRunner(env=views.emulator.environment()).invoke(modelarts, ["job", "list"])
    assert [line.endswith(f"  {ran.pop()}") for line in command.stdout.splitlines() if "running" in line] == [True]


@pytest.mark.parametrize(("off_s", "says"), [(0, ""), (7230, "2 h 00 min ahead"), (-7230, "2 h 00 min behind")])
def test_every_page_says_that_the_clock_of_an_emulator_is_another(off_s: int, says: str) -> None:
    """A cloud whose clock is off says nothing: nobody moved it."""
    with Emulator(executor="simulated", clock=lambda: time.time() + off_s) as emulator:
        environment = emulator.environment()
        config = Config.load(environ=environment)
        with Served(config, environment) as own, Served(config, {}) as cloud:
            headers = [
                page.client.get(path).text.partition("</header>")[0]
                for page in (own, cloud)
                for path in ("/", "/queue", "/storage")
            ]

    assert [re.findall("its clock is (.*?)</", each.replace("\n", "")) for each in headers] == [
        [says] * bool(says)
    ] * 3 + [[]] * 3
