"""The promises of every executor as tests, also for executors of other packages.

A package that has an executor tests it with a class of its own, and needs no more than this:

    from tests.suites.executor_suite import ExecutorSuite, ScriptStage

    class Stage(ScriptStage):
        def new_executor(self, context):
            return MyExecutor(context)

    class TestMyExecutor(ExecutorSuite):
        stage_class = Stage

with the repository on the path of Python, or with a copy of this file beside it.
"""

from __future__ import annotations

import itertools
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

import pytest

from modelarts_emulator.execution.devices import Device
from modelarts_emulator.execution.protocol import (
    Executor,
    FailureInjectionError,
    FailureKind,
    JobSpec,
    TaskReport,
    task_names,
)
from modelarts_emulator.execution.registry import ExecutorContext
from modelarts_emulator.storage.folder import FolderStore

__all__ = ["FOREVER_S", "ExecutorSuite", "ScriptStage", "Stage", "ended", "log_of", "reports_of", "seen_cards"]

TIMEOUT_S = 300.0
FOREVER_S = 100_000.0
SCRIPT = """
import os, sys, time
print("sees cards:", *filter(None, os.environ.get("CUDA_VISIBLE_DEVICES", "all").split(",")), flush=True)
print(os.environ["LINE"], flush=True)
if os.environ["FAILS"] in ("", "worker-" + os.environ["VC_TASK_INDEX"]):
    time.sleep(float(os.environ["SECONDS"]))
    sys.exit(int(os.environ["CODE"]))
time.sleep(100_000)
"""
SEES = "sees cards:"


class Stage(Protocol):
    """An executor, and jobs and time for it."""

    executor: Executor

    def renew(self) -> None:
        """A new executor on the same folder, as after a restart."""

    def job(self, line: str, seconds: float, codes: Sequence[int], nodes: int, fails: str) -> JobSpec:
        """A job whose tasks print the line, run so long and end with the code of the attempt.

        If a task is named in `fails`, the others run for ever.
        """

    def attempt(self, job: JobSpec, number: int) -> JobSpec:
        """The same job's later attempt."""

    def with_cards(self, job: JobSpec, count: int) -> JobSpec:
        """The same job, whose tasks get so many cards each; skip the test if the executor's tasks see all cards."""

    def wait_for(self, is_true: Callable[[], Any]) -> None:
        """Let time pass until it is true."""

    def close(self) -> None:
        """End everything."""


class ScriptStage:
    """Real scripts in real time, on an executor that subclasses create; its objects and jobs lie in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.store = FolderStore(folder / "objects")
        self.store.create_bucket("data")
        self.store.put("data", "code/train.py", SCRIPT.encode())
        self._codes: dict[str, Sequence[int]] = {}
        self._executors: list[Executor] = []
        self._cards = itertools.count()
        self.renew()

    def renew(self) -> None:
        context = ExecutorContext(self._folder / "jobs", self.store.url, time.time, stop_grace_s=0.5)
        self.executor = self.new_executor(context)
        self._executors.append(self.executor)

    def new_executor(self, context: ExecutorContext) -> Executor:
        """An executor on the folder of the context, as after a restart of the emulator."""
        raise NotImplementedError

    def job(self, line: str, seconds: float, codes: Sequence[int], nodes: int, fails: str) -> JobSpec:
        job_id = f"job-{len(self._codes)}-{uuid.uuid4().hex[:8]}"
        self._codes[job_id] = codes
        return JobSpec(
            job_id,
            job_id,
            node_count=nodes,
            code_dir="/data/code/",
            boot_file="/data/code/train.py",
            environments={"LINE": line, "SECONDS": str(seconds), "CODE": str(codes[0]), "FAILS": fails},
        )

    def attempt(self, job: JobSpec, number: int) -> JobSpec:
        code = {"CODE": str(self._codes[job.job_id][number])}
        return replace(job, attempt=number, environments={**(job.environments or {}), **code})

    def with_cards(self, job: JobSpec, count: int) -> JobSpec:
        """The same job, for each of whose nodes `count` cards of this machine are declared that no other task has."""
        own = tuple(
            tuple(Device(f"GPU-{number:08d}", index=str(number)) for number in itertools.islice(self._cards, count))
            for _ in range(job.node_count)
        )
        return replace(job, devices=own)

    def wait_for(self, is_true: Callable[[], Any]) -> None:
        give_up = time.monotonic() + TIMEOUT_S
        while not is_true():
            assert time.monotonic() < give_up, "waited too long"
            time.sleep(0.01)

    def close(self) -> None:
        self.executor.delete(list(self._codes))
        for executor in self._executors:
            executor.close()


def reports_of(executor: Executor, handle: str) -> list[TaskReport]:
    """What the job's tasks report once everything that is due was done; empty for an unknown job."""
    for error in executor.advance([handle]).values():
        raise error
    found = executor.poll([handle]).get(handle, [])
    if isinstance(found, Exception):
        raise found
    return list(found)


def log_of(executor: Executor, handle: str, task: str = "worker-0") -> str:
    """The log of the task once everything that is due was done."""
    executor.advance([handle])
    data = b""
    while chunk := executor.logs(handle, task, len(data)):
        data += chunk
    return data.decode(errors="replace")


def ended(stage: Stage, job: JobSpec) -> list[TaskReport]:
    """The reports of all tasks once all have ended."""
    stage.wait_for(lambda: all(report.state == "ended" for report in reports_of(stage.executor, job.job_id)))
    return reports_of(stage.executor, job.job_id)


def seen_cards(stage: Stage, job: JobSpec) -> list[list[list[str]]]:
    """Of each task, for each attempt, the ids of the cards that its script has found, as far as it has said all."""
    return [
        [line.removeprefix(SEES).split() for line in log_of(stage.executor, job.job_id, task).splitlines(keepends=True)
         if line.startswith(SEES) and line.endswith("\n")]
        for task in task_names(job.node_count)
    ]  # fmt: skip


class ExecutorSuite:
    """The tests; a subclass names the class of its stage, which is made of a folder."""

    stage_class: ClassVar[type[Any]]

    @pytest.fixture
    def stage(self, tmp_path: Path) -> Iterator[Stage]:
        """An executor with jobs and time."""
        stage: Stage = self.stage_class(tmp_path)
        yield stage
        stage.close()

    def test_a_job_runs_and_reports_what_it_does_until_its_end(self, stage: Stage, tmp_path: Path) -> None:
        """However often its reports and its log are read afterwards, from any byte on, nothing changes by that."""
        job = _start(stage, seconds=0.1, codes=(3,))
        (report,) = ended(stage, job)

        assert (report.task, report.exit_code, report.attempt, report.failure) == ("worker-0", 3, 0, None), report
        assert report.started_at is not None
        assert report.ended_at is not None
        assert report.started_at < report.ended_at
        messages = [note.message for note in report.events]
        assert messages[-2:] == ["[worker-0] training started.", "[worker-0] Training finished. Exit code 3."]
        assert all(message.startswith("[worker-0]") for message in messages)
        assert [note.time for note in report.events] == sorted(note.time for note in report.events)

        whole = _log(stage, job).encode()
        size = stage.executor.log_size(job.job_id, "worker-0")
        halves = [stage.executor.logs(job.job_id, "worker-0", offset, size // 2 + 1) for offset in (0, size // 2 + 1)]
        assert b"a line\n" in whole
        assert (size, b"".join(halves)) == (len(whole), whole)
        assert stage.executor.logs(job.job_id, "worker-0", size) == b""

        stage.renew()
        assert _reports(stage, job) == [report]
        before = _files(tmp_path)
        for _ in range(3):
            stage.executor.poll([job.job_id])
            stage.executor.logs(job.job_id, "worker-0")
            stage.executor.usage(job.job_id, "worker-0")
        assert _files(tmp_path) == before

    def test_what_has_ended_cannot_fail_any_more(self, stage: Stage) -> None:
        job = _start(stage, seconds=0.1)
        reports = ended(stage, job)
        _fail(stage, job.job_id, "worker-0", "node_lost")
        _fail(stage, job.job_id, "worker-0", "preempted")

        assert [report.exit_code for report in reports] == [0]
        assert _reports(stage, job) == reports

    def test_one_task_s_failure_ends_the_others(self, stage: Stage) -> None:
        job = _start(stage, seconds=0.1, codes=(5,), nodes=3, fails="worker-1")

        assert [report.exit_code for report in ended(stage, job)] == [143, 5, 143]

    def test_a_stopped_job_ends(self, stage: Stage) -> None:
        job = _start(stage, nodes=2)
        _running(stage, job)
        stage.executor.cancel(job.job_id)
        stage.executor.cancel(job.job_id)

        assert [(report.exit_code, report.failure) for report in ended(stage, job)] == [(143, None)] * 2

    # Of two nodes that fail, the second may be stopped because of the first: two only where both end well.
    @pytest.mark.parametrize(("codes", "nodes"), [((1, 0), 1), ((0, 0), 2)])
    def test_a_later_attempt_runs_anew_and_goes_on_with_the_log(
        self, stage: Stage, codes: tuple[int, int], nodes: int
    ) -> None:
        job = _start(stage, seconds=0.1, codes=codes, nodes=nodes)
        first = ended(stage, job)
        again = stage.attempt(job, 1)
        for _ in range(2):
            stage.executor.submit(again)
        last = ended(stage, job)

        assert [(report.attempt, report.exit_code) for report in first] == [(0, codes[0])] * nodes
        assert [(report.attempt, report.exit_code) for report in last] == [(1, codes[1])] * nodes
        assert _log(stage, job).count("a line\n") == 2
        stage.executor.submit(job)
        assert _reports(stage, job) == last
        stage.renew()
        stage.executor.submit(again)
        assert _reports(stage, job) == last

    def test_a_preempted_task_ends_and_ends_the_others(self, stage: Stage) -> None:
        job = _start(stage, nodes=2)
        _running(stage, job)
        _fail(stage, job.job_id, "worker-1", "preempted")
        first, second = ended(stage, job)

        assert (second.exit_code, second.failure) == (143, "preempted")
        assert (first.exit_code, first.failure) == (143, None)

    def test_a_lost_node_s_task_is_gone_at_once(self, stage: Stage) -> None:
        job = _start(stage)
        _running(stage, job)
        _fail(stage, job.job_id, "worker-0", "node_lost")
        (report,) = _reports(stage, job)

        assert (report.state, report.exit_code, report.failure) == ("ended", 137, "node_lost")
        stage.renew()
        assert _reports(stage, job) == [report]

    def test_an_attempt_after_a_failure_runs_without_it(self, stage: Stage) -> None:
        job = _start(stage, codes=(0, 0))
        _running(stage, job)
        _fail(stage, job.job_id, "worker-0", "node_lost")
        ended(stage, job)
        stage.executor.submit(stage.attempt(job, 1))

        assert [(report.attempt, report.failure) for report in _running(stage, job)] == [(1, None)]

    @pytest.mark.parametrize(("count", "nodes"), [(2, 1), (1, 2), (0, 1)])
    def test_a_task_sees_its_own_cards_only(
        self, stage: Stage, monkeypatch: pytest.MonkeyPatch, count: int, nodes: int
    ) -> None:
        """A task without cards sees none, not even those of the emulator; so do a new executor and a later attempt."""
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "97,98,99")
        job = stage.with_cards(stage.job("a line", FOREVER_S, (0, 0), nodes, ""), count)
        stage.executor.submit(job)
        _running(stage, job)
        first = seen_cards(stage, job)
        _check_cards(job, count, first)

        stage.renew()
        stage.executor.submit(job)
        stage.executor.cancel(job.job_id)
        ended(stage, job)
        again = stage.with_cards(stage.attempt(job, 1), count)
        stage.executor.submit(again)
        stage.wait_for(lambda: all(len(seen) == 2 for seen in seen_cards(stage, again)))
        stage.executor.cancel(job.job_id)
        ended(stage, again)

        both = seen_cards(stage, again)
        assert [seen[:1] for seen in both] == first
        _check_cards(again, count, [seen[1:] for seen in both])

    def test_removed_jobs_are_unknown(self, stage: Stage) -> None:
        """Many are removed and polled at once, whether they run, have ended or are unknown; others go on."""
        gone = [_start(stage, nodes=2), _start(stage), _start(stage, seconds=0.1)]
        kept = _start(stage)
        for job in (*gone[:2], kept):
            _running(stage, job)
        ended(stage, gone[2])
        found = stage.executor.poll([kept.job_id, gone[0].job_id, "no-such-job"])
        states = {handle: [report.state for report in cast(Any, reports)] for handle, reports in found.items()}
        assert states == {kept.job_id: ["running"], gone[0].job_id: ["running", "running"]}

        absent = [*(job.job_id for job in gone), "no-such-job", "../x"]
        assert [stage.executor.delete(absent) for _ in range(2)] == [{}, {}]

        assert [_reports(stage, job) for job in gone] == [[], [], []]
        with pytest.raises(KeyError):
            stage.executor.logs(gone[0].job_id, "worker-0")
        stage.renew()
        assert [_reports(stage, job) for job in gone] == [[], [], []]
        assert [report.state for report in _reports(stage, kept)] == ["running"]

    def test_unknown_jobs_and_tasks_are_rejected(self, stage: Stage) -> None:
        job = _start(stage)
        unknown = (("no-such-job", "worker-0"), (job.job_id, "worker-1"), (job.job_id, "../worker-0"))

        assert reports_of(stage.executor, "no-such-job") == []
        stage.executor.cancel("no-such-job")
        for job_id, task in unknown:
            with pytest.raises(KeyError):
                stage.executor.logs(job_id, task)
            with pytest.raises(KeyError):
                stage.executor.usage(job_id, task)
        with pytest.raises(ValueError, match="cannot be a job's id"):
            stage.executor.submit(replace(job, job_id="../x"))
        for job_id, task in unknown:
            with pytest.raises(KeyError):
                stage.executor.inject_fault(job_id, task, "preempted")


def _start(
    stage: Stage,
    seconds: float = FOREVER_S,
    codes: tuple[int, ...] = (0,),
    nodes: int = 1,
    fails: str = "",
    line: str = "a line",
) -> JobSpec:
    job = stage.job(line, seconds, codes, nodes, fails)
    stage.executor.submit(job)
    return job


def _reports(stage: Stage, job: JobSpec) -> list[TaskReport]:
    return reports_of(stage.executor, job.job_id)


def _running(stage: Stage, job: JobSpec) -> list[TaskReport]:
    """The reports once all tasks run and have printed their line."""

    def is_running() -> bool:
        reports = _reports(stage, job)
        return all(report.state == "running" and "a line" in _log(stage, job, report.task) for report in reports)

    stage.wait_for(is_running)
    return _reports(stage, job)


def _check_cards(job: JobSpec, count: int, seen: list[list[list[str]]]) -> None:
    """Fail unless each task has seen cards once: those that the job declares, or as many, each once."""
    assert [len(attempts) for attempts in seen] == [1] * job.node_count
    for task, (cards,) in enumerate(seen):
        assert len(set(cards)) == len(cards) == count, (task, cards)
        assert job.devices is None or cards == [device.id for device in job.devices[task]], (task, cards)


def _fail(stage: Stage, handle: str, task: str, kind: FailureKind) -> bool:
    try:
        return stage.executor.inject_fault(handle, task, kind)
    except FailureInjectionError as error:
        pytest.skip(str(error))


def _log(stage: Stage, job: JobSpec, task: str = "worker-0") -> str:
    return log_of(stage.executor, job.job_id, task)


def _files(folder: Path) -> dict[Path, int]:
    """Files and when they were modified, without SQLite's and those that a controller may still delete."""
    paths = [Path(root, name) for root, _, names in os.walk(folder) for name in names if "/.worker-" not in root]
    return {path: path.stat().st_mtime_ns for path in paths if not path.name.endswith((".db", "-wal", "-shm"))}
