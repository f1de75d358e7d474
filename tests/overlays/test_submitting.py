"""Creating a job at most once, although responses get lost."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from tests.overlays.conftest import CLIENTS, Call, Service, VirtualTime, with_jobs

from modelarts_toolkit.errors import ApiError, Conflict, ConnectionFailed, NotFound, ServiceFailure

BODY: dict[str, Any] = {
    "kind": "job",
    "metadata": {"name": "digits", "description": "mine"},
    "algorithm": {
        "id": "2e5451fe-913f-4ff3-8c2c-f4b6e1f7ca8d",
        "code_dir": "/bucket/code/",
        "boot_file": "/bucket/code/train.py",
        "command": "python train.py",
        "parameters": [{"name": "lr", "value": "0.1"}],
        "inputs": [{"name": "data_url", "remote": {"obs": {"obs_url": "/bucket/data/"}}}],
        "outputs": [
            {"name": "train_url", "description": "models", "remote": {"obs": {"obs_url": "/bucket/mine/"}}},
        ],
        "environments": {"MODE": "fast"},
    },
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}, "auto_stop": {"duration": 2}},
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
        self.searches_lag = 0  # how many do not find new jobs
        self.posts = 0
        self.intruder: dict[str, Any] | None = None  # a job that turns up after our first attempt
        self.longer_names = False  # whether each search finds a job whose name contains the one that is looked for
        self.retry_after: str | None = None

    def add(self, body: Any = BODY, **changes: Any) -> None:
        metadata = {"id": f"job-{len(self.jobs)}", "create_time": int((time.time() + self.seconds_ahead) * 1000)}
        job = json.loads(json.dumps(body)) | changes
        self.jobs.append(job | {"metadata": job["metadata"] | metadata | changes.get("metadata", {})})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/training-job-searches"):
            if self.searches_fail:
                self.searches_fail -= 1
                return httpx.Response(503)
            if self.intruder is not None and not self.jobs:
                self.add(**self.intruder)
            wanted = json.loads(request.content)["filters"][0]["value"][0]
            if self.longer_names:
                self.add(metadata={"name": f"{wanted}-longer"})
            found = [job for job in self.jobs if wanted in job["metadata"]["name"] and not self.searches_lag]
            self.searches_lag = max(0, self.searches_lag - 1)
            return httpx.Response(200, json={"items": found, "total": len(found)})
        self.posts += 1
        body = json.loads(request.content)
        if any(job["metadata"]["name"] == body["metadata"]["name"] for job in self.jobs):
            return httpx.Response(400, json=TAKEN)
        happens, heard = self.attempts.pop(0) if self.attempts else (True, 201)
        if happens:
            self.add(body)
        if heard == 201:
            return httpx.Response(201, json=self.jobs[-1])
        if isinstance(heard, int):
            headers = {"Retry-After": self.retry_after} if self.retry_after else None
            return httpx.Response(heard, json={"error_code": "X", "error_msg": "said no"}, headers=headers)
        raise heard("lost")


Submit = Callable[..., Any]


def changed(body: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """A copy of the body with another value at the path."""
    copy = json.loads(json.dumps(body))
    *parents, last = path
    part = copy
    for name in parents:
        part = part[name]
    part[last] = value
    return copy


@pytest.fixture(params=CLIENTS)
def submit(request: pytest.FixtureRequest, virtual_time: VirtualTime) -> Submit:
    def over(jobs: Jobs, body: Any = BODY, **options: Any) -> Any:
        date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + jobs.seconds_ahead))
        retries = options.pop("retries", None)

        def create(collection: Any) -> Any:
            collection._connection._network.listen(httpx.Response(200, headers={"Date": date}))
            collection._connection.config = replace(collection._connection.config, retries=retries)
            return collection.submit(body, **options)

        return with_jobs(request.param, jobs, virtual_time, create)

    return over


@pytest.mark.parametrize("thing", [None, "job.yaml", [BODY]])
def test_an_invalid_body_is_rejected_by_its_type(submit: Submit, thing: Any) -> None:
    jobs = Jobs([])

    with pytest.raises(TypeError, match=f"a mapping .*, not by {type(thing).__name__}"):
        submit(jobs, thing)
    assert jobs.posts == 0


@pytest.mark.parametrize("heard", [ConnectionFailed, 502, 503, 504, 500])
def test_a_job_whose_creation_got_no_response_is_found_and_not_created_twice(submit: Submit, heard: Any) -> None:
    jobs = Jobs([(True, heard)])

    assert submit(jobs).id == "job-0"
    assert (len(jobs.jobs), jobs.posts) == (1, 1)


def test_a_job_that_searches_find_late_is_found_when_its_name_is_taken(submit: Submit) -> None:
    jobs = Jobs([(True, ConnectionFailed)])
    jobs.searches_lag = 1

    assert submit(jobs).id == "job-0"
    assert (len(jobs.jobs), jobs.posts) == (1, 2)


@pytest.mark.parametrize("heard", [ConnectionFailed, 502, 503, 504])
def test_a_creation_that_did_not_come_through_is_made_good(submit: Submit, heard: Any) -> None:
    jobs = Jobs([(False, heard), (False, heard)])

    assert submit(jobs).id == "job-0"
    assert jobs.posts == 3


def test_a_name_that_was_taken_before_is_a_conflict(submit: Submit) -> None:
    jobs = Jobs([])
    jobs.add()

    with pytest.raises(Conflict, match="duplicate training job name"):
        submit(jobs)


def test_a_unique_name_is_not_mistaken_for_a_longer_one(submit: Submit) -> None:
    """The service's search finds names that contain it; the response of the second attempt is lost as well."""
    jobs = Jobs([(False, ConnectionFailed), (True, ConnectionFailed)])
    jobs.longer_names = True

    created = submit(jobs, unique=True)

    assert not created.name.endswith("-longer")
    assert jobs.posts == 2


def test_a_pause_is_a_minute_at_most_whatever_the_service_asks_for(submit: Submit, virtual_time: VirtualTime) -> None:
    jobs = Jobs([(False, 503)])
    jobs.retry_after = "3600"

    assert submit(jobs).id == "job-0"
    assert virtual_time.sleeps == [60.0]


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
        (("metadata", "description"), "theirs"),
        (("algorithm", "id"), "another"),
        (("algorithm", "command"), None),
        (("spec", "resource", "flavor_id"), "modelarts.vm.gpu.8u"),
        (("spec", "auto_stop", "duration"), 3),
        (("algorithm", "parameters"), [{"name": "lr", "value": "9.9"}]),
        (("algorithm", "parameters"), None),
        (("algorithm", "inputs", 0, "remote", "obs", "obs_url"), "/bucket/other/"),
        (("algorithm", "outputs", 0, "remote", "obs", "obs_url"), "/bucket/theirs/"),
        (("algorithm", "outputs"), None),
        (("algorithm", "environments"), {"MODE": "slow"}),
        (("algorithm", "environments"), None),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_a_job_that_differs_in_one_field_is_not_taken_for_ours(
    submit: Submit, path: tuple[str | int, ...], value: Any
) -> None:
    """The response was lost, and meanwhile somebody else created a job of our name with other contents."""
    jobs = Jobs([(False, ConnectionFailed)])
    jobs.intruder = changed(BODY, path, value)

    with pytest.raises(Conflict):
        submit(jobs)

    assert len(jobs.jobs) == 1


def test_a_job_of_own_code_with_more_hyperparameters_is_not_taken_for_ours(submit: Submit) -> None:
    """Only a stored algorithm adds hyperparameters to those of a request."""
    own_code = changed(BODY, ("algorithm", "id"), None)
    more = [*BODY["algorithm"]["parameters"], {"name": "epochs", "value": "90"}]
    jobs = Jobs([(False, ConnectionFailed)])
    jobs.intruder = changed(own_code, ("algorithm", "parameters"), more)

    with pytest.raises(Conflict):
        submit(jobs, own_code)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "auto_stop"), None),
        (("algorithm", "code_dir"), "obs://bucket/code"),
        (("algorithm", "outputs", 0, "description"), "a placeholder"),
        (("algorithm", "parameters"), [{"name": "epochs", "value": "1"}, {"name": "lr", "value": "0.1"}]),
        (("algorithm", "environments"), [{"MODE": "fast"}, {"ADDED": "by the service"}]),
        (("algorithm", "engine"), {"engine_id": "completed-by-the-service"}),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_our_job_is_found_in_whatever_form_the_service_shows_it(
    submit: Submit, path: tuple[str | int, ...], value: Any
) -> None:
    """Fields may be left out or added, paths written in the other form, defaults of the algorithm filled in."""
    jobs = Jobs([(False, ConnectionFailed)])
    jobs.intruder = changed(BODY, path, value)

    assert submit(jobs).id == "job-0"
    assert jobs.posts == 1


@pytest.mark.parametrize("heard", [404, 409, 429])
def test_a_late_rejection_of_a_job_with_a_unique_name_is_no_error(submit: Submit, heard: int) -> None:
    """A gateway responds for a service that has carried out the request: nobody else can have the random name."""
    jobs = Jobs([(True, heard)])

    assert submit(jobs, unique=True).id == "job-0"
    assert jobs.posts == 1


@pytest.mark.parametrize("heard", [ConnectionFailed, 503, 429])
def test_without_retries_a_creation_is_sent_once(submit: Submit, virtual_time: VirtualTime, heard: Any) -> None:
    jobs = Jobs([(False, heard)] * 9)

    with pytest.raises((ConnectionFailed, ApiError)):
        submit(jobs, retries=0)

    assert (jobs.posts, virtual_time.seconds) == (1, 0)


def test_a_creation_is_sent_again_as_often_as_the_settings_say(
    do: Call, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit holds for the creation and the repetitions below it together."""
    monkeypatch.setattr("modelarts_toolkit.jobs._sync.handles.CREATION_POLL", (0.001, 0.001))
    jobs = Jobs([(False, 429)] * 9)
    service.responses = jobs

    with pytest.raises(ApiError):
        do(lambda ma: ma.jobs.submit(BODY), retries=2)

    assert jobs.posts == 3


@pytest.mark.parametrize("timeout", [0, -1])
def test_a_timeout_that_is_not_positive_is_rejected(submit: Submit, timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout must be a positive number of seconds"):
        submit(Jobs([]), timeout=timeout)


@pytest.mark.parametrize("seconds_ahead", [-7200.0, 7200.0])
def test_a_clock_that_is_hours_off_does_not_matter(submit: Submit, seconds_ahead: float) -> None:
    jobs = Jobs([(True, ConnectionFailed)])
    jobs.seconds_ahead = seconds_ahead

    assert submit(jobs).id == "job-0"


def test_nothing_is_created_again_before_it_is_known_what_became_of_the_first(submit: Submit) -> None:
    jobs = Jobs([(True, ConnectionFailed)])
    jobs.searches_fail = 5

    assert submit(jobs).id == "job-0"
    assert jobs.posts == 1


@pytest.mark.parametrize(("options", "seconds"), [({}, 120), ({"timeout": 7}, 7)])
def test_an_outage_without_end_is_reported_after_the_timeout(
    submit: Submit, virtual_time: VirtualTime, options: dict[str, Any], seconds: float
) -> None:
    with pytest.raises(ConnectionFailed):
        submit(Jobs([(False, ConnectionFailed)] * 100), **options)

    assert virtual_time.seconds == pytest.approx(seconds)


def test_a_repeated_creation_whose_unique_name_is_taken_has_made_the_job_itself(do: Call, service: Service) -> None:
    """A 429 whose request was carried out all the same is repeated; the second attempt finds its own name taken."""
    jobs = Jobs([(True, 429)])
    service.responses = jobs

    assert do(lambda ma: ma.jobs.submit(BODY, unique=True)).id == "job-0"


@pytest.mark.parametrize(
    ("status", "options", "error"),
    [(400, {}, ApiError), (500, {}, ServiceFailure), (404, {"unique": True}, NotFound)],
)
def test_a_rejection_is_reported_if_there_is_no_such_job(
    submit: Submit, status: int, options: dict[str, Any], error: type[Exception]
) -> None:
    jobs = Jobs([(False, status)])

    with pytest.raises(error, match="said no"):
        submit(jobs, **options)

    assert jobs.posts == 1
