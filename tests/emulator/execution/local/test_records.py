"""Records on disk, also those that a script has altered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.protocol import Channel, FailureKind, JobSpec, TaskEvent, spec_from_json, spec_to_json


def test_a_specification_survives_being_written_down(tmp_path: Path) -> None:
    job = JobSpec(
        job_id="1",
        name="job",
        node_count=2,
        code_dir="/b/c/",
        boot_file="/b/c/x.py",
        parameters=(("a", "1"), ("a", "2")),
        inputs=(Channel("in", "/b/in/", "/home/x"),),
        outputs=(Channel("out", "/b/out/"),),
        environments={"ü": "ö"},
        service_environments={},
    )
    records.write(tmp_path / "spec.json", spec_to_json(job))

    assert spec_from_json(records.read(tmp_path / "spec.json") or {}) == job


def test_the_first_end_stands(tmp_path: Path) -> None:
    place = records.TaskPlace(tmp_path, "1", 0, "worker-0")
    place.folder.mkdir(parents=True)
    first = records.Exit(1.0, 2.0, 0, None)
    records.write_exit(place, first)

    assert not records.write_exit(place, records.Exit(None, 3.0, 137, "later"))
    assert records.read_exit(place) == first


def test_an_attempt_exists_from_its_specification_on(tmp_path: Path) -> None:
    places = [records.TaskPlace(tmp_path, "1", attempt, "worker-0") for attempt in (0, 9, 10)]
    assert records.newest_attempt(tmp_path, "1") is None
    for place in places:
        place.folder.mkdir(parents=True)
    for place in places[:2]:
        records.write(place.spec, {})

    assert records.newest_attempt(tmp_path, "1") == places[1]


# Records that a script writes: what reads them must get values that a database row and a response can hold.
NUMBERS = st.sampled_from([0, 1, 255, 256, -1, 1.5, 1e30, -1e30, 10**400, 2**63, 4_102_444_801, float("nan"), True])
TEXTS = st.text("aé漢\udcff\0\n", max_size=9) | st.sampled_from(["hung", "node_lost", "K8S", "Error", "x" * 20_000])
VALUES: st.SearchStrategy[Any] = (
    NUMBERS | TEXTS | st.sampled_from([None, [], {}, [[]], {"pid": 1, "start_id": 2}, {"node_count": 1e9}])
)
QUICK = settings(max_examples=60, deadline=None)


def _records(*names: str) -> st.SearchStrategy[bytes]:
    members = st.fixed_dictionaries({}, optional=dict.fromkeys(names, TEXTS))
    return members.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=50)


def _assert_storable(text: str | None) -> None:
    assert len((text or "").encode()) <= 4 * records.MAX_MESSAGE + 10


def _assert_sane(time_s: float | None) -> None:
    assert time_s is None or 0 <= time_s <= records.LATEST_S


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> records.TaskPlace:
    place = records.TaskPlace(tmp_path_factory.mktemp("jobs"), "1", 0, "worker-0")
    place.folder.mkdir(parents=True)
    return place


@QUICK
@given(content=_records("started_at", "ended_at", "exit_code", "message", "failure"))
def test_any_exit_record_is_an_end_that_can_be_stored(place: records.TaskPlace, content: bytes) -> None:
    place.exit.write_bytes(content)
    end = records.read_exit(place)

    assert end is not None
    assert 0 <= end.exit_code <= 255
    _assert_storable(end.message)
    _assert_sane(end.ended_at)
    assert end.started_at is None or 0 <= end.started_at <= end.ended_at
    assert end.failure in (None, *get_args(FailureKind))


@QUICK
@given(message=st.none() | TEXTS, times=st.tuples(NUMBERS, NUMBERS), code=st.integers(-5, 300))
def test_what_is_written_of_an_end_is_what_is_read(
    place: records.TaskPlace, message: str | None, times: tuple[float, float], code: int
) -> None:
    """Also when a message names files that are not UTF-8."""
    place.exit.unlink(missing_ok=True)
    records.write_exit(place, records.Exit(times[0], times[1], code, message))
    written = json.loads(place.exit.read_bytes())

    _assert_storable(written["message"])
    assert records.read_exit(place) == records.Exit(**written)


@QUICK
@given(content=_records("pid", "start_id", "started_at", "process", "kind"))
def test_any_other_record_can_be_read(place: records.TaskPlace, content: bytes) -> None:
    for path in (place.claim, place.process, place.failure, place.spec):
        path.write_bytes(content)
    claim, start = records.read_claim(place), records.read_start(place)

    assert claim is not None
    claim.is_alive()
    assert start is not None
    _assert_sane(start.started_at)
    assert records.read_failure(place) in (None, *get_args(FailureKind))
    assert records.read_spec(place) is None


@QUICK
@given(lines=st.lists(_records("time", "message", "source", "level"), max_size=5))
def test_any_events_can_be_read_and_are_read_once(place: records.TaskPlace, lines: list[bytes]) -> None:
    records.add_event(place, TaskEvent(1.0, "first"))
    size = place.events.stat().st_size
    with place.events.open("ab") as stream:
        stream.write(b"\n".join([*lines, b"begun"]))
    offset, events = records.read_new_events(place, 0)
    place.events.unlink()

    assert events[0] == TaskEvent(1.0, "first")
    assert size <= offset
    for event in events:
        _assert_storable(event.message)
        _assert_sane(event.time)
        assert (event.source in ("K8S", "Task"), event.level in ("Info", "Warning", "Error")) == (True, True)


def test_events_without_end_are_read_up_to_a_limit(place: records.TaskPlace) -> None:
    """A script that appends to the record fills neither memory nor events."""
    with place.events.open("wb") as stream:
        for _ in range(5):
            stream.write(b'{"time": 1, "message": "' + b"x" * records.MAX_EVENTS_BYTES + b'"}\n')

    assert records.read_new_events(place, 0) == (0, [])
    place.events.unlink()
