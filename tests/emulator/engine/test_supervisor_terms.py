"""A supervisor whose front end is no longer the one that supervises submits nothing, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection
from tests.emulator.bench import Bench, ScriptedExecutor

from modelarts_emulator.engine import runs, worker
from modelarts_emulator.engine.leadership import AloneSupervision, SupervisionLost
from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.supervisor import Supervisor
from modelarts_emulator.engine.worker import Worker
from modelarts_emulator.execution.protocol import Executor


class Term(AloneSupervision):
    """The term of a front end, which ends when the test says so, or as soon as a run is launched."""

    def __init__(self) -> None:
        self.is_lost = False
        self.ends_at_launch = False

    def check(self, connection: Connection) -> None:
        is_launched = self.ends_at_launch and any(run.launched for run in runs.every(connection))
        if self.is_lost or is_launched:
            raise SupervisionLost


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, most=5)
    yield bench
    bench.close()


@pytest.fixture
def term(bench: Bench) -> Term:
    """The term of the bench's supervisor."""
    term = Term()
    bench.supervisor = _supervisor(bench, bench.executor, term)
    return term


def _stored(bench: Bench) -> list[Run]:
    with bench.database.reading() as connection:
        return runs.every(connection)


def _supervisor(bench: Bench, executor: Executor, term: AloneSupervision) -> Supervisor:
    database = bench.database.supervised(term.check)
    worker = Worker(database, executor, bench.clock, bench.most, lambda _: {})
    return Supervisor(worker)


def test_a_run_whose_launch_was_the_last_that_was_committed_is_not_submitted(bench: Bench, term: Term) -> None:
    """Another front end finds it launched, and submits it."""
    bench.create()
    term.ends_at_launch = True
    with pytest.raises(SupervisionLost):
        bench.steps(3)

    assert [run.launched for run in _stored(bench)] == [True]
    assert bench.executor.started == []


def test_what_another_front_end_ended_while_it_was_submitted_ends(bench: Bench, term: Term) -> None:
    """What it removed is removed, and what it continues with runs on."""
    executor, other = bench.executor, _supervisor(bench, ScriptedExecutor(bench.folder), AloneSupervision())
    stopped, deleted, kept = (bench.create() for _ in range(3))

    async def take_over() -> None:
        bench.stop(stopped)
        bench.delete(deleted)
        for _ in range(3):
            await other.step()

    def lose_term() -> None:
        executor.interrupt = lambda: None
        term.is_lost = True
        asyncio.run(take_over())

    executor.interrupt = lose_term
    with pytest.raises(SupervisionLost):
        bench.steps(1)

    assert [job_id for job_id, _ in executor.started] == [stopped, deleted, kept]
    assert bench.phases() == {stopped: "Terminated", kept: "Running"}
    assert executor.removed == [deleted]
    assert {job_id: reports[0].state for job_id, reports in executor.reports.items()} == {
        stopped: "ended",
        kept: "running",
    }


def test_of_many_runs_only_some_are_submitted_before_it_is_looked_again(
    bench: Bench, term: Term, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their specifications are read piece by piece, too."""
    monkeypatch.setattr(worker, "SUBMISSIONS_PER_PIECE", 2)
    made = [bench.create() for _ in range(5)]

    def lose_term() -> None:
        term.is_lost = len(bench.executor.started) == 3

    bench.executor.interrupt = lose_term
    with pytest.raises(SupervisionLost):
        bench.steps(1)

    assert [job_id for job_id, _ in bench.executor.started] == made[:4]
