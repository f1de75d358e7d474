"""Stages of a job are drawn as long as they lasted, and told once."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.overlays.ui.conftest import Served, simulated

from modelarts_api.v2.models import RunningRecord, Stage, TrainingJob
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.jobs.info import TrainingJobInfo
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.ui.job_row import JobRow
from modelarts_toolkit.ui.site import render
from modelarts_toolkit.ui.stages import LEAST_PERCENT, StageRow, stage_rows

BEGAN = datetime(2026, 11, 29, 9, tzinfo=UTC)
NAMES = ("scheduling", "preparing", "running", "end")
SECONDS = st.integers(0, 10**6)


def rows(
    phase: str, lasts: Sequence[int], *, ran: timedelta = timedelta(), now: int = 0, is_cut: bool = False
) -> list[StageRow]:
    """The stages of a job that lasted so many seconds each; the last one has no end in a phase that is no end."""
    stages: list[Stage] = []
    start = BEGAN
    is_ended = phase not in ("Pending", "Running") and not is_cut
    for name, seconds in zip(NAMES, [*lasts, 0] if is_ended and len(lasts) == 3 else lasts, strict=False):
        end = start + timedelta(seconds=seconds)
        is_last = not is_ended and len(stages) == len(lasts) - 1
        stages.append(Stage(name=name, start_time=start.isoformat(), end_time=None if is_last else end.isoformat()))
        start = end
    status = {"phase": phase, "duration": ran // timedelta(milliseconds=1)}
    job = TrainingJobInfo(TrainingJob.from_dict({"kind": "job", "metadata": {}, "status": status}))
    return stage_rows(stages, job, BEGAN + timedelta(seconds=now))


@given(lasts=st.lists(SECONDS, min_size=3, max_size=3), phase=st.sampled_from(["Completed", "Failed", "Terminated"]))
def test_stages_fill_the_drawing_in_the_ratio_of_their_durations(lasts: Sequence[int], phase: str) -> None:
    """A short one is a line beside hours; the end has no width, and what failed is told once."""
    assert rows(phase, [0, 0, 10**5])[0].width < 0.5
    *drawn, end = rows(phase, lasts)

    assert [row.lasted for row in drawn] == [timedelta(seconds=each) for each in lasts]
    assert abs(sum(row.width for row in drawn) - 100) < 1e-6
    assert all(abs(left.left + left.width - right.left) < 1e-6 for left, right in pairwise(drawn))
    over = [row.width - LEAST_PERCENT for row in drawn]
    for one, other, width, next_width in zip(lasts, lasts[1:], over, over[1:], strict=False):
        assert abs(one * next_width - other * width) < 1e-3 * (1 + one + other), (lasts, over)
    assert (end.result, end.width) == ("end", 0)
    results = {"Completed": "done", "Failed": "failed", "Terminated": "stopped"}
    assert [row.result for row in drawn] == ["done", "done", results[phase]]


@given(lasts=st.lists(SECONDS, min_size=1, max_size=3), more=SECONDS)
def test_the_stage_that_lasts_grows_with_the_clock_of_the_service_and_no_other_does(
    lasts: Sequence[int], more: int
) -> None:
    phase, until = ("Running" if len(lasts) == 3 else "Pending"), sum(lasts)
    before, after = rows(phase, lasts, now=until), rows(phase, lasts, now=until + more)

    grown = [late.lasted - early.lasted for early, late in zip(before, after, strict=True)]  # type: ignore[operator]
    assert grown == [*[timedelta()] * (len(lasts) - 1), timedelta(seconds=more)]
    assert [row.result for row in after] == [*["done"] * (len(lasts) - 1), "active"]


@given(ran_ms=st.integers(1, 10**9), error_ms=st.integers(-999, 999))
def test_a_run_is_told_as_the_service_measures_it(ran_ms: int, error_ms: int) -> None:
    """The times of stages have whole seconds: another number of a second beside "Ran" would contradict it."""
    ran = timedelta(milliseconds=ran_ms)
    seconds = max(ran_ms + error_ms, 0) // 1000

    of_stage = timedelta(seconds=seconds)
    shown = rows("Completed", [0, 0, seconds], ran=ran)[2].lasted
    assert shown == (ran if abs(ran - of_stage) <= timedelta(seconds=1) else of_stage)


@given(lasts=st.lists(SECONDS, min_size=1, max_size=3), now=SECONDS)
def test_no_stage_of_a_job_that_has_ended_grows(lasts: Sequence[int], now: int) -> None:
    """Where the service does not say when a stage ended, nor does the page."""
    shown = rows("Terminated", lasts, now=now, is_cut=True)

    assert (shown[-1].lasted, shown[-1].result) == (None, "stopped")
    assert shown == rows("Terminated", lasts, is_cut=True)


@given(waited=SECONDS, past_ms=st.integers(0, 999))
def test_the_wait_of_a_restarted_job_is_as_exact_as_the_times_of_its_stages(waited: int, past_ms: int) -> None:
    """The service tells in whole seconds when it was queued again."""
    started_ms = (round(BEGAN.timestamp()) + waited) * 1000 + past_ms
    records = [{"start_at": round(BEGAN.timestamp()) - each, "start_type": "init_or_rescheduled"} for each in (99, 0)]
    status = {"phase": "Running", "duration": 1, "start_time": started_ms, "running_records": records}
    job = TrainingJobInfo(TrainingJob.from_dict({"kind": "job", "metadata": {"id": "j"}, "status": status}))

    assert JobRow.of(job, False, BEGAN, stages=[StageRow("scheduling", BEGAN, None, "done")]).waited == timedelta(
        seconds=waited
    )


def test_what_the_platform_did_after_a_run_is_told_in_words() -> None:
    """Each value that is documented; a new one stands as the service says it."""
    known = yaml.safe_load(Path("openapi/v2/schemas/RunningRecord.yaml").read_text("utf-8"))
    names = [*known["properties"]["end_recover"]["x-known-values"], "node_repair"]
    record = {"start_at": 1, "end_at": 9, "start_type": "restarted", "end_reason": "node lost"}
    records = [RunningRecord.from_dict(record | {"end_recover": name}) for name in names]
    told = re.findall(
        "node lost</bdi>, then (.*?)</li>", render("parts/stages.html", {"stages": (), "records": records})
    )

    assert len(told) == len(names)
    assert [each for each in told if "_" in each] == ["node_repair"]
    assert told[-2] == "the job was scheduled anew on other nodes"


def test_a_job_that_was_stopped_before_it_ran_tells_how_long_it_waited() -> None:
    """Also when it had run before, of which its stages are not."""
    with Emulator(executor="simulated", capacity={"modelarts.vm.cpu.8u": 1}) as emulator:
        emulator.clock.freeze()
        emulator.plans.add(job="*", duration=600)
        environment = emulator.environment()
        with ModelArts(config=Config.load(environ=environment)) as ma:
            again = simulated(ma, "again")
            emulator.clock.advance(1000)
            simulated(ma, "other")
            emulator.clock.advance(1)
            stopped = [again.restart(), simulated(ma, "never")]
            emulator.clock.advance(100)
            for job in stopped:
                job.stop()
            emulator.clock.advance(100)
            with Served(Config.load(environ=environment), environment) as page:
                shown = [page.client.get(f"/jobs/{job.id}").text for job in stopped]

    assert [re.findall(r"<dt>Waited</dt><dd>(.*?)</dd>", each) for each in shown] == [["1 min 40 s"]] * 2
    assert ["Stages of the last run" in each for each in shown] == [True, False]


@given(lasts=st.lists(SECONDS, min_size=1, max_size=2), end=SECONDS)
def test_a_job_that_never_ran_waited_through_all_its_stages_but_the_end(lasts: Sequence[int], end: int) -> None:
    job = TrainingJobInfo(TrainingJob.from_dict({"kind": "job", "metadata": {}, "status": {"phase": "Terminated"}}))
    stages = [StageRow(NAMES[place], BEGAN, timedelta(seconds=each), "done") for place, each in enumerate(lasts)]
    stages.append(StageRow("end", BEGAN, timedelta(seconds=end), "end"))

    assert JobRow.of(job, False, BEGAN, stages=stages).waited == timedelta(seconds=sum(lasts))
