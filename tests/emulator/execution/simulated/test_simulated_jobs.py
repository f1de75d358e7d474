"""Jobs that run without a process, beyond what all executors promise: plans, clock, journal."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.executor_suite import log_of, reports_of

from modelarts_emulator.clock import Clock
from modelarts_emulator.execution.protocol import Channel, JobSpec
from modelarts_emulator.execution.simulated.executor import SimulatedExecutor

START = 1_000_000.0


@pytest.fixture
def clock() -> Clock:
    clock = Clock(lambda: START)
    clock.freeze()
    return clock


@pytest.fixture
def executor(tmp_path: Path, clock: Clock) -> SimulatedExecutor:
    return SimulatedExecutor(tmp_path, clock)


def _job(node_count: int = 1, attempt: int = 0, **annotations: str) -> JobSpec:
    texts = {f"emulator/{name.replace('_', '-')}": text for name, text in annotations.items()}
    return JobSpec("j", "name", node_count, parameters=(("lr", "0.1"),), attempt=attempt, annotations=texts)


def _states(executor: SimulatedExecutor) -> list[tuple[str, int | None]]:
    return [(report.state, report.exit_code) for report in reports_of(executor, "j")]


def test_a_job_prepares_runs_and_ends_when_its_plan_says(executor: SimulatedExecutor, clock: Clock) -> None:
    executor.submit(_job(preparation="5", duration="10", exit_code="3"))
    seen = [_states(executor)]
    moments = []
    while (change := executor.next_change()) is not None:
        moments.append(change - START)
        clock.advance_to(change)
        seen.append(_states(executor))

    assert moments == [5, 15]
    assert seen == [[("preparing", None)], [("running", None)], [("ended", 3)]]
    (report,) = reports_of(executor, "j")
    assert (report.started_at, report.ended_at) == (START + 5, START + 15)


def test_lines_come_when_their_time_has_come(executor: SimulatedExecutor, clock: Clock) -> None:
    executor.submit(_job(log="lr is {lr}\n@4 {job} {task} {attempt}\n@99 too late"))
    before = log_of(executor, "j", "worker-0")
    clock.advance_to(START + 4)

    assert before.endswith("\nlr is 0.1\n")
    assert log_of(executor, "j", "worker-0") == before + "name worker-0 0\n"
    clock.advance_to(START + 200)
    assert "too late" not in log_of(executor, "j", "worker-0")


def test_metrics_have_one_value_per_period_and_go_on_over_attempts(executor: SimulatedExecutor, clock: Clock) -> None:
    """Also once the end was reported: they are worked out again from the journal, as reports and log are."""
    executor.submit(_job(duration="[150, 10]", exit_code="[1, 0]", metrics='{"cpuUsage": [10, 20]}'))
    assert executor.usage("j", "worker-0") is None
    clock.advance_to(START + 60)
    first = executor.usage("j", "worker-0")
    clock.advance_to(START + 200)
    executor.submit(_job(attempt=1))
    clock.advance_to(START + 300)
    reports, log = reports_of(executor, "j"), log_of(executor, "j", "worker-0")
    assert (executor.next_change(), reports_of(executor, "j")) == (None, reports)
    assert log_of(executor, "j", "worker-0") == log
    last = executor.usage("j", "worker-0")

    assert first is not None
    assert last is not None
    assert (first["cpuUsage"], first["gpuUtil"]) == ([10], [-1])
    assert last["cpuUsage"] == [10, 20, 10]


def test_a_stopped_task_takes_as_long_as_its_plan_says(executor: SimulatedExecutor, clock: Clock) -> None:
    executor.submit(_job(2, duration="100", stop_duration="7"))
    clock.advance_to(START + 3)
    executor.cancel("j")
    assert executor.next_change() == START + 10
    clock.advance_to(START + 10)

    assert [(report.exit_code, report.message) for report in reports_of(executor, "j")] == [(143, "stopped")] * 2


@pytest.mark.parametrize(
    ("kind", "code", "message"),
    [
        ("preempted", 143, "preempted"),
        ("node_lost", 137, "the node was lost"),
        ("out_of_memory", 137, "killed, out of memory"),
    ],
)
def test_a_planned_failure_comes_once(
    executor: SimulatedExecutor, clock: Clock, kind: str, code: int, message: str
) -> None:
    executor.submit(_job(duration="10", failure=f"{kind}@4"))
    clock.advance_to(START + 4)
    (report,) = reports_of(executor, "j")
    executor.submit(_job(attempt=1))
    clock.advance_to(START + 100)

    assert (report.exit_code, report.message, report.failure) == (code, message, kind)
    assert _states(executor) == [("ended", 0)]


def test_outputs_are_reported_after_the_end(executor: SimulatedExecutor, clock: Clock) -> None:
    executor.submit(JobSpec("j", "j", inputs=(Channel("data", ""),), outputs=(Channel("model", ""),)))
    clock.advance_to(START + 10)
    (report,) = reports_of(executor, "j")

    assert [note.message for note in report.events] == [
        "[worker-0] Training input(parameter name: data) Downloading.",
        "[worker-0][time used: 0.000s] Download training input(parameter name: data) finished.",
        "[worker-0] training started.",
        "[worker-0] Training finished. Exit code 0.",
        "[worker-0] Training output(parameter name: model) Uploading.",
        "[worker-0][time used: 0.000s] Upload training output(parameter name: model) finished.",
    ]


def test_a_plan_in_place_holds_for_jobs_of_its_name_and_annotations_win(
    executor: SimulatedExecutor, clock: Clock
) -> None:
    executor.plans.add(job="na*", exit_code=5, duration=1)
    executor.plans.add(job="other", exit_code=6)
    executor.submit(_job(duration="2"))
    clock.advance_to(START + 2)

    assert _states(executor) == [("ended", 5)]
    assert reports_of(executor, "j")[0].ended_at == START + 2


def test_a_new_executor_knows_as_much_and_has_the_same_log(
    executor: SimulatedExecutor, clock: Clock, tmp_path: Path
) -> None:
    """No environment variable of a job is written down for it."""
    executor.submit(_job(2, duration="100", log="a\n@50 b"))
    clock.advance_to(START + 20)
    executor.inject_fault("j", "worker-1", "preempted")
    executor.submit(JobSpec("k", "k", environments={"TOKEN": "s3cret"}, service_environments={"KEY": "s3cret"}))
    reports, log = reports_of(executor, "j"), log_of(executor, "j", "worker-1")
    again = SimulatedExecutor(tmp_path, clock)

    assert reports_of(again, "j") == reports
    assert log_of(again, "j", "worker-1") == log
    assert log.splitlines()[-1].endswith("worker-1 exit with 143")
    assert "b" not in log.splitlines()
    assert [report.state for report in reports_of(again, "k")] == ["running"]
    assert all(b"s3cret" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_only_jobs_that_may_report_something_new_are_named(executor: SimulatedExecutor, clock: Clock) -> None:
    """A job is named once after each of its changes."""
    for name, duration in (("a", "10"), ("b", "20")):
        executor.submit(JobSpec(name, name, annotations={"emulator/duration": duration}))
    assert set(executor.changed_jobs()) == {"a", "b"}
    assert not executor.changed_jobs()

    clock.advance_to(START + 10)
    assert executor.changed_jobs() == {"a"}
    assert not executor.changed_jobs()

    executor.cancel("b")
    assert executor.changed_jobs() == {"b"}
