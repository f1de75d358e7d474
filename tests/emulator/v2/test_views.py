"""Views: a job as the service returns it."""

from __future__ import annotations

from modelarts_emulator.engine.runs import Run
from modelarts_emulator.v2.jobs import Job
from modelarts_emulator.v2.views import flavor_view, job_view, metrics_view, page_view, status_view


def run(**changes: object) -> Run:
    given = {
        "phase": "Running",
        "secondary_phase": "Running",
        "start_time": 5000,
        "attempt_start": 5000,
        "node_counts": [[4000, 0], [5000, 2]],
    }
    return Run(id="id", project_id="p", node_count=2, create_time=4000, **(given | changes))  # type: ignore[arg-type]


def job() -> Job:
    document = {"metadata": {"id": "id", "name": "n"}, "algorithm": {}, "spec": {"resource": {"node_count": 2}}}
    return Job("id", "p", "u", "n", "job", "", 4000, "", document, run())


def test_members_come_in_the_order_of_the_examples() -> None:
    assert list(job_view(job(), 6000)) == ["kind", "metadata", "status", "algorithm", "spec"]


def test_the_duration_of_a_running_job_grows_and_that_of_an_ended_one_does_not() -> None:
    assert status_view(run(), 7500)["duration"] == 2500
    assert status_view(run(past_duration=1000, attempt_start=0, phase="Completed"), 7500)["duration"] == 1000
    assert status_view(run(attempt_start=0), 7500)["duration"] == 0
    assert status_view(run(), 4999)["duration"] == 0


def test_the_duration_of_a_restarted_job_counts_what_its_attempts_ran_and_not_what_it_waited() -> None:
    assert status_view(run(past_duration=1000, attempt_start=7000), 7500)["duration"] == 1500


def test_the_nodes_of_a_running_job_are_counted_up_to_now() -> None:
    assert status_view(run(), 7500)["node_count_metrics"] == [[4000, 0], [5000, 2], [7500, 2]]
    assert status_view(run(attempt_start=0), 7500)["node_count_metrics"] == [[4000, 0], [5000, 2]]
    assert status_view(run(attempt_start=0, node_counts=[]), 7500)["node_count_metrics"] is None


def test_there_is_a_task_per_node() -> None:
    assert status_view(run(), 7500)["tasks"] == ["worker-0", "worker-1"]


def test_looking_at_a_job_leaves_it_as_it_was() -> None:
    looked_at = job()
    job_view(looked_at, 9999)

    assert looked_at == job()


def test_a_page_counts_its_jobs() -> None:
    page = page_view(7, [job(), job()], {"limit": 2, "offset": 0}, 6000)

    assert (page["total"], page["count"], len(page["items"])) == (7, 2, 2)
    assert page_view(0, [], {"limit": 2}, 6000)["items"] == []


def test_metrics_come_in_the_order_of_the_service_whatever_order_they_were_measured_in() -> None:
    assert [entry["metric"] for entry in metrics_view({"memUsage": [1], "cpuUsage": [2]})["metrics"]] == [
        "cpuUsage",
        "memUsage",
    ]


def test_what_the_catalogue_adds_to_a_flavor_is_not_shown() -> None:
    assert flavor_view({"flavor_id": "x", "pool_only": False, "capacity": 1}) == {"flavor_id": "x"}
