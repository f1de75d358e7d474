"""Events of a job over HTTP: pages, order, time, filters, and what is rejected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from modelarts_emulator.engine import events, tables
from modelarts_emulator.engine.database import open_database
from modelarts_emulator.engine.events import Event
from modelarts_emulator.server import Emulator

SECOND = 1000
EVENTS = (
    Event("", 10 * SECOND, "Training job created."),
    Event("", 20 * SECOND, "[Pod: worker-0] Pulled: 100%_done", "K8S"),
    Event("", 30 * SECOND, "[worker-0] training started.", "Task"),
    Event("", 30 * SECOND, "[worker-1] training started.", "Task"),
    Event("", 40 * SECOND, "[worker-0] little room is left.", "Task", "Warning"),
    Event("", 50 * SECOND, "Training job failed.", "Job", "Error"),
)


@pytest.fixture(scope="module")
def example_job(tmp_path_factory: pytest.TempPathFactory, log_in: Any, new_puppet: Any) -> Iterator[tuple[Any, str]]:
    """A client, and a job that was made at second 1 and that has six events; it is second 60."""
    now = [1.0]
    folder = tmp_path_factory.mktemp("events")
    options = {"executor": new_puppet(folder), "keep_jobs": True, "clock": lambda: now[0], "token_lifetime": 1e9}
    with Emulator(folder, check_responses=True, max_running_jobs=1, **options) as emulator:
        api = log_in(emulator)
        api.create_job()
        job_id = api.create_job()["metadata"]["id"]
        api.wait_for_phase(job_id, "Pending")
        engine = open_database(emulator.data_dir / "emulator.db")
        with engine.begin() as connection:
            connection.execute(delete(tables.events).where(tables.events.c.run_id == job_id))
            events.add(connection, [Event(job_id, e.time, e.message, e.source, e.level) for e in EVENTS])
        engine.dispose()
        now[0] = 60.0
        yield api, job_id


def ask(example_job: tuple[Any, str], **query: Any) -> Any:
    api, job_id = example_job
    return api.call("GET", f"/training-jobs/{job_id}/events", params=query)


def messages(example_job: tuple[Any, str], **query: Any) -> list[str]:
    response = ask(example_job, **query)
    assert response.status_code == 200, response.text
    return [entry["message"] for entry in response.json()["events"]]


NEWEST_FIRST = [event.message for event in reversed(EVENTS)]


def test_without_conditions_the_newest_event_comes_first_and_the_span_is_the_life_of_the_job(
    example_job: Any,
) -> None:
    response = ask(example_job).json()

    assert [entry["message"] for entry in response.pop("events")] == NEWEST_FIRST
    assert response == {
        "total": 6,
        "limit": 50,
        "offset": 0,
        "order": "desc",
        "start_time": "1970-01-01T00:00:01+00:00",
        "end_time": "1970-01-01T00:01:00+00:00",
    }


def test_an_event_says_when_how_grave_what_and_by_whom(example_job: Any) -> None:
    assert ask(example_job, limit=1).json()["events"] == [
        {"time": "1970-01-01T00:00:50+00:00", "level": "Error", "message": "Training job failed.", "source": "Job"}
    ]


def test_events_of_one_moment_keep_their_order_either_way(example_job: Any) -> None:
    assert messages(example_job, order="asc") == NEWEST_FIRST[::-1]


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_together_are_the_whole_list(example_job: Any, order: str) -> None:
    pages = [messages(example_job, order=order, limit=2, offset=offset) for offset in (0, 2, 4, 6)]

    assert [len(page) for page in pages] == [2, 2, 2, 0]
    assert [message for page in pages for message in page] == messages(example_job, order=order)
    assert ask(example_job, limit=2, offset=4).json()["total"] == 6


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"level": "Warning"}, ["[worker-0] little room is left."]),
        ({"level": "Info", "source": "Job"}, ["Training job created."]),
        ({"source": "K8S"}, ["[Pod: worker-0] Pulled: 100%_done"]),
        ({"source": "K8s"}, ["[Pod: worker-0] Pulled: 100%_done"]),
        ({"pattern": "WORKER-1"}, ["[worker-1] training started."]),
        ({"pattern": "0%_d"}, ["[Pod: worker-0] Pulled: 100%_done"]),
        ({"pattern": "1%"}, []),
        ({"pattern": ""}, NEWEST_FIRST),
        ({"start_time": "50000", "end_time": "50000"}, ["Training job failed."]),
        ({"start_time": "0", "end_time": "10000"}, ["Training job created."]),
        ({"start_time": "50001", "end_time": "9" * 30}, []),
        ({"start_time": "20000", "end_time": "10000"}, []),
        ({"offset": 10**30}, []),
    ],
)
def test_conditions_choose_events(example_job: Any, query: dict[str, Any], found: list[str]) -> None:
    assert messages(example_job, **query) == found
    assert ask(example_job, **query).json()["total"] == (len(found) if "offset" not in query else len(EVENTS))


def test_the_response_has_the_requested_span(example_job: Any) -> None:
    response = ask(example_job, start_time="1669449696964", end_time="1669711991259").json()

    assert (response["start_time"], response["end_time"]) == ("2022-11-26T08:01:36+00:00", "2022-11-29T08:53:11+00:00")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"start_time": "1"}, "ModelArts.50004000"),
        ({"end_time": "1"}, "ModelArts.50004000"),
        ({"start_time": "yesterday", "end_time": "1"}, "ModelArts.50004000"),
        ({"start_time": "-1", "end_time": "1"}, "ModelArts.50004000"),
        ({"order": "sideways"}, "ModelArts.2764"),
        ({"limit": 0}, "ModelArts.2764"),
        ({"limit": 101}, "ModelArts.2764"),
        ({"offset": -1}, "ModelArts.2764"),
        ({"level": "Fatal"}, "ModelArts.2764"),
        ({"source": "cluster"}, "ModelArts.2764"),
        ({"pattern": "x" * 257}, "ModelArts.2764"),
    ],
)
def test_a_bad_query_is_rejected(example_job: Any, query: dict[str, Any], code: str) -> None:
    response = ask(example_job, **query)

    assert (response.status_code, response.json()["error_code"]) == (400, code)
    assert response.json()["error_solution"]


def test_a_language_may_be_asked_for(example_job: Any) -> None:
    api, job_id = example_job

    response = api.call("GET", f"/training-jobs/{job_id}/events", headers={"X-Language": "zh-cn"})

    assert response.json()["total"] == len(EVENTS)


def test_events_of_a_job_that_does_not_exist_are_rejected(example_job: Any) -> None:
    response = example_job[0].call("GET", "/training-jobs/none/events")

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2775")


def test_a_page_is_found_through_the_index_of_the_job(tmp_path: Path) -> None:
    """However many events other jobs have, a page reads only those of its job."""
    engine = open_database(tmp_path / "emulator.db")
    with engine.connect() as connection:
        query = "SELECT message FROM events WHERE run_id = 'a' AND time BETWEEN 1 AND 2 ORDER BY time DESC, id DESC"
        plan = " ".join(str(row) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}"))
    engine.dispose()

    assert "run_events (run_id=? AND time>? AND time<?)" in plan
    assert "TEMP B-TREE" not in plan
