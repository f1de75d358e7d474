"""Searches: filters, order, pages and what is rejected, over HTTP."""

from __future__ import annotations

import calendar
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from tests.emulator.conftest import serve
from tests.emulator.v2.conftest import ALGORITHMS, CREATE, DAY_S, Stage

from modelarts_emulator.execution.protocol import TaskEvent, TaskReport
from modelarts_emulator.http.signatures import Request
from modelarts_emulator.s3 import signing
from modelarts_emulator.storage.errors import AccessDenied

NAMES = ("alpha-1", "alpha_2", "Beta-1", "gamma")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, new_puppet: Any) -> Iterator[Any]:
    """Four jobs, made at 1000, 2000, 3000 and 4000 ms; the first comes from a stored algorithm."""
    now = [1.0]
    folder = tmp_path_factory.mktemp("searches")
    options = {"executor": new_puppet(folder), "keep_jobs": True, "clock": lambda: now[0], "token_lifetime": 1e9}
    with serve(folder, check_responses=True, **options) as api:
        for number, name in enumerate(NAMES, 1):
            now[0] = float(number)
            body = api.job_body()
            if number == 1:
                algorithm = api.algorithm_body(inputs=[], outputs=[])
                algorithm["metadata"]["name"] = "digits-algorithm"
                response = api.call("POST", "/algorithms", json=algorithm).json()
                body = api.job_body(id=response["metadata"]["id"])
            body["metadata"]["name"] = name
            api.create_job(body)
        now[0] = 5.0
        yield api


def search(api: Any, *filters: Any, **body: Any) -> list[str]:
    """The names of the jobs that a search finds, in order."""
    body["filters"] = [dict(zip(("key", "operator", "value"), entry, strict=True)) for entry in filters]
    response = api.call("POST", "/training-job-searches", json=body)
    assert response.status_code == 200, response.text
    return [item["metadata"]["name"] for item in response.json()["items"]]


NEWEST_FIRST = ["gamma", "Beta-1", "alpha_2", "alpha-1"]


def test_filters_restrict_and_blank_values_do_not(filled: Any) -> None:
    cases: list[tuple[list[Any], list[str]]] = [
        ([], NEWEST_FIRST),
        ([("name", "like", ["alpha"])], ["alpha_2", "alpha-1"]),
        ([("name", "like", ["BETA"])], ["Beta-1"]),
        ([("name", "like", ["alpha_"])], ["alpha_2"]),
        ([("name", "like", ["%"])], []),
        ([("name", "like", ["gamma", "Beta"])], ["gamma", "Beta-1"]),
        ([("name", "in", ["gamma", "alpha-1"])], ["gamma", "alpha-1"]),
        ([("name", "not", ["gamma"])], ["Beta-1", "alpha_2", "alpha-1"]),
        ([("create_time", "between", ["2000", "3000"])], ["Beta-1", "alpha_2"]),
        ([("create_time", "between", ["", "2000"])], ["alpha_2", "alpha-1"]),
        ([("create_time", "between", ["3000", ""])], ["gamma", "Beta-1"]),
        ([("create_time", "in", ["4000"])], ["gamma"]),
        ([("algorithm_name", "like", ["digits"])], ["alpha-1"]),
        ([("kind", "in", ["job"])], NEWEST_FIRST),
        ([("kind", "in", ["visualization_job"])], []),
        ([("user_id", "in", ["somebody-else"])], []),
        ([("runtime_type", "in", ["debug"])], []),
        ([("phase", "in", ["Completed"])], []),
        ([("phase", "not", ["Completed"])], NEWEST_FIRST),
        ([("name", "like", ["alpha"]), ("create_time", "between", ["2000", ""])], ["alpha_2"]),
        ([("name", "like", [""]), ("phase", "in", []), ("create_time", "between", ["", ""])], NEWEST_FIRST),
    ]
    for filters, found in cases:
        assert search(filled, *filters) == found, filters


def test_jobs_come_in_order_and_in_pages(filled: Any) -> None:
    cases: tuple[tuple[dict[str, Any], list[str]], ...] = (
        ({"order": "asc"}, NEWEST_FIRST[::-1]),
        ({"sort_by": "name", "order": "asc"}, ["Beta-1", "alpha-1", "alpha_2", "gamma"]),
        ({"limit": 2}, ["gamma", "Beta-1"]),
        ({"limit": 2, "offset": 1}, ["alpha_2", "alpha-1"]),
        ({"limit": 3, "offset": 1}, ["alpha-1"]),
        ({"limit": 2, "offset": 2}, []),
        ({"limit": 50, "offset": 10**30}, []),
        ({"limit": 2.0, "offset": 1.0}, ["alpha_2", "alpha-1"]),
    )
    for body, found in cases:
        assert search(filled, **body) == found, body

    asked = {"limit": 3, "offset": 0, "sort_by": "create_time", "order": "desc", "group_by": ""}
    places = {"workspace_id": "0", "ai_project": "default-ai-project"}
    page = filled.call("POST", "/training-job-searches", json={"limit": 3}).json()
    assert len(page.pop("items")) == 3
    assert page == {"total": 4, "count": 3, **asked, **places}


def test_the_offset_can_be_made_to_count_records(tmp_path: Path) -> None:
    with serve(tmp_path / "records", offset_unit="record", executor="simulated") as api:
        for name in NAMES:
            body = api.job_body()
            body["metadata"]["name"] = name
            api.create_job(body)

        assert search(api, sort_by="name", order="asc", limit=2, offset=1) == ["alpha-1", "alpha_2"]


def test_what_a_search_does_not_support_is_rejected(api: Any) -> None:
    for body, code in (
        ({"filters": [{"operator": "in", "value": ["red"]}]}, 2788),
        ({"filters": [{"key": "create_time", "operator": "like", "value": ["1"]}]}, 2808),
        ({"filters": [{"key": "create_time", "operator": "between", "value": ["1"]}]}, 2809),
        ({"filters": [{"key": "create_time", "operator": "in", "value": ["-1"]}]}, 2809),
        ({"sort_by": "colour"}, 2790),
        ({"order": "upwards"}, 2788),
        ({"group_by": "phase"}, 2788),
    ):
        assert api.rejection(body, "/training-job-searches") == (400, f"ModelArts.{code}"), body


def test_more_conditions_than_a_statement_can_have_are_rejected(filled: Any) -> None:
    """And as many as are allowed are searched for."""
    cases: list[list[dict[str, Any]]] = [
        [{"key": "name", "operator": "in", "value": [str(n) for n in range(401)]}],
        [{"key": "name", "operator": "like", "value": [str(n) for n in range(100_000)]}],
        [{"key": "name", "operator": "like", "value": ["a"]}] * 401,
        [{"key": "name", "operator": "like"}] * 2000,
    ]
    rejections = [filled.rejection({"filters": filters}, "/training-job-searches") for filters in cases]
    assert rejections == [(400, "ModelArts.2809")] * 4

    most = ["gamma"] + [f"no-{n}" for n in range(399)]
    assert search(filled, ("name", "in", most)) == search(filled, ("name", "like", most)) == ["gamma"]
    assert search(filled, *[("name", "like", ["a"])] * 400) == NEWEST_FIRST


def stages(api: Any, job_id: str) -> list[list[tuple[str, bool, list[str]]]]:
    """Of each attempt, the name of each stage, whether it has ended, and its steps."""
    found = api.call("GET", f"/training-jobs/{job_id}/stages").json()
    assert found["total_count"] == len(found["running_records"])
    assert [record["record_order"] for record in found["running_records"]] == [*range(1, found["total_count"] + 1)]
    return [
        [(stage["name"], bool(stage["end_time"]), [step["name"] for step in stage["sub_stages"]]) for stage in given]
        for given in (record["stages"] for record in found["running_records"])
    ]


def report(puppet: Any, api: Any, job_id: str, **given: Any) -> None:
    """The only task reports this, its events being of the first half minute after now."""
    now = api.job(job_id)["metadata"]["create_time"] / 1000
    events = tuple(TaskEvent(now + second, text) for second, text in given.pop("events", {}).items())
    times = {name: now + second for name, second in given.items() if name.endswith("_at")}
    puppet.report(job_id, TaskReport("worker-0", **{**given, **times, "events": events}))


def test_a_job_goes_through_four_stages_with_the_events_of_its_tasks_as_steps(staged: Any, puppet: Any) -> None:
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    assert stages(staged, job_id) == [[("scheduling", False, [])]]

    report(puppet, staged, job_id, state="preparing", events={10: "fetching"})
    staged.eventually(lambda: len(stages(staged, job_id)[0]) == 2)
    assert stages(staged, job_id) == [[("scheduling", True, []), ("preparing", False, ["fetching"])]]

    known = {10: "fetching", 20: "started", 30: "finished"}
    report(puppet, staged, job_id, state="ended", started_at=15, ended_at=25, exit_code=0, events=known)
    staged.wait_for_phase(job_id, "Completed")
    assert stages(staged, job_id) == [
        [("scheduling", True, []), ("preparing", True, ["fetching"]), ("running", True, ["started"]),
         ("end", True, ["finished"])]
    ]  # fmt: skip


def test_a_restarted_job_has_a_record_for_each_attempt(staged: Any, puppet: Any) -> None:
    restarts = {"fault-tolerance/job-retry-num": "1", "fault-tolerance/job-unconditional-retry": "true"}
    job_id = staged.submit(restarts)
    staged.eventually(lambda: job_id in puppet.reports)
    for attempt in (0, 1):
        staged.eventually(lambda wanted=attempt: puppet.attempts[job_id] == wanted)
        report(puppet, staged, job_id, state="ended", started_at=5, ended_at=9, exit_code=1, attempt=attempt)
    staged.wait_for_phase(job_id, "Failed")

    names = [[name for name, _, _ in record] for record in stages(staged, job_id)]
    assert (
        names == [["scheduling", "running", "end"]] * 2 or names == [["scheduling", "preparing", "running", "end"]] * 2
    )
    tasks = staged.call("GET", f"/training-jobs/{job_id}/tasks").json()
    shown = [(task["task"], task["ip"], task["schedule_count"]) for task in tasks]
    assert shown == [("worker-0", "127.0.0.1", 1), ("worker-0", "127.0.0.1", 2)]
    second = staged.call("GET", f"/training-jobs/{job_id}/tasks", params={"schedule_count": 2}).json()
    assert second == tasks[1:]


def test_a_job_that_was_stopped_before_it_started_waited_and_ended(staged: Any, puppet: Any) -> None:
    staged.create_job()
    waiting = staged.create_job()["metadata"]["id"]
    staged.wait_for_phase(waiting, "Pending")
    assert staged.call("GET", f"/training-jobs/{waiting}/tasks").json() == []
    staged.call("POST", f"/training-jobs/{waiting}/actions", json={"action_type": "terminate"})
    staged.wait_for_phase(waiting, "Terminated")

    assert stages(staged, waiting) == [[("scheduling", True, []), ("end", True, [])]]


def test_every_task_of_a_job_on_several_nodes_has_an_address(staged: Any) -> None:
    job_id = staged.submit(resource={"flavor_id": "modelarts.vm.cpu.8u", "node_count": 2})
    tasks = staged.eventually(lambda: staged.call("GET", f"/training-jobs/{job_id}/tasks").json())

    assert [(task["task"], bool(task["ip"])) for task in tasks] == [("worker-0", True), ("worker-1", True)]


MAX_BODY_BYTES = 12 * 1024 * 1024


def variable(stage: Stage, name: int, value: int) -> httpx.Response:
    return stage.create_with(environments={"V" * name: "x" * value})


def channel(stage: Stage, length: int) -> httpx.Response:
    remote = {"obs": {"obs_url": f"/{stage.api.bucket}/pytorch/"}}
    return stage.create_with(inputs=[{"name": "c" * length, "remote": remote}])


def change_description(stage: Stage, length: int) -> httpx.Response:
    path = f"{CREATE}/{stage.api.create_job()['metadata']['id']}"
    response: httpx.Response = stage.api.call("PUT", path, json={"description": "x" * length})
    return response


def search_with_body(stage: Stage, size: int) -> httpx.Response:
    content, headers = b"{}" + b" " * (size - 2), {"Content-Type": "application/json"}
    response: httpx.Response = stage.api.call("POST", "/training-job-searches", content=content, headers=headers)
    return response


def call_after(stage: Stage, seconds: float) -> httpx.Response:
    """A call with a token that was issued this number of seconds ago."""
    token = stage.api.log_in().headers["X-Subject-Token"]
    stage.now[0] += seconds
    response: httpx.Response = stage.api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": token})
    stage.log_in()
    return response


# By what is limited: the request, the last number that is accepted, the next one, and its code.
NUMBERS: dict[str, tuple[Callable[[Stage, int], httpx.Response], int, int, str]] = {
    "name of a job": (lambda s, n: s.create_changed("metadata.name", "n" * n), 64, 65, "ModelArts.2788"),
    "description of a job": (
        lambda s, n: s.create_changed("metadata.description", "x" * n), 256, 257, "ModelArts.2788",
    ),
    "changed description": (change_description, 256, 257, "ModelArts.2788"),
    "name of an algorithm": (lambda s, n: s.declare_changed("metadata.name", "n" * n), 64, 65, "ModelArts.2788"),
    "description of an algorithm": (
        lambda s, n: s.declare_changed("metadata.description", "x" * n), 256, 257, "ModelArts.2788",
    ),
    "name of a variable": (lambda s, n: variable(s, n, 1), 8192, 8193, "ModelArts.2788"),
    "value of a variable": (lambda s, n: variable(s, 1, n), 8192, 8193, "ModelArts.2788"),
    "name of a channel": (channel, 64, 65, "ModelArts.2753"),
    "name of a hyperparameter": (
        lambda s, n: s.create_with(parameters=[{"name": "p" * n, "value": "1"}]), 64, 65, "ModelArts.2788",
    ),
    "hours of auto_stop": (
        lambda s, n: s.create_changed("spec.auto_stop", {"time_unit": "HOURS", "duration": n}), 1, 0, "ModelArts.2788",
    ),
    "fewest nodes": (lambda s, n: s.create_changed("spec.resource.node_count", n), 1, 0, "ModelArts.2788"),
    "most nodes of the flavor": (
        lambda s, n: s.create_changed("spec.resource.node_count", n), 16, 17, "ModelArts.2793",
    ),
    "files of code": (
        lambda s, n: s.create_code(*(f"{number}.txt" for number in range(1, n))), 1000, 1001, "ModelArts.2759",
    ),
    "depth of code": (lambda s, n: s.create_code("d/" * n + "f"), 32, 33, "ModelArts.2760"),
    "bytes of code": (lambda s, n: s.create_code(size=n), 5 * 1024**3, 5 * 1024**3 + 1, "ModelArts.2761"),
    "largest page": (lambda s, n: s.search(limit=n), 50, 51, "ModelArts.2788"),
    "smallest page": (lambda s, n: s.search(limit=n), 1, 0, "ModelArts.2788"),
    "first page": (lambda s, n: s.search(offset=n), 0, -1, "ModelArts.2788"),
    "bytes of a body": (search_with_body, MAX_BODY_BYTES, MAX_BODY_BYTES + 1, "APIG.0201"),
    "seconds that a log is kept": (lambda s, n: s.log_after(n), 30 * DAY_S, 30 * DAY_S + 1, "ModelArts.2819"),
    "seconds that a token is valid": (call_after, DAY_S - 1, DAY_S, "ModelArts.0202"),
}  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
def test_a_documented_number_is_accepted_and_the_next_one_is_not(stage: Stage, number: str) -> None:
    request, inside, outside, code = NUMBERS[number]

    assert request(stage, inside).is_success
    rejected = request(stage, outside)
    assert rejected.is_client_error
    assert rejected.json()["error_code"] == code


def test_a_link_to_a_log_is_good_for_five_minutes(stage: Stage) -> None:
    """The object store checks it against real time, so the check itself is asked here."""
    job_id = stage.running_job()
    stage.puppet.log_file(job_id, "worker-0").write_bytes(b"trained\n")
    url = urlsplit(stage.api.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/url").json()["obs_url"])
    issued = calendar.timegm(time.strptime(parse_qs(url.query)["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ"))
    request = Request("GET", url.path, url.query, [("host", url.netloc)])

    signing.verify(request, [stage.api.identity], issued + 300)

    with pytest.raises(AccessDenied):
        signing.verify(request, [stage.api.identity], issued + 301)


def test_a_list_without_a_limit_has_fifty_entries(stage: Stage) -> None:
    for _ in range(51):
        stage.api.create_job()
        stage.api.create_algorithm()
    job_id = stage.api.create_job()["metadata"]["id"]

    named = stage.search(filters=[{"key": "name", "operator": "like", "value": ["job"]}])
    pages = [stage.search().json(), named.json(), stage.get(ALGORITHMS).json()]
    assert min(page["total"] for page in pages) >= 51
    assert [(page["limit"], page["count"], len(page["items"])) for page in pages] == [(50, 50, 50)] * 3
    other = [f"/training-jobs/{job_id}/{name}" for name in ("events", "autosearch-trials")]
    assert [stage.api.call("GET", path).json()["limit"] for path in other] == [50, 50]
