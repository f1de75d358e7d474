"""Waiting for a phase or a stage of a job, not for its end."""

from typing import Any

import httpx
import pytest

from modelarts_toolkit import Job, JobFailed, Jobs, ModelArts, WaitTimeout
from modelarts_toolkit.jobs.polling import Clock

ID = "425b7087-83de-49ab-b8c0-4ac3d7bb76a0"


def job(phases: list[str], stages: list[str] | None = None) -> Job:
    """A job of which each request finds the next of the phases and stages, the last ones for ever."""

    def respond(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/stages"):
            if stages is None:
                return httpx.Response(404, json={"error_code": "APIG.0101"})
            name = stages.pop(0) if len(stages) > 1 else stages[0]
            return httpx.Response(200, json={"running_records": [{"stages": [{"name": name, "stage_order": 1}]}]})
        if request.url.path.endswith("/logs/preview"):
            return httpx.Response(204)
        phase = phases.pop(0) if len(phases) > 1 else phases[0]
        document: Any = {"metadata": {"id": ID, "name": "digits"}, "status": {"phase": phase, "tasks": ["worker-0"]}}
        return httpx.Response(200, json=document)

    seconds = 0.0

    def sleep(duration: float) -> None:
        nonlocal seconds
        seconds += duration

    transport = httpx.MockTransport(respond)
    ma = ModelArts(endpoint="https://x.example.com", project_id="p", token="t", transport=transport)
    return Jobs(ma, clock=Clock(lambda: seconds, sleep)).get(ID)


@pytest.mark.parametrize(
    ("until", "phases", "reached"),
    [
        ("Running", ["Creating", "Pending", "Running", "Completed"], "Running"),
        ("Pending", ["Creating", "Running", "Completed"], "Running"),
        ("Running", ["Pending", "Completed"], "Completed"),
        ("Failed", ["Running", "Failed"], "Failed"),
        ("preparing", ["Pending", "Running", "Completed"], "Running"),
    ],
)
def test_a_wait_ends_in_the_phase_or_after_it(until: str, phases: list[str], reached: str) -> None:
    """Without stages, a job has passed all of them when it runs."""
    assert job(phases).wait(until=until).phase == reached


def test_a_wait_ends_in_a_stage_before_the_job_runs() -> None:
    waiting = job(["Pending", "Pending", "Pending", "Running"], ["scheduling", "preparing"])

    assert waiting.wait(until="preparing").phase == "Pending"


def test_a_job_that_fails_before_raises_as_any_wait_does() -> None:
    with pytest.raises(JobFailed):
        job(["Pending", "Failed"]).wait(until="Running")
    with pytest.raises(WaitTimeout, match="has completed: it will not be Failed"):
        job(["Running", "Completed"]).wait(until="Failed")
    with pytest.raises(WaitTimeout, match="timed out after 5 s"):
        job(["Pending"]).wait(until="Running", timeout=5)


def test_another_word_is_rejected_before_the_wait() -> None:
    with pytest.raises(ValueError, match=r"no phase or stage 'Runing': use Creating, .*, preparing"):
        job(["Pending"]).wait(until="Runing")
