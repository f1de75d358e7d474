"""The curves of jobs are read once for all pages, and later only what is new."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from tests.emulator.conftest import Puppet
from tests.overlays.ui.conftest import Served, simulated
from tests.overlays.ui.growing import ended, growing, growing_ma, scripts, started

from modelarts_emulator.server import Emulator
from modelarts_toolkit import AsyncModelArts, ModelArts
from modelarts_toolkit.curves.curves import Curve, Curves
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui import own_curves
from modelarts_toolkit.ui.jobs import load_jobs
from modelarts_toolkit.ui.own_curves import OwnCurves
from modelarts_toolkit.ui.site import Site

__all__ = ["growing", "growing_ma", "scripts"]

LINES = st.lists(
    st.sampled_from(
        ["epoch {x} loss: {y}\n", " 5%|# loss={y}\r", "step {x} val acc: {y}\r\n", "é\n", "\r", "loss: nan\n"]
    ),
    max_size=30,
)


def points(curves: "dict[str, Curve]") -> dict[str, str]:
    """All that is known of each curve; a text, because nan is not equal to itself."""
    return {name: f"{curve.values} {curve.axes} {curve.to_dict()}" for name, curve in curves.items()}


@settings(deadline=None, max_examples=15)
@given(lines=LINES, cuts=st.lists(st.floats(0, 1), max_size=5))
def test_a_log_that_is_read_while_it_grows_has_the_curves_of_the_whole_log(
    growing: Emulator, growing_ma: ModelArts, scripts: Puppet, lines: list[str], cuts: list[float]
) -> None:
    """Each value comes once, wherever the readings cut the log: in a number, a character, or a progress bar."""
    log = "".join(line.format(x=x, y=1 / (x + 1)) for x, line in enumerate(lines)).encode()
    places = [0, *sorted(int(cut * len(log)) for cut in cuts), len(log)]

    async def read() -> dict[str, str]:
        async with AsyncModelArts(config=Config.load(environ=growing.environment())) as asking:
            curves, handle = OwnCurves(pause_s=0), await asking.jobs.get(job.id)
            for first, last in pairwise(places):
                with scripts.log_file(job.id, "worker-0").open("ab") as file:
                    file.write(log[first:last])
                await curves.of(handle)
            ended(scripts, job)
            await handle.wait(timeout=300, poll=(0.02, 0.02))
            found = dict(await curves.of(await asking.jobs.get(job.id)))
            await curves.close()
            return points(found)

    job = started(growing_ma, scripts)
    found = asyncio.run(read())

    assert found == points(Curves(log.decode().splitlines() if b"\r" not in log else log.decode().split("\n")).found())
    job.delete()


def test_a_log_that_has_ended_is_read_twice_and_what_nobody_asks_for_is_forgotten(
    growing: Emulator, growing_ma: ModelArts, scripts: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second time for late lines; without waiting, what is known is said at once."""
    monkeypatch.setattr(own_curves, "LATE_LINES_S", 0)
    monkeypatch.setattr(own_curves, "MOST_VALUES", own_curves.VALUES_PER_JOB)
    jobs = [started(growing_ma, scripts, with_log=b"epoch 1 loss: 0.5\n") for _ in range(2)]
    for job in jobs:
        ended(scripts, job)
        job.wait(timeout=300, poll=(0.02, 0.02))
    asked: list[str] = []
    logs = scripts.logs

    def counting(handle: str, *args: int) -> bytes:
        asked.append(handle)
        return logs(handle, *args)  # type: ignore[arg-type]

    async def read() -> list[object]:
        async with AsyncModelArts(config=Config.load(environ=growing.environment())) as asking:
            curves = OwnCurves(pause_s=0)
            one, other = [await asking.jobs.get(job.id) for job in jobs]
            first = curves.known(one)
            for _ in range(5):
                await curves.of(one)
            known, times = curves.known(one), asked.count(one.id)
            await curves.of(other)
            again = curves.known(one)
            await curves.close()
            return [first, sorted(known or ()), times, again]

    monkeypatch.setattr(scripts, "logs", counting)

    assert asyncio.run(read()) == [None, ["loss"], 2, None]


def test_the_list_reads_the_logs_of_all_running_jobs_together_as_often_as_a_job_page_reads_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So a list of many running jobs does not load the service more than a list of few."""
    ahead, begun = 0.0, []

    async def look(environment: dict[str, str]) -> None:
        nonlocal ahead
        loop = asyncio.get_running_loop()
        clock = loop.time
        monkeypatch.setattr(loop, "time", lambda: clock() + ahead)
        async with AsyncModelArts(config=Config.load(environ=environment)) as asking:
            site = Site(asking, may_write=False, curves=OwnCurves(pause_s=100, delay_s=0))
            running, address = (
                await asking.jobs.list(),
                {"type": "http", "path": "/", "query_string": b"", "headers": ()},
            )
            for job in running:
                await site.curves.of(job)
            for moment in (150.0, 290.0, 310.0):
                ahead = moment
                await load_jobs(site, Request(address))
                begun.append(len(asyncio.all_tasks()) - 1)
            await asyncio.gather(*map(site.curves.of, running))
            ahead += 150
            site.curves.known(running[0])
            begun.append(len(asyncio.all_tasks()) - 1)
            await site.curves.close()

    with Emulator(executor="simulated") as emulator:
        emulator.plans.add(job="*", duration=4000, log=["epoch 1 loss: 0.5"])
        with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
            for name in "abc":
                simulated(ma, name)
        emulator.clock.advance(1000)
        asyncio.run(look(emulator.environment()))

    assert begun == [0, 0, 3, 1]


def test_a_page_whose_log_takes_long_comes_at_once_and_gets_its_curves_later(
    growing: Emulator, growing_ma: ModelArts, scripts: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says that the log is being read."""
    monkeypatch.setattr("modelarts_toolkit.ui.job.FIRST_WAIT_S", 0)
    job = started(growing_ma, scripts, with_log=b"".join(b"epoch %d loss: 0.5\n" % number for number in range(9)))
    environment = growing.environment()
    with Served(Config.load(environ=environment), environment) as served:
        path = f"/jobs/{job.id}"
        page = served.client.get(path, params={"tab": "metrics"}).text
        parts = next(
            parts for _, parts, _ in served.events(f"{path}/live?tab=metrics") if "figure" in parts.get("tab", "")
        )

    assert "The log is being read" in page
    assert "data-chart" not in page
    assert "The log is being read" not in parts["tab"]
    assert "data-chart" in parts["tab"]
