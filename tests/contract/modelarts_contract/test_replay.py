"""A recording is played on an emulator of its own, and compared three ways: documents, recording, emulator."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from tests.contract.modelarts_contract.test_recording import JOB as RECORDED

import modelarts_openapi
from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.documents import Documents, operations_of
from modelarts_contract.exchange import Exchange
from modelarts_contract.recording import Recording, recorded
from modelarts_contract.replay import Player, differences, job_plans, object_paths
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

JOB: Any = {**RECORDED, "metadata": {"name": "replayed", "annotations": {"emulator/duration": "300"}}}
SETTINGS: Any = {
    "worker_server_num": 1,
    "engine_id": 4,
    "spec_id": 7,
    "app_url": "/recorded/code/",
    "boot_file_url": "/recorded/code/train.py",
    "data_url": "/recorded/code/",
}
NO = b'{"error_msg": "No.", "error_code": "ModelArts.2774"}'
MISSING = "00000000-0000-0000-0000-000000000000"
OLD, NEW = "11111111-0000-4000-8000-111111111111", "22222222-0000-4000-8000-222222222222"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> list[Exchange]:
    """A day at a service: a job that runs for five minutes, what is known of it, and a job of version 1."""
    file = tmp_path_factory.mktemp("recording") / "session.har"
    recording = Recording(file)
    with Emulator(executor="simulated") as service, pytest.MonkeyPatch.context() as environment:

        def keep(exchange: Exchange) -> None:
            """With the service's time; the header itself changes ten times a second only."""
            date = formatdate(service.clock.now, usegmt=True)
            recording.keep(replace(exchange, response_headers={**exchange.response_headers, "date": date}))

        for name, value in service.environment().items():
            environment.setenv(name, value)
        service.objects.put("obs://recorded/code/train.py", "print('x')")
        service.clock.freeze()
        with recorded(keep), ModelArts() as ma:
            job = ma.jobs.submit(JOB)
            for seconds in (10, 1000):
                service.clock.advance(seconds)
                ma.v2.training_jobs.show_training_job_details(job.id)
            ma.v2.logs.show_training_job_logs_preview(job.id, "worker-0")
            ma.v2.training_jobs.list_training_jobs({"limit": 10})
            with pytest.raises(Exception, match=r"ModelArts\.2775"):
                ma.v2.training_jobs.show_training_job_details(MISSING)
            ma.v2.training_jobs.delete_training_job(job.id)
            old = ma.v1.training_jobs.create_training_job({"job_name": "replayed-v1", "config": SETTINGS})
            service.clock.advance(1000)
            ma.v1.training_job_versions.show_training_job_version(old.job_id, old.version_id or 0)
    return list(har.read(file))


def check(folder: Path, exchanges: Sequence[Exchange], *options: str) -> Any:
    har.write(folder / "session.har", exchanges)
    return CliRunner().invoke(contract, ["check", str(folder / "session.har"), "--replay", *options])


def test_a_recording_of_an_emulator_is_played_without_a_difference(session: list[Exchange], tmp_path: Path) -> None:
    """Ids, objects and times are those of the emulator that plays it; nothing of the recording is left."""
    done = check(tmp_path, session)

    calls = [each for each in session if "/v3/" not in each.url]
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-2:] == [
        f"{len(session)} exchanges: no findings",
        f"{len(calls)} played on the emulator: no differences",
    ]


def test_statuses_and_fields_that_differ_and_undocumented_types_are_reported(
    session: list[Exchange], tmp_path: Path
) -> None:
    """What existed before the recording is not played; a field that one of both has does not fail the check."""
    number, shown = next(
        (number, each) for number, each in enumerate(session) if each.method == "GET" and "training-jobs/" in each.url
    )
    body = json.loads(shown.response_body)
    body["metadata"]["mood"] = "good"
    body["status"]["duration"] = "long"
    del body["metadata"]["create_time"]
    known = shown.url.rpartition("/")[2]
    changed = [
        *session[:number],
        replace(shown, response_body=json.dumps(body).encode()),
        replace(shown, url=shown.url.replace(known, MISSING.replace("0", "1"))),
        replace(
            shown, method="DELETE", status=409, response_body=b'{"error_msg": "No.", "error_code": "ModelArts.2774"}'
        ),
        replace(shown, url=shown.url.partition("/v2/")[0] + "/pets"),
        replace(shown, status=429),
        replace(shown, status=0),
    ]

    done = check(tmp_path, changed, "--output", "json")

    assert done.exit_code == 1
    found = {entry["entry"] - number: entry for entry in json.loads(done.output)}
    first = found[1]["emulator"]
    assert found[1]["findings"][0]["kind"] == "invalid response"
    assert ("only recorded", "metadata.mood (text)") in kinds(first)
    assert ("only emulated", "metadata.create_time (number)") in kinds(first)
    assert found[2]["emulator"]["skipped"].endswith("existed before the recording")
    [(kind, message)] = kinds(found[3]["emulator"])
    assert (kind, message[:40]) == ("other status", "the recording has 409, the emulator 202:"[:40])
    assert [found[each]["emulator"]["skipped"] for each in (4, 5, 6)] == [
        "no document has this request",
        "status 429 says how the service was, not what it was asked",
        "the recording has no response",
    ]


def kinds(entry: Any) -> list[tuple[str, str]]:
    return [(difference["kind"], difference["message"]) for difference in entry["findings"]]


def player(respond: Callable[[httpx.Request], httpx.Response]) -> Player:
    """One that plays on what responds."""
    client = httpx.Client(base_url="http://here", transport=httpx.MockTransport(respond))
    return Player(client, "p", lambda _: None, Documents())


def test_an_operation_that_the_emulator_does_not_have_is_not_played() -> None:
    """The documents may be ahead of it; its response would be another status than the recorded success."""
    document = copy.deepcopy(modelarts_openapi.load("v2"))
    document["paths"]["/v2/{project_id}/training-job-engines"]["get"]["x-contract"] = {"not-emulated": True}
    documents = Documents(())
    documents.operations = tuple(operations_of("v2", document))
    played = Player(httpx.Client(), "p", lambda _: None, documents)

    reason = played.play(Exchange("GET", "https://host/v2/p/training-job-engines", 200, response_body=b"{}"))

    assert reason == "the emulator does not have this operation"


def test_a_log_that_is_not_there_yet_is_asked_for_again() -> None:
    responses = [httpx.Response(204), httpx.Response(204), httpx.Response(200, json={"content": "hello"})]
    log = "https://host/v2/p/training-jobs/j/tasks/worker-0/logs/preview"

    played = player(lambda _: responses.pop(0)).play(
        Exchange("GET", log, 200, response_body=b'{"content": "REDACTED"}')
    )

    assert isinstance(played, Exchange)
    assert (played.status, responses) == (200, [])


def test_a_query_is_played_as_it_was_recorded() -> None:
    """With all values of a list."""
    sent = []

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append(request.url.query)
        return httpx.Response(200, json={})

    url = "https://host/v2/p/training-job-engines?a=1&b=x&b=y%2Cz&c="
    player(respond).play(Exchange("GET", url, 200, response_body=b"{}"))

    assert sent == [b"a=1&b=x&b=y%2Cz&c="]


def test_an_id_that_was_learned_is_replaced_and_numbers_count_within_their_collection() -> None:
    """In paths and bodies; a training job and a visualization job may have the same number."""
    sent = []

    def respond(request: httpx.Request) -> httpx.Response:
        sent.append(request.url.path)
        return httpx.Response(200, json={"job_id": 1, "version_id": 3, "resource_id": NEW})

    body = json.dumps({"job_id": 7, "version_id": 1, "resource_id": OLD.upper()}).encode()
    play = player(respond).play
    play(Exchange("POST", "https://host/v1/q/training-jobs", 200, response_body=body))
    play(Exchange("GET", "https://host/v1/q/training-jobs/7/versions/1", 200, response_body=body))
    play(Exchange("GET", f"https://host/v2/q/training-jobs/{OLD}", 200))
    other = play(Exchange("GET", "https://host/v1/q/visualization-jobs/7", 200))

    assert sent == ["/v1/p/training-jobs", "/v1/p/training-jobs/1/versions/3", f"/v2/p/training-jobs/{NEW}"]
    assert other == "job_id 7 existed before the recording"


def exchange(request: Any = None, response: Any = None) -> Exchange:
    bodies = [b"" if body is None else json.dumps(body).encode() for body in (request, response)]
    return Exchange("POST", "https://example.com", 200, request_body=bodies[0], response_body=bodies[1])


def test_objects_and_folders_that_requests_name_are_found() -> None:
    """In both spellings, also in lists; paths in a container are none."""
    body = {
        "algorithm": {
            "code_dir": "/acme/code/",
            "boot_file": "obs://acme/code/train.py",
            "local_code_dir": "/cache/c/",
        },
        "inputs": [{"remote": {"obs": {"obs_url": "s3://data-1/mnist/"}}}],
        "data_url": "not a path",
    }

    found = object_paths([exchange(body), exchange([body]), Exchange("POST", "https://h", 200, request_body=b"\xff")])

    assert found == {"acme/code/placeholder.txt", "acme/code/train.py", "data-1/mnist/placeholder.txt"}


def test_a_job_runs_as_long_as_a_response_shows_and_ends_as_it_did() -> None:
    """The last response counts; a job that has not ended by itself runs until it is stopped. A phase is needed."""
    job = {"metadata": {"name": "a"}, "status": {"phase": "Running", "duration": 5}}
    done = {"metadata": {"name": "a"}, "status": {"phase": "Failed", "duration": 90_500}}
    version = {"job_name": "b", "status": 10, "duration": 2000}
    stopped = {"metadata": {"name": "c"}, "status": {"phase": "Terminated", "duration": 90_500}}
    malformed = {"metadata": {"name": ["c"]}, "status": {"phase": {}, "duration": "long"}}

    plans = job_plans(
        [exchange(response=job), exchange(response={"items": [done]}), exchange(response=[version, stopped, malformed])]
    )

    assert plans == [
        {"job": "a", "duration": 90.5, "exit_code": 1},
        {"job": "b", "duration": 2.0, "exit_code": 0},
        {"job": "c", "duration": 30 * 24 * 3600},
    ]


@pytest.mark.parametrize(
    ("recorded", "emulated", "expected"),
    [
        ({"a": 1}, {"a": 2.5}, []),
        ({"a": None}, {}, []),
        ({"a": None}, {"a": {"b": 1}}, ["only emulated: a (object)"]),
        ({"a": "x"}, {"a": 1}, []),
        ({"a": {"b": {"c": 1}}}, {"a": {}}, ["only recorded: a.b (object)"]),
        ({"a": []}, {"a": [1]}, []),
        ({"a": [{"b": 1}, {"c": 1}]}, {"a": [{"c": 1}]}, ["only recorded: a[].b (number)"]),
        ({"a": [1, "x"]}, {"a": ["x"]}, []),
        ([1], {"a": 1}, ["only emulated: a (number)"]),
        ("text", None, []),
    ],
)
def test_fields_that_only_one_has_are_differences(recorded: Any, emulated: Any, expected: list[str]) -> None:
    """Null is like a missing field; entries of lists are taken together; types are those of the documents."""
    assert [f"{found.kind.value}: {found.message}" for found in differences(recorded, emulated)] == expected
