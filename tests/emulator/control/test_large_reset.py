"""A reset of many jobs: how long it takes, and how long others wait while it lasts."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator

JOBS = 3_000
MAX_CPU_S = 0.5
MAX_PAUSE_CPU_S = 0.05


async def pauses(is_over: threading.Event) -> list[float]:
    """The processor time of the process between two turns of the event loop, until it is over."""
    found, before = [], time.process_time()
    while not is_over.is_set():
        await asyncio.sleep(0.001)
        now = time.process_time()
        found.append(now - before)
        before = now
    return found


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [0, 3600], ids=["running", "ended"])
def test_a_reset_of_many_simulated_jobs_is_quick_and_keeps_nobody_waiting(
    tmp_path: Path, log_in: Callable[..., Any], seconds: float
) -> None:
    """In processor time, which other programs on the machine do not change: half a second, and 50 ms at a time."""
    with Emulator(tmp_path, executor="simulated", max_jobs=JOBS) as emulator:
        api = log_in(emulator)
        emulator.clock.freeze()
        for _ in range(JOBS):
            api.create_job()
        emulator.clock.advance(seconds)
        gc.collect()
        gc.freeze()  # as the command does: what the tests have imported is not the emulator's
        is_over = threading.Event()
        loop: Any = emulator._loop
        waiting = asyncio.run_coroutine_threadsafe(pauses(is_over), loop)
        before = time.process_time()
        emulator.reset()
        took = time.process_time() - before
        is_over.set()
        gc.unfreeze()

        assert took <= MAX_CPU_S
        assert max(waiting.result()) <= MAX_PAUSE_CPU_S
        assert api.call("POST", "/training-job-searches", json={}).json()["total"] == 0
