"""Visualization jobs on a clock that stands: every status, every documented error, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.v1.conftest import VisualizationJobs

from modelarts_emulator.server import Emulator

RUNNING, COMPLETED, KILLED = 8, 10, 12
HOUR_S = 3600
QUOTA = 12


class Jobs(VisualizationJobs):
    """The visualization jobs of a project, on a clock that stands until it is moved."""

    def __init__(self, api: Any) -> None:
        super().__init__(api)
        self.clock = api.emulator.clock
        self.clock.freeze()

    def status(self, job_id: int) -> int:
        return int(self.show(job_id)["status"])

    def running(self, **members: Any) -> int:
        job_id = self.create(**members)
        self.clock.advance(0)
        return job_id

    def ended(self) -> int:
        job_id = self.running()
        assert self.call("POST", f"/{job_id}/stop").json() == {"is_success": True}
        self.clock.advance(0)
        return job_id

    def rejection(self, method: str, path: str = "", **given: Any) -> tuple[int, str, str]:
        response = self.call(method, path, **given)
        body = response.json()
        assert body["is_success"] is False
        return response.status_code, body["error_code"], body["error_message"]


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory, new_database: Any) -> Iterator[Emulator]:
    options: dict[str, Any] = {"database_url": new_database(), "max_jobs": QUOTA}
    folder = tmp_path_factory.mktemp("emulator") / "data"
    with Emulator(folder, executor="simulated", check_responses=True, **options) as running:
        yield running


@pytest.fixture
def jobs(emulator: Emulator, log_in: Any) -> Jobs:
    """No job at first."""
    emulator.reset()
    return Jobs(log_in(emulator))


def test_the_list_shows_a_job_as_its_details_do(jobs: Jobs) -> None:
    """Also one of MindInsight, which a simulated tool can be; two fields are those of the details alone."""
    job_id = jobs.running(job_type="MindInsight")
    shown = jobs.show(job_id)

    assert (shown.pop("is_success"), shown.pop("remaining_duration")) == (True, None)
    assert jobs.call("GET").json()["jobs"] == [shown]


def test_the_duration_counts_only_the_time_in_which_the_tool_served(jobs: Jobs) -> None:
    job_id = jobs.running()
    jobs.clock.advance(10)
    jobs.call("POST", f"/{job_id}/stop")
    jobs.clock.advance(100)
    first = jobs.show(job_id)["duration"]
    jobs.call("POST", f"/{job_id}/restart")
    jobs.clock.advance(5)

    assert first == 10_000
    assert jobs.show(job_id)["duration"] == first + 5000


def test_a_schedule_stops_the_job_after_its_hours(jobs: Jobs) -> None:
    """The table has one schedule, the example a list of one; a restarted job has all its hours again."""
    schedule = {"type": "stop", "time_unit": "HOURS", "duration": 2}
    for given in (schedule, [schedule]):
        job_id = jobs.running(schedule=given)
        for run in range(2):
            jobs.clock.advance(2 * HOUR_S - 1)
            assert jobs.status(job_id) == RUNNING, (given, run)
            jobs.clock.advance(1)
            assert jobs.status(job_id) == COMPLETED, (given, run)
            jobs.call("POST", f"/{job_id}/restart")
            jobs.clock.advance(0)


def test_a_job_that_runs_can_be_deleted_and_its_id_is_never_used_again(jobs: Jobs) -> None:
    job_id = jobs.running(job_name="once")

    assert jobs.call("DELETE", f"/{job_id}").json() == {"is_success": True}

    assert jobs.rejection("DELETE", f"/{job_id}")[:2] == (400, "ModelArts.0105")
    assert jobs.create(job_name="once") > job_id


def test_what_a_status_does_not_allow_is_rejected_in_the_documented_words(jobs: Jobs) -> None:
    def check(status: int, **words: str) -> None:
        """Each action is rejected with this word."""
        assert jobs.status(job_id) == status
        for action, word in words.items():
            method, path = ("DELETE", "") if action == "delete" else ("POST", f"/{action}")
            said = f"This job can't be {word}. job status: {status}"
            assert jobs.rejection(method, f"/{job_id}{path}") == (400, "ModelArts.0105", said), action

    job_id = jobs.create(schedule={"type": "stop", "time_unit": "HOURS", "duration": 1})
    jobs.clock.advance(0)
    check(RUNNING, restart="resubmit")
    jobs.clock.advance(HOUR_S)
    check(COMPLETED, stop="stop")
    jobs.call("POST", f"/{job_id}/restart")
    jobs.clock.advance(0)
    jobs.call("POST", f"/{job_id}/stop")
    jobs.clock.advance(0)
    check(KILLED, stop="stop")


def test_a_job_that_does_not_exist_is_rejected(jobs: Jobs) -> None:
    for job_id in (0, 999_999, 2**63 - 1, -1):
        assert jobs.rejection("GET", f"/{job_id}")[:2] == (400, "ModelArts.0105"), job_id
        assert jobs.rejection("PUT", f"/{job_id}", json={"job_desc": ""})[:2] == (400, "ModelArts.0105"), job_id
        assert jobs.rejection("DELETE", f"/{job_id}")[:2] == (400, "ModelArts.0105"), job_id


def test_more_jobs_than_the_quota_are_rejected(jobs: Jobs) -> None:
    for _ in range(QUOTA):
        jobs.create()

    assert jobs.rejection("POST", json=jobs.body())[:2] == (400, "ModelArts.0118")
    shown = jobs.call("GET").json()
    assert (shown["job_total_count"], shown["quotas"], shown["job_count_limit"]) == (QUOTA, QUOTA, 0)


def test_a_wrong_member_is_rejected_by_its_name(jobs: Jobs) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"job_name": "x" * 21}, "job_name"),
        ({"job_name": "no blanks"}, "job_name"),
        ({"job_desc": "x" * 257}, "job_desc"),
        ({"job_type": "grafana"}, "'grafana' is not a visualization tool: use TensorBoard"),
        ({"train_url": "https://example.com/"}, "train_url"),
        ({"train_url": "/no-such-bucket/logs/"}, "bucket no-such-bucket does not exist"),
        ({"train_url": "/cnnorth4-job-test-v2/a/../../b/"}, "train_url"),
        ({"schedule": {"type": "stop", "time_unit": "HOURS", "duration": 25}}, "schedule"),
        ({"schedule": {"type": "start", "time_unit": "HOURS", "duration": 1}}, "schedule"),
        ({"flavor": {"code": "no.such.size"}}, "specification no.such.size does not exist"),
        ({"colour": "red"}, "colour"),
    ]
    for members, said in cases:
        status, code, message = jobs.rejection("POST", json=jobs.body(**members))

        assert (status, code) == (400, "ModelArts.0104"), members
        assert said in message, members


def test_lists_are_filtered_sorted_and_come_in_pages(jobs: Jobs) -> None:
    running = [jobs.running(job_name=f"run_{name}", job_desc=name) for name in "cab"]
    ended = jobs.ended()
    new = jobs.running(job_name="new-1", schedule={"type": "stop", "time_unit": "HOURS", "duration": 1})
    jobs.clock.advance(HOUR_S)

    def found(**query: Any) -> list[int]:
        return [job["job_id"] for job in jobs.call("GET", params=query).json()["jobs"]]

    assert found() == [*running, ended, new]
    assert found(order="desc") == [new, ended, *running[::-1]]
    assert found(sortBy="job_name", search_content="RUN_") == [running[1], running[2], running[0]]
    assert found(sortBy="job_desc", search_content="run_") == [running[1], running[2], running[0]]
    assert found(sortBy="create_time", order="desc")[0] == new
    assert found(sortBy="status") == [*running, new, ended]
    assert found(status="8") == running
    assert found(status="10,12") == [ended, new]
    assert found(status="22") == []
    assert found(search_content="%") == []
    assert found(per_page=2, page=2) == [running[2], ended]
    assert found(per_page=2, page=9) == []
    assert jobs.call("GET", params={"per_page": 1, "status": "8"}).json()["job_total_count"] == 3
    assert jobs.rejection("GET", params={"status": "running"})[:2] == (400, "ModelArts.0104")
    assert jobs.rejection("GET", params={"workspace_id": "7"})[:2] == (400, "ModelArts.0104")


def test_jobs_that_ran_run_again_after_the_emulator_has_stopped(tmp_path: Path, log_in: Any) -> None:
    """Names, descriptions and durations are kept as well."""
    with Emulator(tmp_path / "data", executor="simulated") as emulator:
        jobs = Jobs(log_in(emulator))
        job_id, ended = jobs.running(), jobs.ended()
        before = jobs.show(job_id), jobs.show(ended)

    with Emulator(tmp_path / "data", executor="simulated", check_responses=True) as emulator:
        jobs = Jobs(log_in(emulator))
        jobs.clock.advance(1)
        after = jobs.show(job_id), jobs.show(ended)

    assert after[1] == before[1]
    assert after[0]["service_url"]
    assert after[0]["duration"] > before[0]["duration"]
    changing = dict.fromkeys(("duration", "service_url"))
    assert {**before[0], **changing} == {**after[0], **changing}
