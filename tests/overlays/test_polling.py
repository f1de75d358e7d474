"""Pauses, outages and limits of calls, which all workflows share."""

import asyncio
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.overlays.conftest import VirtualTime

from modelarts_toolkit.errors import ConnectionFailed
from modelarts_toolkit.http.deadlines import call_within, call_within_async
from modelarts_toolkit.jobs.polling import OutageBudget, Pace


@pytest.fixture
def budget(virtual_time: VirtualTime) -> OutageBudget:
    return OutageBudget(virtual_time.blocking, "waiting for job 1", seconds=300)


def test_an_outage_ends_with_its_error_when_the_budget_is_spent(
    budget: OutageBudget, virtual_time: VirtualTime
) -> None:
    """The budget counts from the first call that failed."""
    budget.record_failure(ConnectionFailed("gone"))
    virtual_time.seconds = 299
    budget.record_failure(ConnectionFailed("gone"))
    virtual_time.seconds = 300
    with pytest.raises(ConnectionFailed, match="gone"):
        budget.record_failure(ConnectionFailed("gone"))


def test_a_call_that_succeeds_ends_the_outage(budget: OutageBudget, virtual_time: VirtualTime) -> None:
    """The next outage has the whole budget again."""
    budget.record_failure(ConnectionFailed("gone"))
    virtual_time.seconds = 299
    budget.record_success()
    virtual_time.seconds = 400

    budget.record_failure(ConnectionFailed("gone"))


def test_a_call_in_an_outage_may_take_what_remains_of_the_budget(
    budget: OutageBudget, virtual_time: VirtualTime
) -> None:
    """Also the call that begins at the end has a second."""
    assert budget.call_limit_s() == 300
    virtual_time.seconds = 290
    assert budget.call_limit_s() == 10
    virtual_time.seconds = 310
    assert budget.call_limit_s() == 1


def test_an_outage_is_logged_with_its_reason_and_its_end(
    budget: OutageBudget, virtual_time: VirtualTime, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever waits can see in the log of `modelarts_toolkit` what happens."""
    budget.record_failure(ConnectionFailed("gone"))
    virtual_time.seconds = 20
    budget.record_success()
    budget.record_success()

    assert [(record.name, record.levelname, record.getMessage()) for record in caplog.records] == [
        ("modelarts_toolkit", "WARNING", "waiting for job 1: gone; trying again for 300 s"),
        ("modelarts_toolkit", "WARNING", "waiting for job 1: the service responds again after 20 s"),
    ]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_call_that_takes_longer_than_its_limit_fails(kind: str) -> None:
    """The caller hears of it when the limit has passed, not when the call returns."""
    release = threading.Event()
    began = time.monotonic()

    calls: dict[str, Callable[[], object]] = {
        "sync": lambda: call_within(0.1, lambda: release.wait(5)),
        "async": lambda: asyncio.run(call_within_async(0.1, lambda: asyncio.sleep(5))),
    }
    with pytest.raises(ConnectionFailed, match=r"no complete response within 0\.1 s"):
        calls[kind]()
    release.set()
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("limit_s", [5.0, math.inf])
@pytest.mark.parametrize("outcome", [7, TimeoutError("own"), KeyError("x")])
def test_a_call_within_its_limit_returns_or_raises_what_it_does(limit_s: float, outcome: Any) -> None:
    """Also a TimeoutError of its own is not taken for the limit."""

    def give() -> Any:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def give_later() -> Any:
        await asyncio.sleep(0)
        return give()

    for call in (
        lambda: call_within(limit_s, give),
        lambda: asyncio.run(call_within_async(limit_s, give_later)),
    ):
        try:
            found = call()
        except Exception as error:
            found = error
        assert found == outcome


@pytest.mark.parametrize("bounds", [5, (1.0,), "ab1"])
def test_pauses_that_are_no_pair_are_rejected(bounds: Any) -> None:
    with pytest.raises(TypeError, match="poll must be \\(shortest, longest\\) seconds, not "):
        Pace(bounds)


def test_pauses_grow_with_silence_and_are_short_again_after_news() -> None:
    pace = Pace((1.0, 1.4))

    pauses = [pace.after(news=news) for news in (False, False, False, False, True, False)]

    assert pauses == pytest.approx([1.0, 1.15, 1.3225, 1.4, 1.0, 1.15])


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (2.0, 1.0), (-1.0, 1.0)])
def test_bounds_that_make_no_sense_are_rejected(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="poll must be"):
        Pace(bounds)
