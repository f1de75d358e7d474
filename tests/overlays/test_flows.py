"""One logic, driven with and without an event loop."""

import asyncio
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.overlays.conftest import VirtualTime

from modelarts_toolkit.errors import ConnectionFailed
from modelarts_toolkit.flows import Call, Emit, Flow, OutageBudget, Pace, run, run_async, stream, stream_async


class Sync:
    def give(self, value: object) -> Any:
        if isinstance(value, Exception):
            raise value
        return value


class Async:
    async def give(self, value: object) -> Any:
        await asyncio.sleep(0)
        return Sync().give(value)


def adding(source: Any) -> Flow[int]:
    one = yield source.give(1)
    with pytest.raises(ConnectionFailed, match="gone"):
        yield source.give(ConnectionFailed("gone"))
    two = yield source.give(2)
    return int(one + two)


def counting(source: Any, closed: list[bool]) -> Flow[None]:
    try:
        for number in range(3):
            yield Emit([(yield source.give(number)), "|"])
    finally:
        closed.append(True)


Drive = Callable[[Callable[[Any], Flow[int]]], int]


@pytest.fixture(params=["sync", "async"])
def drive(request: pytest.FixtureRequest) -> Drive:
    if request.param == "sync":
        return lambda flow: run(flow(Sync()))
    return lambda flow: asyncio.run(run_async(flow(Async())))


def test_a_flow_gets_results_and_errors_where_it_yields(drive: Drive) -> None:
    assert drive(adding) == 3


def test_an_error_that_a_flow_lets_go_reaches_the_caller(drive: Drive) -> None:
    def failing(source: Any) -> Flow[int]:
        yield source.give(ConnectionFailed("gone"))
        return 1

    with pytest.raises(ConnectionFailed, match="gone"):
        drive(failing)


def test_a_flow_without_any_step_returns(drive: Drive) -> None:
    def immediate(source: Any) -> Flow[int]:
        return 7
        yield

    assert drive(immediate) == 7


def test_streams_hand_out_what_is_emitted_in_order() -> None:
    async def collect() -> list[Any]:
        return [item async for item in stream_async(counting(Async(), []))]

    expected = [0, "|", 1, "|", 2, "|"]
    assert list(stream(counting(Sync(), []))) == expected
    assert asyncio.run(collect()) == expected


def test_leaving_a_stream_early_closes_its_flow() -> None:
    closed: list[bool] = []

    async def leave() -> None:
        items = stream_async(counting(Async(), closed))
        await anext(items)
        await items.aclose()  # type: ignore[attr-defined]

    asyncio.run(leave())
    items = stream(counting(Sync(), closed))
    next(items)
    items.close()  # type: ignore[attr-defined]

    assert closed == [True, True]


def test_cancelling_a_task_closes_its_flow() -> None:
    closed: list[bool] = []

    def sleeping() -> Flow[None]:
        try:
            yield asyncio.sleep(60)
        finally:
            closed.append(True)

    async def cancel() -> None:
        task = asyncio.create_task(run_async(sleeping()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())

    assert closed == [True]


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
    """The flow hears of it when the limit has passed, not when the call returns."""
    release = threading.Event()
    began = time.monotonic()

    def calling() -> Flow[None]:
        try:
            yield Call((lambda: release.wait(5)) if kind == "sync" else (lambda: asyncio.sleep(5)), limit_s=0.1)
        finally:
            release.set()

    drive = run if kind == "sync" else lambda flow: asyncio.run(run_async(flow))
    with pytest.raises(ConnectionFailed, match=r"no complete response within 0\.1 s"):
        drive(calling())
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("limit_s", [5.0, math.inf])
@pytest.mark.parametrize("outcome", [7, TimeoutError("own"), KeyError("x")])
def test_a_call_within_its_limit_returns_or_raises_what_it_does(limit_s: float, outcome: Any) -> None:
    """Also a TimeoutError of its own is not taken for the limit."""

    def calling(source: Any) -> Flow[Any]:
        try:
            return (yield Call(lambda: source.give(outcome), limit_s))
        except Exception as error:
            return error

    assert run(calling(Sync())) == outcome
    assert asyncio.run(run_async(calling(Async()))) == outcome


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
