"""The stages of a job: what each of its attempts waited, prepared and ran."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.emulator.conftest import Api, serve
from tests.emulator.v2.conftest import changed

FLAVOR = "modelarts.vm.cpu.8u"
ENDS = st.sampled_from(["completes", "fails", "is stopped"])


@pytest.fixture(scope="module")
def simulated() -> Iterator[Api]:
    """A client of an emulator whose clock stands still."""
    with serve(executor="simulated", check_responses=True, token_lifetime=10**9) as api:
        api.http.post("/_emulator/clock", json={"freeze": True})
        yield api


def advance(api: Api, seconds: int) -> float:
    """Move the clock of the emulator; returns the time before, in seconds."""
    before = api.http.get("/_emulator/clock").json()["now"]
    api.http.post("/_emulator/clock", json={"advance": seconds})
    return float(before)


def act(api: Api, job_id: str, action: str) -> Any:
    return api.call("POST", f"/training-jobs/{job_id}/actions", json={"action_type": action}).raise_for_status().json()


def seconds(stage: Any, name: str) -> float:
    return datetime.fromisoformat(stage[name]).timestamp()


@settings(max_examples=10)
@given(runs=st.lists(st.tuples(st.integers(1, 10_000), ENDS), min_size=2, max_size=3))
def test_the_stages_of_a_restarted_job_are_those_of_its_attempts(
    simulated: Api, runs: Sequence[tuple[int, str]]
) -> None:
    """In the time between its end and its restart a job neither waits nor prepares."""
    api, job_id = simulated, ""
    spans: list[tuple[float, float]] = []
    for idle, end in runs:
        api.emulator.plans.clear()
        api.emulator.plans.add(job="*", duration=20, exit_code=int(end == "fails"), log=["hello"])
        job = act(api, job_id, "restart") if job_id else api.create_job()
        job_id = job["metadata"]["id"]
        began = advance(api, 15)
        assert not spans or job["status"]["node_count_metrics"][-1] == [round(began * 1000), 0], job
        if end == "is stopped":
            act(api, job_id, "terminate")
        api.http.post("/_emulator/clock", json={"advance": 100})
        assert api.phase_of(job_id) in ("Completed", "Failed", "Terminated"), end
        spans.append((began, advance(api, idle)))

    records = api.call("GET", f"/training-jobs/{job_id}/stages").json()["running_records"]
    counts = [task["schedule_count"] for task in api.call("GET", f"/training-jobs/{job_id}/tasks").json()]
    assert counts == [*range(1, len(records) + 1)] == [*range(1, len(runs) + 1)]
    for record, (began, ended) in zip(records, spans, strict=True):
        found = {stage["name"]: stage for stage in record["stages"]}
        assert list(found) == ["scheduling", "preparing", "running", "end"], record
        assert seconds(found["scheduling"], "start_time") == int(began), record
        assert seconds(found["running"], "end_time") <= ended, record
        starts = [seconds(stage, "start_time") for stage in record["stages"]]
        assert starts[1:] == [seconds(stage, "end_time") for stage in record["stages"]][:-1], record
        assert starts == sorted(starts), record
        steps = [step["name"] for step in found["end"]["sub_stages"]]
        assert not [step for step in steps if "start" in step], record


def test_a_job_that_waits_says_why_as_it_is_now_and_not_as_it_was_when_it_was_submitted() -> None:
    """In the words of the queue; its event stays what it was."""
    with serve(executor="simulated", max_running_jobs=2, capacity={FLAVOR: 4}, check_responses=True) as api:
        api.http.post("/_emulator/clock", json={"freeze": True})
        first = ""
        for name, nodes, lasts in (("wide", 3, 50), ("narrow", 1, 500), ("waiting", 4, 1)):
            api.emulator.plans.add(job=name, duration=lasts, preparation=5)
            body = changed(api.job_body(), "metadata.name", name)
            found = api.create_job(changed(body, "spec.resource", {"flavor_id": FLAVOR, "node_count": nodes}))
            first = first or found["metadata"]["id"]
        job_id, reasons = found["metadata"]["id"], []
        advance(api, 1)
        (record,) = api.call("GET", f"/training-jobs/{first}/stages").json()["running_records"]
        assert record["stages"][-1]["en_message"] == "The job has its nodes and is being started."
        for _ in range(2):
            advance(api, 40)
            (record,) = api.call("GET", f"/training-jobs/{job_id}/stages").json()["running_records"]
            queue = api.http.get("/_emulator/queue").json()
            reasons.append(record["stages"][-1]["en_message"])
            (waiting,) = queue["waiting"]
            assert reasons[-1] == f"The job waits for resources: {waiting['reason']}.", queue
            assert (waiting["job_id"], waiting["place"]) == (job_id, 1), queue
            assert sum(queue["held"].values()) == queue["used"][FLAVOR], queue

        assert [reason.partition(": ")[2] for reason in reasons] == [
            "as many jobs run as may run at once (2).",
            f"it needs 4 nodes; of 4 nodes of flavor {FLAVOR}, 3 are free.",
        ]
        assert "as many jobs run as may run at once" in api.messages(job_id)[-1]
