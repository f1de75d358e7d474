"""What models of jobs add to their fields: stage, times, a line for a terminal and a table for a notebook."""

import datetime

import pytest

from modelarts_api.v1 import models as v1
from modelarts_api.v2 import models as v2

JOB = {
    "kind": "job",
    "metadata": {"id": "c7519e20-8ad2-4e0a-a0b2-0123456789ab", "name": "digits-1", "create_time": 1_700_000_000_123},
    "status": {"phase": "Completed", "duration": 6_300, "start_time": 1_700_000_001_000},
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.2u", "node_count": 1}},
}


@pytest.mark.parametrize(
    ("phase", "is_terminal"),
    [
        ("Creating", False), ("Pending", False), ("Running", False), ("Terminating", False), ("Later", False),
        ("Completed", True), ("Failed", True), ("Terminated", True), ("Abnormal", True), (None, False),
    ],
)  # fmt: skip
def test_a_status_knows_whether_its_phase_is_terminal(phase, is_terminal):
    assert v2.JobStatus.from_dict({"phase": phase}).is_terminal is is_terminal


@pytest.mark.parametrize(
    ("status", "name", "is_terminal"),
    [
        (8, "JOBSTAT_RUNNING", False),
        (10, "JOBSTAT_COMPLETED", True),
        ("10", "JOBSTAT_COMPLETED", True),
        (99, "99", False),
        ("odd", "odd", False),
    ],
)
def test_a_status_number_has_a_name(status, name, is_terminal):
    version = v1.TrainingJobVersion.from_dict({"status": status})

    assert (version.status_name, version.is_terminal) == (name, is_terminal)


def test_times_are_datetimes_with_their_zone():
    job = v2.TrainingJob.from_dict(JOB)

    assert job.metadata.created_at == datetime.datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=datetime.UTC)
    assert job.status.started_at == datetime.datetime(2023, 11, 14, 22, 13, 21, tzinfo=datetime.UTC)
    assert job.status.running_time == datetime.timedelta(seconds=6.3)


def test_a_job_shows_itself_in_a_line():
    job = v2.TrainingJob.from_dict(JOB)

    assert str(job) == "digits-1 c7519e20 Completed 6.3 s"
    assert repr(job) == "<TrainingJob digits-1 c7519e20 Completed 6.3 s>"


def test_a_list_of_jobs_is_a_table_in_a_notebook():
    odd = {**JOB, "metadata": {"name": "<b>&"}}
    html = v2.TrainingJobList.from_dict({"items": [JOB, odd]})._repr_html_()

    assert html.count("<tr>") == 3
    assert "<td>digits-1</td>" in html
    assert "<td>&lt;b&gt;&amp;</td>" in html
    assert "2023-11-14 22:13:20 UTC" in html
