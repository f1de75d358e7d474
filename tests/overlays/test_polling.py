"""Pauses, outages and limits of calls, which all workflows share."""

import asyncio
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from modelarts_toolkit.errors import ConnectionFailed
from modelarts_toolkit.http.deadlines import call_within, call_within_async
from modelarts_toolkit.jobs.polling import Pace


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


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (2.0, 1.0), (-1.0, 1.0)])
def test_bounds_that_make_no_sense_are_rejected(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="poll must be"):
        Pace(bounds)
