"""What goes wrong on the way to the service and in it, as a user of the toolkit meets it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.stories.conftest import ENGINE

from modelarts_emulator.server import Emulator
from modelarts_toolkit import (
    AsyncModelArts,
    JobFailed,
    JobRequest,
    ModelArts,
    ObsError,
    ServiceFailure,
    Unauthorized,
)

POLL = (0.01, 0.05)
SHOW = "showTrainingJobDetails"


@pytest.fixture(scope="module")
def running() -> Iterator[Emulator]:
    with Emulator(executor="simulated", check_responses=True) as emulator:
        yield emulator


@pytest.fixture
def emulator(running: Emulator) -> Emulator:
    """One server for all tests, without jobs, objects and faults at the begin of each, and with a bucket."""
    running.reset()
    return running


@pytest.fixture
def ma(environment: dict[str, str], tmp_path: Path) -> Iterator[ModelArts]:
    """A user who has logged in and uploaded a script."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "boot.py").write_text("print('training')\n")
    with ModelArts() as connected:
        connected.obs.create_bucket("stories")
        connected.obs.upload(tmp_path / "code", "obs://stories/code/")
        connected.v2.flavors.show_training_job_flavors()
        yield connected


def body(name: str = "digits", **annotations: str) -> JobRequest:
    """A job of ten seconds; annotations are those of fault tolerance."""
    terms = {f"fault-tolerance/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return {
        "kind": "job",
        "metadata": {"name": name, "annotations": terms},
        "algorithm": {"code_dir": "/stories/code/", "boot_file": "/stories/code/boot.py", "engine": ENGINE},
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }


def wait(emulator: Emulator, ma: ModelArts, job: Any, **options: Any) -> Any:
    """Wait while every response that says something makes four seconds pass."""
    return ma.jobs.get(job).wait(poll=POLL, on_progress=lambda _: emulator.clock.advance(4), **options)


def applied(emulator: Emulator) -> list[int]:
    """How many calls each fault has changed."""
    return [fault["applied"] for fault in emulator.faults.list()]


def count_logins(emulator: Emulator) -> None:
    """Put a fault in place that harms nobody, counts logins, and is the last of the list."""
    emulator.faults.add(kind="latency", seconds=0.001, document="iam", operations=["createToken"])


def names(ma: ModelArts) -> list[tuple[str, str]]:
    """Id and name of every job that there is."""
    jobs = [job.to_dict()["metadata"] for job in ma.v2.training_jobs.iter_training_jobs({})]
    return [(job["id"], job["name"]) for job in jobs]


def test_too_many_requests_are_waited_out_as_long_as_the_service_asks(emulator: Emulator, ma: ModelArts) -> None:
    for operation in ("createTrainingJob", SHOW):
        emulator.faults.add(kind="status", status=429, retry_after=1, count=1, operations=[operation])
    began = time.monotonic()

    job = ma.jobs.submit(body())
    done = wait(emulator, ma, job)

    assert done.phase == "Completed"
    assert applied(emulator) == [1, 1]
    assert time.monotonic() - began >= 2
    assert names(ma) == [(job.id, "digits")]


@pytest.mark.parametrize(("status", "count"), [(502, 6), (503, 1)])
def test_a_proxy_s_pages_in_the_middle_of_waiting_delay_the_end_only(
    emulator: Emulator, ma: ModelArts, status: int, count: int
) -> None:
    """Also more pages than one call is repeated: the waiting itself has patience, too."""
    job = ma.jobs.submit(body())
    emulator.faults.add(kind="html", status=status, after=1, count=count, operations=[SHOW])

    assert wait(emulator, ma, job).phase == "Completed"
    assert applied(emulator) == [count]


def test_connections_that_break_cost_neither_the_end_nor_a_line(emulator: Emulator, ma: ModelArts) -> None:
    emulator.clock.freeze()  # so that each look finds one more line, however long it takes
    emulator.plans.add(log=[f"@{second} step {second}" for second in range(10)])
    job = ma.jobs.submit(body())
    for number, moment in enumerate(("before", "after", "body")):
        emulator.faults.add(kind="drop", moment=moment, after=2 * number, count=1, operations=[SHOW])
        preview = ["showTrainingJobLogsPreview"]
        emulator.faults.add(kind="drop", moment=moment, after=2 * number + 1, count=1, operations=preview)

    lines = list(ma.jobs.get(job).logs(poll=POLL, on_progress=lambda _: emulator.clock.advance(0.9), follow=True))

    assert [line for line in lines if line.startswith("step")] == [f"step {second}" for second in range(10)]
    assert applied(emulator) == [1] * 6
    assert wait(emulator, ma, job).phase == "Completed"


def test_an_expired_token_is_renewed_once_and_the_call_repeated_once(emulator: Emulator, ma: ModelArts) -> None:
    job = ma.jobs.submit(body())
    emulator.faults.add(kind="expired_token", after=1, count=1)
    count_logins(emulator)

    assert wait(emulator, ma, job).phase == "Completed"
    assert applied(emulator) == [1, 1]


def test_tokens_that_always_expire_are_an_error_and_no_endless_login(emulator: Emulator, ma: ModelArts) -> None:
    emulator.faults.add(kind="expired_token")
    count_logins(emulator)

    with pytest.raises(Unauthorized, match=r"ModelArts\.0202") as rejection:
        ma.v2.flavors.show_training_job_flavors()

    assert rejection.value.status == 401
    assert applied(emulator) == [2, 1]


LOST = [
    {"kind": "drop", "moment": "before"},
    {"kind": "drop", "moment": "after"},
    {"kind": "drop", "moment": "body"},
    {"kind": "html", "status": 504},
]


@pytest.mark.parametrize("fault", LOST, ids=lambda fault: str(fault.get("moment", fault["kind"])))
def test_a_job_whose_creation_got_no_response_exists_once(
    emulator: Emulator, ma: ModelArts, fault: dict[str, Any]
) -> None:
    emulator.faults.add(**fault, count=1, operations=["createTrainingJob"])

    job = ma.jobs.submit(body())

    assert applied(emulator) == [1]
    assert names(ma) == [(job.id, "digits")]
    assert wait(emulator, ma, job).phase == "Completed"


def test_the_asynchronous_client_lives_through_the_same(emulator: Emulator, ma: ModelArts) -> None:
    """Responses lost, tokens expired, pages of a proxy: three jobs at once come to their ends."""
    emulator.plans.add(duration=0.3)

    async def one(client: AsyncModelArts, name: str) -> str:
        job = await client.jobs.submit(body(name))
        return str((await job.wait(poll=POLL)).phase)

    async def all_of_them() -> list[str]:
        async with AsyncModelArts() as client:
            return await asyncio.gather(*(one(client, f"digits-{number}") for number in range(3)))

    emulator.faults.add(kind="drop", moment="after", count=2, operations=["createTrainingJob"])
    emulator.faults.add(kind="expired_token", count=1, operations=[SHOW])
    emulator.faults.add(kind="html", count=2, operations=[SHOW])

    assert asyncio.run(all_of_them()) == ["Completed"] * 3
    assert applied(emulator) == [2, 1, 2]
    assert sorted(name for _, name in names(ma)) == ["digits-0", "digits-1", "digits-2"]


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow one another at once."""

    async def no_pause(*_: object) -> None:
        pass

    monkeypatch.setattr("httpx_retries.Retry.sleep", lambda *_: None)
    monkeypatch.setattr("httpx_retries.Retry.asleep", no_pause)


def test_a_call_that_always_fails_ends_with_the_service_s_code(
    emulator: Emulator, ma: ModelArts, no_pauses: None
) -> None:
    """After the first attempt and four more."""
    emulator.faults.add(kind="status", status=503)

    with pytest.raises(ServiceFailure, match=r"^ModelArts\.2950: .* \(503, ") as failure:
        ma.v2.flavors.show_training_job_flavors()

    assert (failure.value.status, failure.value.error_code) == (503, "ModelArts.2950")
    assert applied(emulator) == [5]


def test_object_storage_that_always_fails_is_an_error_that_names_the_place_and_leaves_no_half_a_file(
    emulator: Emulator, ma: ModelArts, tmp_path: Path, no_pauses: None
) -> None:
    emulator.faults.add(kind="status", status=503, document="obs", message="Too busy.")

    with pytest.raises(ObsError, match=r"obs://stories/code/.*503") as up:
        ma.obs.upload(tmp_path / "code", "obs://stories/code/")
    with pytest.raises(ObsError, match=r"obs://stories/code/.*503") as down:
        ma.obs.download("obs://stories/code/", tmp_path / "fetched")

    for error in (up, down):
        assert emulator.identity.secret_key not in f"{error.value!r} {error.value}"
    assert not (tmp_path / "fetched").exists()


@pytest.mark.parametrize(
    ("kind", "phase", "code", "reason"),
    [
        ("preempted", "Failed", 143, "preempted"),
        ("node_lost", "Abnormal", 137, "node"),
        ("disk_full", "Failed", 1, "No space left"),
        ("out_of_memory", "Failed", 137, "out of memory"),
    ],
)
def test_faults_of_a_job_are_reported_when_it_has_been_waited_for(
    emulator: Emulator, ma: ModelArts, kind: str, phase: str, code: int, reason: str
) -> None:
    job = ma.jobs.submit(body())
    emulator.clock.advance(1)
    emulator.faults.add(job=job.id, kind=kind)

    with pytest.raises(JobFailed, match=" failed" if phase == "Failed" else r" failed \(phase Abnormal\)") as failure:
        wait(emulator, ma, job)

    assert failure.value.exit_codes == {"worker-0": code}
    assert reason in str(failure.value)
    assert failure.value.job.phase == phase


@pytest.mark.parametrize(
    ("kind", "annotations"),
    [
        ("preempted", {"job_retry_num": "1"}),
        ("node_lost", {"job_retry_num": "1"}),
        ("disk_full", {"job_retry_num": "1", "job_unconditional_retry": "true"}),
    ],
)
def test_a_job_that_may_restart_completes_after_any_single_fault(
    emulator: Emulator, ma: ModelArts, kind: str, annotations: dict[str, str]
) -> None:
    job = ma.jobs.submit(body(**annotations))
    emulator.clock.advance(1)
    emulator.faults.add(job=job.id, kind=kind)

    done = wait(emulator, ma, job)

    assert done.phase == "Completed"
    assert len(ma.v2.training_jobs.show_training_job_details(job.id).to_dict()["status"]["running_records"]) == 2
