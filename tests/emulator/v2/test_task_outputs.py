"""What is known of a job's tasks: logs, metrics and events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import delete
from tests.emulator.conftest import rejected, serve

from modelarts_emulator.engine import events, tables
from modelarts_emulator.engine.database import open_database
from modelarts_emulator.engine.events import Event
from modelarts_emulator.execution.protocol import TaskReport
from modelarts_toolkit.auth.access_keys import AkSkAuth


@pytest.fixture
def running(staged: Any, puppet: Any) -> tuple[str, Any]:
    """A running job and its empty log file."""
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    log = puppet.log_file(job_id, "worker-0")
    log.write_bytes(b"")
    puppet.report(job_id, TaskReport("worker-0", "running", started_at=1000.0))
    staged.wait_for_phase(job_id, "Running")
    return job_id, log


def logs(api: Any, job_id: str, what: str = "preview", task: str = "worker-0", **more: Any) -> httpx.Response:
    response: httpx.Response = api.call("GET", f"/training-jobs/{job_id}/tasks/{task}/logs/{what}", **more)
    return response


def test_another_task_than_those_of_the_job_is_rejected_naming_them(staged: Any, running: Any) -> None:
    job_id, _ = running
    for what in ("preview", "url"):
        response = logs(staged, job_id, what, task="work-0")
        assert rejected(response) == (400, "ModelArts.2788"), what
        assert "worker-0" in response.json()["error_msg"], what
    metrics = staged.call("GET", f"/training-jobs/{job_id}/metrics/worker-1")
    assert rejected(metrics) == (400, "ModelArts.2788")


def test_a_link_serves_the_log_under_the_type_that_was_asked_for(staged: Any, running: Any) -> None:
    """By a parameter or a header; another type than text and bytes is rejected.

    It works whatever the request was signed with: a token, the user's own keys, and temporary keys.
    """
    job_id, log = running
    log.write_bytes(b"one\n")

    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "application/octet-stream"),
        ({"params": {"Content-Type": "text/plain"}}, "text/plain"),
        ({"headers": {"Content-Type": "text/plain"}}, "text/plain"),
        ({"headers": {"Content-Type": "application/json"}}, "application/octet-stream"),
    ]
    for given, content_type in cases:
        link = logs(staged, job_id, "url", **given).json()["obs_url"]
        assert link.startswith(staged.emulator.obs_endpoint), given
        assert f"modelarts-job-{job_id}-worker-0.log" in link, given
        assert httpx.get(link).headers["Content-Type"].partition(";")[0] == content_type, given
    assert rejected(logs(staged, job_id, "url", headers={"Content-Type": "image/png"})) == (400, "ModelArts.2788")

    user, wanted = staged.identity, {"auth": {"identity": {"methods": ["token"]}}}
    keys = staged.http.post("/v3.0/OS-CREDENTIAL/securitytokens", json=wanted).json()["credential"]
    for signer in (
        AkSkAuth(user.access_key, user.secret_key),
        AkSkAuth(keys["access"], keys["secret"], security_token=keys["securitytoken"]),
    ):
        url = f"{staged.emulator.endpoint}{staged.project}/training-jobs/{job_id}/tasks/worker-0/logs/url"
        assert httpx.get(httpx.get(url, auth=signer).json()["obs_url"]).text == "one\n", signer


def test_a_job_that_is_deleted_while_its_log_is_read_is_not_found(
    staged: Any, running: Any, puppet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the question how long the log is and its reading: no call fails because of that."""
    job_id, log = running
    log.write_bytes(b"one\n")
    link = logs(staged, job_id, "url").json()["obs_url"]

    def delete_first(handle: str, task: str, *_: int) -> bytes:
        staged.call("DELETE", f"/training-jobs/{job_id}")
        raise KeyError(handle)

    monkeypatch.setattr(puppet, "logs", delete_first)
    aom = staged.call("GET", f"/training-jobs/{job_id}/logs/worker-0")
    preview = logs(staged, job_id)

    assert (aom.status_code, aom.json()["content"]) == (200, "")
    assert rejected(preview) == (400, "ModelArts.2775")
    assert httpx.get(link).status_code == 404


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
def example_job(tmp_path_factory: pytest.TempPathFactory, new_puppet: Any) -> Iterator[tuple[Any, str]]:
    """A client, and a job that was made at second 1 and that has six events; it is second 60."""
    now = [1.0]
    folder = tmp_path_factory.mktemp("events")
    options = {"executor": new_puppet(folder), "keep_jobs": True, "clock": lambda: now[0], "token_lifetime": 1e9}
    with serve(folder, check_responses=True, max_running_jobs=1, **options) as api:
        api.create_job()
        job_id = api.create_job()["metadata"]["id"]
        api.wait_for_phase(job_id, "Pending")
        engine = open_database(api.emulator.data_dir / "emulator.db")
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


def test_events_come_in_pages_the_newest_first_and_their_span_is_the_life_of_the_job(example_job: Any) -> None:
    """A language may be asked for, and makes no difference; events of one moment keep their order either way."""
    api, job_id = example_job
    response = api.call("GET", f"/training-jobs/{job_id}/events", headers={"X-Language": "zh-cn"}).json()

    assert [entry["message"] for entry in response.pop("events")] == NEWEST_FIRST
    span = {"start_time": "1970-01-01T00:00:01+00:00", "end_time": "1970-01-01T00:01:00+00:00"}
    assert response == {"total": 6, "limit": 50, "offset": 0, "order": "desc", **span}
    assert ask(example_job, limit=1).json()["events"] == [
        {"time": "1970-01-01T00:00:50+00:00", "level": "Error", "message": "Training job failed.", "source": "Job"}
    ]
    span = ask(example_job, start_time="1669449696964", end_time="1669711991259").json()
    assert (span["start_time"], span["end_time"]) == ("2022-11-26T08:01:36+00:00", "2022-11-29T08:53:11+00:00")
    for order, whole in (("desc", NEWEST_FIRST), ("asc", NEWEST_FIRST[::-1])):
        pages = [messages(example_job, order=order, limit=2, offset=offset) for offset in (0, 2, 4, 6)]
        assert pages == [whole[:2], whole[2:4], whole[4:], []], order
    assert ask(example_job, limit=2, offset=4).json()["total"] == 6


def test_conditions_choose_events(example_job: Any) -> None:
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"level": "Warning"}, ["[worker-0] little room is left."]),
        ({"level": "Info", "source": "Job"}, ["Training job created."]),
        ({"source": "K8S"}, ["[Pod: worker-0] Pulled: 100%_done"]),
        ({"source": "K8s"}, ["[Pod: worker-0] Pulled: 100%_done"]),
        ({"source": "cluster"}, []),
        ({"pattern": "WORKER-1"}, ["[worker-1] training started."]),
        ({"pattern": "0%_d"}, ["[Pod: worker-0] Pulled: 100%_done"]),
        ({"pattern": "1%"}, []),
        ({"pattern": ""}, NEWEST_FIRST),
        ({"start_time": "50000", "end_time": "50000"}, ["Training job failed."]),
        ({"start_time": "0", "end_time": "10000"}, ["Training job created."]),
        ({"start_time": "50001", "end_time": "9" * 30}, []),
        ({"start_time": "20000", "end_time": "10000"}, []),
    ]
    for query, found in cases:
        assert messages(example_job, **query) == found, query
        assert ask(example_job, **query).json()["total"] == len(found), query
    assert messages(example_job, offset=10**30) == []


def test_a_bad_query_is_rejected(example_job: Any) -> None:
    for query in (
        *({"start_time": "1"}, {"end_time": "1"}),
        *({"start_time": "yesterday", "end_time": "1"}, {"start_time": "-1", "end_time": "1"}),
    ):
        assert rejected(ask(example_job, **query)) == (400, "ModelArts.50004000"), query
    others: list[dict[str, Any]] = [
        *({"order": "sideways"}, {"limit": 0}, {"limit": 101}, {"offset": -1}),
        *({"level": "Fatal"}, {"pattern": "x" * 257}),
    ]
    for query in others:
        assert rejected(ask(example_job, **query)) == (400, "ModelArts.2764"), query


def test_a_page_is_found_through_the_index_of_the_job(tmp_path: Path) -> None:
    """However many events other jobs have, a page reads only those of its job."""
    engine = open_database(tmp_path / "emulator.db")
    with engine.connect() as connection:
        query = "SELECT message FROM events WHERE run_id = 'a' AND time BETWEEN 1 AND 2 ORDER BY time DESC, id DESC"
        plan = " ".join(str(row) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}"))
    engine.dispose()

    assert "run_events (run_id=? AND time>? AND time<?)" in plan
    assert "TEMP B-TREE" not in plan


def lines(api: Any, job_id: str, task: str = "worker-0", **query: Any) -> httpx.Response:
    response: httpx.Response = api.call("GET", f"/training-jobs/{job_id}/logs/{task}", params=query)
    return response


def test_a_log_is_read_on_from_a_cursor_in_both_directions(staged: Any, running: Any) -> None:
    job_id, log = running
    empty = lines(staged, job_id).json()
    assert (empty["lines"], empty["content"]) == (0, "")

    log.write_bytes("".join(f"line {number}\n" for number in range(10)).encode() + b"unfinished")
    first = lines(staged, job_id, base_line=empty["end_line"], lines=4).json()
    assert (first["lines"], first["content"]) == (4, "line 0\nline 1\nline 2\nline 3\n")
    rest = lines(staged, job_id, base_line=first["end_line"], lines=500).json()
    assert rest["content"] == "".join(f"line {number}\n" for number in range(4, 10))
    back = lines(staged, job_id, base_line=rest["start_line"], lines=2, order="asc").json()
    assert back["content"] == "line 2\nline 3\n"
    assert lines(staged, job_id, lines=1).json()["content"] == "line 9\n"

    end = int(rest["end_line"])
    assert lines(staged, job_id, base_line=end).json()["lines"] == 0
    wrong = [end + 1000, "first", end - 1000]
    answers = {base_line: rejected(lines(staged, job_id, base_line=base_line)) for base_line in wrong}
    assert answers == dict.fromkeys(wrong, (400, "ModelArts.2788"))
    assert rejected(lines(staged, job_id, task="worker-1")) == (400, "ModelArts.2788")
