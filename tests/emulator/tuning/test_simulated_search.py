"""Searches on simulated jobs: the same every time, whatever fails meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from modelarts_emulator.engine.database import Database, open_database
from modelarts_emulator.execution.protocol import JobSpec, TaskReport
from modelarts_emulator.execution.simulated.clock import Clock
from modelarts_emulator.execution.simulated.executor import SimulatedExecutor
from modelarts_emulator.server import Emulator
from modelarts_emulator.settings import catalogue
from modelarts_emulator.storage.folder import FolderStore
from modelarts_emulator.testing.executor_suite import log_of, reports_of
from modelarts_emulator.tuning.executor import SearchExecutor
from modelarts_emulator.tuning.policy import read_policy
from modelarts_emulator.tuning.state import State, Trial
from modelarts_emulator.tuning.suggestions import SuggestionClient
from modelarts_emulator.tuning.trial_runner import merge_log
from modelarts_emulator.tuning.views import reports_view


class Bench:
    """A search executor on simulated jobs; `restart` is what a crash leaves."""

    def __init__(self, folder: Path, suggestions: SuggestionClient) -> None:
        self.folder = folder
        self.suggestions = suggestions
        self.clock = Clock()
        self.clock.freeze()
        self.engine: Engine = open_database(folder / "state.db")
        self.database = Database(self.engine)
        self.state = State(self.database)
        self.open()

    def open(self) -> None:
        self.inner = SimulatedExecutor(self.folder / "jobs", self.clock)
        self.executor = self.new_executor()

    def new_executor(self, is_shared: bool = False) -> SearchExecutor:
        store = FolderStore(self.folder / "objects")
        return SearchExecutor(
            self.inner,
            self.state,
            store,
            self.folder / "searches",
            self.clock,
            catalogue.load().search_algorithms,
            is_blocking=True,
            is_shared=is_shared,
            suggestions=self.suggestions,
        )

    def close(self) -> None:
        self.executor.close()
        self.inner.close()

    def restart(self) -> None:
        self.close()
        self.open()

    def run(self, job_id: str, until: int = 1000) -> TaskReport:
        """The report after this number of changes, or at the end of the job."""
        for _ in range(until):
            (report,) = reports_of(self.executor, job_id)
            moment = self.inner.next_change()
            if report.state == "ended" or moment is None:
                break
            self.clock.advance_to(moment)
        return reports_of(self.executor, job_id)[0]

    def trials(self, job_id: str) -> list[Trial]:
        return self.state.trials(job_id)


@pytest.fixture(scope="module")
def suggestions() -> Iterator[SuggestionClient]:
    """An advisor for all tests: its libraries take seconds to load."""
    suggestions = SuggestionClient(is_blocking=True)
    yield suggestions
    suggestions.close()


@pytest.fixture
def bench(tmp_path: Path, suggestions: SuggestionClient) -> Iterator[Bench]:
    bench = Bench(tmp_path, suggestions)
    yield bench
    bench.close()
    bench.engine.dispose()


@pytest.fixture
def spec(policy: Callable[..., Any]) -> Callable[..., JobSpec]:
    def make(job_id: str, attempt: int = 0, **annotations: str) -> JobSpec:
        plan = {"log": "accuracy: {lr}", "duration": "10"} | annotations
        return JobSpec(
            job_id, "job", boot_file="train.py", attempt=attempt, search=policy("anneal_search"),
            parameters=(("lr", "0.5"), ("fixed", "7")),
            annotations={f"emulator/{name.replace('_', '-')}": text for name, text in plan.items()},
        )  # fmt: skip

    return make


def test_equal_searches_try_the_same_two_at_a_time(bench: Bench, spec: Callable[..., JobSpec]) -> None:
    found = []
    for job_id in ("one", "two"):
        begun = bench.clock()
        bench.executor.submit(spec(job_id))
        report = bench.run(job_id)
        assert report.exit_code == 0
        assert bench.clock() - begun == pytest.approx(50)
        found.append([(trial.config, trial.result) for trial in bench.trials(job_id)])

    assert found[0] == found[1]
    assert len(found[0]) == 10
    assert all(result == pytest.approx(config["lr"]) for config, result in found[0])


def test_a_crash_at_any_moment_changes_nothing_about_a_search(bench: Bench, spec: Callable[..., JobSpec]) -> None:
    """With a new executor at every step, no trial is lost, repeated or given other values, and no line comes twice."""
    bench.executor.submit(spec("calm"))
    bench.run("calm")
    bench.executor.submit(spec("shaken"))
    report = bench.run("shaken", until=1)
    while report.state != "ended":
        bench.restart()
        report = bench.run("shaken", until=2)

    calm, shaken = bench.trials("calm"), bench.trials("shaken")
    assert [(trial.config, trial.result) for trial in shaken] == [(trial.config, trial.result) for trial in calm]
    log = log_of(bench.executor, "shaken", "worker-0").splitlines()
    own = [line for line in log if "] accuracy: " in line]
    assert sorted(own) == sorted(f"[{trial.trial_id}] accuracy: {trial.latest[0]}" for trial in shaken)


def test_trials_that_fail_are_failed_trials_and_a_search_of_nothing_else_fails(
    bench: Bench, spec: Callable[..., JobSpec]
) -> None:
    bench.executor.submit(spec("failing", exit_code="3"))

    report = bench.run("failing")

    assert (report.exit_code, report.message) == (3, "no trial ended well and with a result in its log")
    assert {trial.status for trial in bench.trials("failing")} == {"ERROR"}


def test_a_search_that_its_surroundings_ended_goes_on_in_the_next_attempt(
    bench: Bench, spec: Callable[..., JobSpec]
) -> None:
    """Trials that ended by themselves are not run again; those that were cut off are."""
    bench.executor.submit(spec("job"))
    bench.run("job", until=4)
    ended = [trial.number for trial in bench.trials("job") if trial.is_done]
    bench.executor.inject_fault("job", "worker-0", "preempted")
    report = bench.run("job")
    assert (report.state, report.failure, report.attempt) == ("ended", "preempted", 0)

    bench.executor.submit(spec("job", attempt=1))
    report = bench.run("job")

    assert (report.exit_code, report.attempt) == (0, 1)
    trials = bench.trials("job")
    assert ended
    assert [trial.number for trial in trials if trial.attempt == 0] == ended
    assert [trial.status for trial in trials] == ["TERMINATED"] * 10


def test_a_stopped_search_ends_with_its_trials_and_a_removed_one_leaves_nothing(
    bench: Bench, spec: Callable[..., JobSpec]
) -> None:
    bench.executor.submit(spec("job"))
    bench.run("job", until=2)
    bench.executor.cancel("job")
    assert bench.run("job").exit_code == 143

    bench.executor.delete(["job"])

    assert reports_of(bench.executor, "job") == []
    assert bench.trials("job") == []
    assert not (bench.folder / "searches" / "job").exists()
    assert not any(entry.name.startswith("job-") for entry in (bench.folder / "jobs").iterdir())


def test_a_long_trial_keeps_its_best_reward_and_its_newest_reports(
    bench: Bench, spec: Callable[..., JobSpec], policy: Callable[..., Any]
) -> None:
    """No report comes after the trial's end, although its lines are often read only then."""
    lines = [f"accuracy: {value}" for value in ("@5 accuracy: 1", "nan", "9", *range(-1500, 0))]
    bench.executor.submit(spec("a", log="\n".join(lines).removeprefix("accuracy: ")))
    reports_of(bench.executor, "a")
    bench.clock.advance_to(bench.clock() + 100)
    reports_of(bench.executor, "a")
    (trial, *_) = bench.trials("a")
    table = reports_view(read_policy(policy(), catalogue.load().search_algorithms), trial, bench.clock())
    rows = [dict(zip(table["header"], row, strict=True)) for row in table["data"]]

    assert [row["training_iteration"] for row in rows] == [*map(str, range(504, 1504)), "1503"]
    assert {(row["best_reward"], row["time_total_s"]) for row in rows} == {("9", "10.0")}
    assert rows[-1]["accuracy"] == rows[-1]["reward_attr"] == "-1"


def test_a_search_that_cannot_be_analysed_is_a_good_one_nonetheless(
    bench: Bench, spec: Callable[..., JobSpec], policy: Callable[..., Any]
) -> None:
    """No forest grows on values that are too large for the libraries."""
    wide = {"name": "lr", "param_type": "continuous", "lower_bound": "0", "upper_bound": "1e300"}
    bench.executor.submit(replace(spec("a"), search=policy(search_params=[wide])))
    report = bench.run("a")

    assert (report.state, report.exit_code) == ("ended", 0)
    assert any("The hyperparameters cannot be analysed: ValueError" in note.message for note in report.events)


def test_a_reset_removes_the_trials_of_a_search(log_in: Any, search_body: Any) -> None:
    """With their logs; a search under way does not begin anew."""
    with Emulator(executor="simulated") as emulator:
        api = log_in(emulator)
        emulator.clock.freeze()
        job_id = api.create_job(search_body(api))["metadata"]["id"]
        api.eventually(lambda: list((emulator.data_dir / "searches").glob(f"{job_id}/*")))

        emulator.reset()

        assert not list((emulator.data_dir / "searches").iterdir())


def test_a_search_that_another_process_runs_is_known_here(bench: Bench, spec: Callable[..., JobSpec]) -> None:
    """Its joint log is read, and the search is continued as soon as this process supervises."""
    first = bench.executor
    other = bench.new_executor(is_shared=True)
    first.submit(spec("elsewhere"))
    bench.run("elsewhere", until=3)

    assert other.logs("elsewhere", "worker-0") == first.logs("elsewhere", "worker-0") != b""
    assert other.usage("elsewhere", "worker-0") == first.usage("elsewhere", "worker-0")
    with pytest.raises(KeyError):
        other.logs("unknown", "worker-0")

    other.forget()
    bench.executor = other
    report = bench.run("elsewhere")
    bench.executor = first
    other.close()
    assert report.exit_code == 0
    assert len(bench.trials("elsewhere")) == 10


def test_lines_that_were_merged_and_not_stored_are_merged_once(tmp_path: Path) -> None:
    """The emulator was killed in between: what lies behind the size that it knows is cut off."""
    source, target = tmp_path / "trial.log", tmp_path / "joint" / "worker-0.log"
    source.write_bytes(b"one\ntwo\nhal")

    first = merge_log(source, 0, target, 0, "t", is_complete=False)
    again = merge_log(source, 0, target, 0, "t", is_complete=False)
    source.write_bytes(b"one\ntwo\nhalf\n")
    merge_log(source, again[0], target, again[1], "t", is_complete=False)

    assert first == again
    assert target.read_text() == "[t] one\n[t] two\n[t] half\n"
