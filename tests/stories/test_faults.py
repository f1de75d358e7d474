"""What goes wrong on the way to the service and to object storage and in them, as a user of the toolkit meets it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.stories.conftest import job_body, upload

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobFailed, ModelArts, ObsError
from modelarts_toolkit.storage.uploads import PART

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
    with ModelArts() as connected:
        upload(connected, tmp_path, "print('training')\n")
        connected.v2.flavors.show_training_job_flavors()
        yield connected


def wait(emulator: Emulator, ma: ModelArts, job: Any, **options: Any) -> Any:
    """Wait while every response that says something makes four seconds pass."""
    return ma.jobs.get(job).wait(poll=POLL, on_progress=lambda _: emulator.clock.advance(4), **options)


def applied(emulator: Emulator) -> list[int]:
    """How many calls each fault has changed."""
    return [fault["applied"] for fault in emulator.faults.list()]


def names(ma: ModelArts) -> list[tuple[str, str]]:
    """Id and name of every job that there is."""
    jobs = [job.to_dict()["metadata"] for job in ma.v2.training_jobs.iter_training_jobs({})]
    return [(job["id"], job["name"]) for job in jobs]


def test_connections_that_break_cost_neither_the_end_nor_a_line(emulator: Emulator, ma: ModelArts) -> None:
    emulator.clock.freeze()  # so that each look finds one more line, however long it takes
    emulator.plans.add(log=[f"@{second} step {second}" for second in range(10)])
    job = ma.jobs.submit(job_body("digits"))
    for number, moment in enumerate(("before", "after", "body")):
        emulator.faults.add(kind="drop", moment=moment, after=2 * number, count=1, operations=[SHOW])
        preview = ["showTrainingJobLogsPreview"]
        emulator.faults.add(kind="drop", moment=moment, after=2 * number + 1, count=1, operations=preview)

    lines = list(ma.jobs.get(job).logs(poll=POLL, on_progress=lambda _: emulator.clock.advance(0.9), follow=True))

    assert [line for line in lines if line.startswith("step")] == [f"step {second}" for second in range(10)]
    assert applied(emulator) == [1] * 6
    assert wait(emulator, ma, job).phase == "Completed"


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

    job = ma.jobs.submit(job_body("digits"))

    assert applied(emulator) == [1]
    assert names(ma) == [(job.id, "digits")]
    assert wait(emulator, ma, job).phase == "Completed"


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow one another at once."""

    async def no_pause(*_: object) -> None:
        pass

    monkeypatch.setattr("httpx_retries.Retry.sleep", lambda *_: None)
    monkeypatch.setattr("httpx_retries.Retry.asleep", no_pause)


def test_object_storage_that_always_fails_is_an_error_that_names_the_place_and_leaves_no_half_a_file(
    emulator: Emulator, ma: ModelArts, tmp_path: Path, no_pauses: None
) -> None:
    emulator.faults.add(kind="status", status=503, document="obs", message="Too busy.")

    with pytest.raises(ObsError, match=r"obs://stories/code/.*503") as up:
        ma.obs.upload(tmp_path / "code", "obs://stories/code/")
    with pytest.raises(ObsError, match=r"obs://stories/code/.*503") as down:
        ma.obs.download("obs://stories/code/", tmp_path / "fetched")

    shown = [f"{error.value!r} {error.value}" for error in (up, down)]
    assert [text for text in shown if emulator.identity.secret_key in text] == []
    assert not (tmp_path / "fetched").exists()


@pytest.mark.parametrize(
    ("kind", "phase", "code", "reason"),
    [
        ("preempted", "Failed", 143, "preempted"),
        ("node_lost", "Abnormal", 137, "node"),
        ("out_of_memory", "Failed", 137, "out of memory"),
    ],
)
def test_faults_of_a_job_are_reported_when_it_has_been_waited_for(
    emulator: Emulator, ma: ModelArts, kind: str, phase: str, code: int, reason: str
) -> None:
    job = ma.jobs.submit(job_body("digits"))
    emulator.clock.advance(1)
    emulator.faults.add(job=job.id, kind=kind)

    with pytest.raises(JobFailed, match=" failed" if phase == "Failed" else r" failed \(phase Abnormal\)") as failure:
        wait(emulator, ma, job)

    assert failure.value.exit_codes == {"worker-0": code}
    assert reason in str(failure.value)
    assert failure.value.job.phase == phase


@pytest.mark.parametrize(
    ("operation", "fault"),
    [
        ("PUT", {"kind": "status", "status": 503}),
        ("PUT", {"kind": "drop", "moment": "before"}),
        ("PUT", {"kind": "drop", "moment": "after"}),
        ("GET", {"kind": "status", "status": 503}),
        ("GET", {"kind": "html", "status": 502}),
        ("GET", {"kind": "drop", "moment": "before"}),
        ("GET", {"kind": "drop", "moment": "body"}),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.get("moment", value.get("status"))),
)
def test_files_come_through_although_object_storage_fails_now_and_then(
    emulator: Emulator, environment: dict[str, str], tmp_path: Path, operation: str, fault: dict[str, Any]
) -> None:
    """Buckets that are made, code that is uploaded, outputs that are fetched."""
    source = tmp_path / "source"
    source.mkdir()
    for number in range(4):
        (source / f"{number}.bin").write_bytes(random.Random(number).randbytes(300_000))
    for after in (0, 2, 4):
        emulator.faults.add(document="obs", operations=[operation], after=after, count=1, **fault)

    with ModelArts() as ma:
        ma.obs.create_bucket("stories")
        ma.obs.upload(source, "obs://stories/files/")
        ma.obs.download("obs://stories/files/", tmp_path / "fetched")

    assert sum(applied(emulator)) >= 2
    fetched = {path.name: path.read_bytes() for path in (tmp_path / "fetched").iterdir()}
    assert fetched == {path.name: path.read_bytes() for path in source.iterdir()}


@pytest.mark.parametrize("moment", ["after", "body"])
@pytest.mark.parametrize("after", [0, 1], ids=["the begin of an upload", "its end"])
def test_large_files_come_through_although_a_response_is_lost(
    emulator: Emulator, environment: dict[str, str], tmp_path: Path, after: int, moment: str
) -> None:
    content = random.Random(1).randbytes(PART + 1)
    (tmp_path / "large").write_bytes(content)
    emulator.faults.add(kind="drop", moment=moment, document="obs", operations=["POST"], after=after, count=1)

    with ModelArts() as ma:
        ma.obs.create_bucket("stories")
        ma.obs.upload(tmp_path / "large", "obs://stories/large")
        stored = (emulator.data_dir / "objects" / "stories" / "large").read_bytes()

    assert stored == content
    assert applied(emulator) == [1]
