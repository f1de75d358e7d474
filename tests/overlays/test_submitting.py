"""Creating a job at most once, although responses get lost."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.overlays.conftest import VirtualTime

from modelarts_api.client import Client
from modelarts_api.v2 import Api, AsyncApi
from modelarts_api.v2.models import CreateTrainingJobRequest
from modelarts_toolkit.errors import ApiError, Conflict, ConnectionFailed, ServiceFailure
from modelarts_toolkit.flows import run, run_async
from modelarts_toolkit.submitting import submitting
from modelarts_toolkit.transport import ServiceTime

BODY = {
    "kind": "job",
    "metadata": {"name": "digits", "description": "mine"},
    "algorithm": {
        "id": "2e5451fe-913f-4ff3-8c2c-f4b6e1f7ca8d",
        "code_dir": "/bucket/code/",
        "boot_file": "/bucket/code/train.py",
        "command": "python train.py",
    },
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
}
TAKEN = {"error_code": "ModelArts.2751", "error_msg": "duplicate training job name."}

# What a creation does: whether the job comes into being, and what the client hears of it.
Attempt = tuple[bool, int | type[Exception]]


class Jobs:
    """The jobs of a project, whose creations go as a test says."""

    def __init__(self, attempts: list[Attempt]) -> None:
        self.jobs: list[dict[str, Any]] = []
        self.attempts = attempts
        self.seconds_ahead = 0.0
        self.searches_fail = 0
        self.posts = 0
        self.intruder: dict[str, Any] | None = None  # a job that turns up after our first attempt

    def add(self, **changes: Any) -> None:
        metadata = {"id": f"job-{len(self.jobs)}", "create_time": int((time.time() + self.seconds_ahead) * 1000)}
        job = json.loads(json.dumps(BODY)) | changes
        self.jobs.append(job | {"metadata": job["metadata"] | metadata | changes.get("metadata", {})})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/training-job-searches"):
            if self.searches_fail:
                self.searches_fail -= 1
                return httpx.Response(503)
            if self.intruder is not None and not self.jobs:
                self.add(**self.intruder)
            wanted = json.loads(request.content)["filters"][0]["value"][0]
            found = [job for job in self.jobs if wanted in job["metadata"]["name"]]
            return httpx.Response(200, json={"items": found, "total": len(found)})
        self.posts += 1
        if any(job["metadata"]["name"] == "digits" for job in self.jobs):
            return httpx.Response(400, json=TAKEN)
        happens, heard = self.attempts.pop(0) if self.attempts else (True, 201)
        if happens:
            self.add()
        if heard == 201:
            return httpx.Response(201, json=self.jobs[-1])
        if isinstance(heard, int):
            return httpx.Response(heard, json={"error_code": "X", "error_msg": "said no"})
        raise heard("lost")


Submit = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def submit(request: pytest.FixtureRequest, virtual_time: VirtualTime) -> Submit:
    def over(jobs: Jobs, body: Any = BODY) -> Any:
        service_time = ServiceTime()
        date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + jobs.seconds_ahead))
        service_time.listen(httpx.Response(200, headers={"Date": date}))
        client = Client("https://x.example.com", httpx_args={"transport": httpx.MockTransport(jobs)})
        if request.param == "sync":
            with client:
                return run(submitting(Api(client, "p"), body, virtual_time.blocking, service_time))

        async def run_it() -> Any:
            async with client:
                return await run_async(submitting(AsyncApi(client, "p"), body, virtual_time.asyncio, service_time))

        return asyncio.run(run_it())

    return over


def test_an_ordinary_creation_is_one_call(submit: Submit) -> None:
    jobs = Jobs([])

    assert submit(jobs).metadata.id == "job-0"
    assert jobs.posts == 1


def test_a_body_is_given_as_model_or_as_mapping(submit: Submit) -> None:
    assert submit(Jobs([]), CreateTrainingJobRequest.from_dict(BODY)).metadata.name == "digits"


@pytest.mark.parametrize("thing", [None, "job.yaml", [BODY]])
def test_an_invalid_body_is_rejected_by_its_type(submit: Submit, thing: Any) -> None:
    jobs = Jobs([])

    with pytest.raises(TypeError, match=f"a mapping, not by {type(thing).__name__}"):
        submit(jobs, thing)
    assert jobs.posts == 0


@pytest.mark.parametrize("heard", [ConnectionFailed, 502, 503, 504, 500])
def test_a_job_whose_creation_got_no_response_is_found_and_not_created_twice(submit: Submit, heard: Any) -> None:
    jobs = Jobs([(True, heard)])

    assert submit(jobs).metadata.id == "job-0"
    assert (len(jobs.jobs), jobs.posts) == (1, 1)


@pytest.mark.parametrize("heard", [ConnectionFailed, 502, 503, 504])
def test_a_creation_that_did_not_come_through_is_made_good(submit: Submit, heard: Any) -> None:
    jobs = Jobs([(False, heard), (False, heard)])

    assert submit(jobs).metadata.id == "job-0"
    assert jobs.posts == 3


def test_a_failure_of_the_service_that_created_nothing_is_reported(submit: Submit) -> None:
    with pytest.raises(ServiceFailure, match="said no"):
        submit(Jobs([(False, 500)]))


def test_a_rejection_is_reported_at_once(submit: Submit) -> None:
    jobs = Jobs([(False, 400)])

    with pytest.raises(ApiError, match="said no"):
        submit(jobs)

    assert jobs.posts == 1


def test_a_name_that_was_taken_before_is_a_conflict(submit: Submit) -> None:
    jobs = Jobs([])
    jobs.add()

    with pytest.raises(Conflict, match="duplicate training job name"):
        submit(jobs)


@pytest.mark.parametrize("create_time", [1_600_000_000_000, None])
def test_a_job_that_is_older_than_the_first_attempt_is_not_taken_for_ours(
    submit: Submit, create_time: int | None
) -> None:
    """The response was lost, and there is a job of our name and contents that existed before, or has no date."""
    jobs = Jobs([(False, ConnectionFailed)])
    jobs.intruder = {"metadata": {"name": "digits", "description": "mine", "create_time": create_time}}

    with pytest.raises(Conflict):
        submit(jobs)

    assert len(jobs.jobs) == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("kind",), "edge_job"),
        (("metadata", "description"), "theirs"),
        (("algorithm", "id"), "another"),
        (("algorithm", "code_dir"), "/bucket/other/"),
        (("algorithm", "boot_file"), "/bucket/code/other.py"),
        (("algorithm", "command"), "python other.py"),
        (("spec", "resource", "flavor_id"), "modelarts.vm.gpu.8u"),
        (("spec", "resource", "node_count"), 2),
    ],
    ids=lambda value: ".".join(value) if isinstance(value, tuple) else "",
)
def test_a_job_that_differs_in_one_field_is_not_taken_for_ours(
    submit: Submit, path: tuple[str, ...], value: Any
) -> None:
    """The response was lost, and meanwhile somebody else created a job of our name with other contents."""
    theirs = json.loads(json.dumps(BODY))
    *parents, last = path
    part = theirs
    for name in parents:
        part = part[name]
    part[last] = value
    jobs = Jobs([(False, ConnectionFailed)])
    jobs.intruder = theirs

    with pytest.raises(Conflict):
        submit(jobs)

    assert len(jobs.jobs) == 1


def test_a_job_with_a_longer_name_is_not_taken_for_ours(submit: Submit) -> None:
    jobs = Jobs([(False, ConnectionFailed)])
    jobs.add(metadata={"name": "digits-2", "description": "mine"})

    assert submit(jobs).metadata.name == "digits"
    assert len(jobs.jobs) == 2


@pytest.mark.parametrize("seconds_ahead", [-7200.0, 7200.0])
def test_a_clock_that_is_hours_off_does_not_matter(submit: Submit, seconds_ahead: float) -> None:
    jobs = Jobs([(True, ConnectionFailed)])
    jobs.seconds_ahead = seconds_ahead

    assert submit(jobs).metadata.id == "job-0"


def test_nothing_is_created_again_before_it_is_known_what_became_of_the_first(submit: Submit) -> None:
    jobs = Jobs([(True, ConnectionFailed)])
    jobs.searches_fail = 5

    assert submit(jobs).metadata.id == "job-0"
    assert jobs.posts == 1


def test_an_outage_without_end_is_reported(submit: Submit, virtual_time: VirtualTime) -> None:
    with pytest.raises(ConnectionFailed):
        submit(Jobs([(False, ConnectionFailed)] * 100))

    assert 120 < virtual_time.seconds < 140
