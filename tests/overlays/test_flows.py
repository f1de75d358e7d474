"""One logic, driven with and without an event loop."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from modelarts_toolkit.errors import ConnectionFailed
from modelarts_toolkit.flows import Clock, Emit, Flow, Pace, Patience, run, run_async, stream, stream_async


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


def test_patience_ends_with_the_error_of_an_outage_that_lasts_too_long() -> None:
    times = iter([0.0, 200.0, 400.0])
    patience = Patience(Clock(lambda: next(times), lambda _: None), seconds=300)
    error = ConnectionFailed("gone")

    patience.excuse(error)
    patience.excuse(error)
    with pytest.raises(ConnectionFailed):
        patience.excuse(error)


def test_patience_starts_anew_after_a_call_went_through() -> None:
    times = iter([0.0, 400.0])
    patience = Patience(Clock(lambda: next(times), lambda _: None), seconds=300)

    patience.excuse(ConnectionFailed("gone"))
    patience.restore()
    patience.excuse(ConnectionFailed("gone"))


def test_pauses_grow_with_silence_and_are_short_again_after_news() -> None:
    pace = Pace((1.0, 2.0))

    pauses = [pace.after(news=news) for news in (False, False, False, False, True, False)]

    assert pauses == pytest.approx([1.0, 1.3, 1.69, 2.0, 1.0, 1.3])


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (2.0, 1.0), (-1.0, 1.0)])
def test_bounds_that_make_no_sense_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="poll must be"):
        Pace(bounds)
