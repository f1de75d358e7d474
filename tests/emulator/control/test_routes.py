"""The control API: its token, health, plans and reset."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from tests.emulator.conftest import rejected, serve
from tests.secret_values import MARK, SECRETS, names, objects

from modelarts_emulator.server import Emulator, EmulatorError

CALLS = [("POST", "reset"), ("GET", "queue"), *itertools.product(("GET", "POST"), ["clock"])]
CALLS += itertools.product(("GET", "POST", "DELETE"), ["plans", "faults"])


def test_every_call_needs_the_control_token(api: Any) -> None:
    """Without the token, with another one, and with a token of IAM nothing is done or shown.

    Who may control the emulator is not thereby a user of it.
    """
    token = api.emulator.control_token
    for (method, name), authorization in itertools.product(
        CALLS, [None, "", "Bearer", "Bearer wrong", f"Basic {token}", token]
    ):
        headers = {"X-Auth-Token": api.http.headers["X-Auth-Token"]}
        if authorization is not None:
            headers["Authorization"] = authorization
        response = httpx.request(method, f"{api.emulator.endpoint}/_emulator/{name}", headers=headers, content=b"{}")

        assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer"), (name, authorization)
        assert "does not have the token of the control API" in response.json()["error_msg"], (method, name)
        assert "$MODELARTS_EMULATOR_TOKEN" in response.json()["error_solution"], (method, name)
        assert token not in response.text, (method, name)
    assert api.store.has_bucket(api.bucket)
    as_user = api.call("GET", "/training-job-flavors", headers={"X-Auth-Token": token})
    assert rejected(as_user) == (401, "ModelArts.0203")


def test_health_says_what_the_emulator_can_do_without_a_token(api: Any) -> None:
    """A health check needs no credentials, and shows none."""
    response = httpx.get(f"{api.emulator.endpoint}/_emulator/health").json()

    assert response["status"] == "ok"
    assert response["version"]
    assert response["obs_endpoint"] == api.emulator.obs_endpoint
    assert response["capabilities"]["documents"] == ["iam", "v1", "v2"]


def test_reset_forgets_everything_but_tokens(staged: Any, puppet: Any) -> None:
    staged.create_algorithm()
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(lambda: job_id in puppet.reports)
    for number in range(3):
        staged.store.put(staged.bucket, f"many/{number}/object", b"x")

    assert staged.http.post("/_emulator/reset").status_code == 204

    assert staged.store.buckets() == []
    assert ("remove", job_id) in puppet.calls
    assert staged.call("POST", "/training-job-searches", json={}).json()["total"] == 0
    staged.store.create_bucket(staged.bucket)
    staged.store.put(staged.bucket, "pytorch/fast_example/code/cpu/test-pytorch.py", b"")
    body = staged.algorithm_body()
    assert staged.call("POST", "/algorithms", json=body).status_code == 201


def test_resets_at_once_each_leave_the_seeds(tmp_path: Path) -> None:
    """The next one begins when the fixtures of the one before it are loaded."""
    code = tmp_path / "seeds" / "objects" / "work" / "code" / "train.py"
    code.parent.mkdir(parents=True)
    code.write_text("print(1)")
    with serve(tmp_path / "data", executor="simulated", seeds=tmp_path / "seeds") as client:

        def reset(_: int) -> int:
            return int(client.http.post("/_emulator/reset").status_code)

        with ThreadPoolExecutor(3) as pool:
            for attempt in range(5):
                assert [*pool.map(reset, range(3))] == [204] * 3, attempt
                assert client.emulator.objects.list("obs://work/") == ["obs://work/code/train.py"], attempt


def test_a_job_that_is_just_being_started_is_cleared_away_after_its_start(staged: Any, puppet: Any) -> None:
    puppet.start_allowed.clear()
    job_id = staged.create_job()["metadata"]["id"]
    staged.eventually(puppet.is_starting.is_set)
    threading.Timer(0.3, puppet.start_allowed.set).start()

    assert staged.http.post("/_emulator/reset").status_code == 204

    assert puppet.calls == [("start", job_id), ("remove", job_id)]


def _body(api: Any, **annotations: str) -> Any:
    body = api.job_body()
    body["metadata"]["annotations"] = {f"emulator/{name}": text for name, text in annotations.items()}
    return body


def test_a_plan_is_put_in_place_holds_over_a_restart_and_is_followed_until_it_is_forgotten(
    tmp_path: Path, log_in: Any
) -> None:
    """A reset forgets plans, and brings real time back."""
    plan = {"job": "job-*", "exit_code": 3, "duration": 60, "log": ["loss 0.1"], "metrics": {"cpuUsage": [7]}}
    other = {"job": "other"}
    with serve(tmp_path, executor="simulated", check_responses=True) as api:
        assert [api.http.post("/_emulator/plans", json=each).json() for each in (other, plan)] == [other, plan]
    with serve(tmp_path, executor="simulated", check_responses=True) as api:
        assert api.http.get("/_emulator/plans").json() == {"plans": [other, plan]}
        api.emulator.clock.freeze()
        job = api.create_job()["metadata"]["id"]
        api.emulator.clock.advance(60)

        assert api.job(job)["status"]["task_statuses"][0]["exit_code"] == 3
        task = f"/training-jobs/{job}/tasks/worker-0"
        assert "\nloss 0.1\n" in api.call("GET", f"{task}/logs/preview").json()["content"]
        metrics = api.call("GET", f"/training-jobs/{job}/metrics/worker-0").json()["metrics"]
        assert [entry["value"] for entry in metrics if entry["metric"] == "cpuUsage"] == [[7]]
        assert api.http.delete("/_emulator/plans").status_code == 204
    with Emulator(tmp_path, executor="simulated") as emulator:
        assert emulator.plans.list() == []
        emulator.plans.add(duration=1)
        emulator.clock.freeze()
        emulator.clock.advance(100_000)
        before = emulator.clock.now
        assert log_in(emulator).http.post("/_emulator/reset").status_code == 204
        assert (list(emulator.plans.list()), emulator.clock.is_frozen) == ([], False)
        assert emulator.clock.now < before


PLAN_MEMBERS = "preparation, duration, exit_code, .*, metrics"
WRONG_PLANS: list[tuple[dict[str, Any], str]] = [
    ({"duration": "10"}, 'duration.0: the value is not of type "number"'),
    ({"duration": [5, -1]}, "duration.1: the value is less than the minimum of 0"),
    ({"duration": []}, "duration: the value has less than 1 item"),
    ({"failure": "node_lost"}, "failure.0: give preempted, node_lost or out_of_memory and after how"),
    ({"color": "red"}, f"the plan: there is no color: use one of job, tasks, {PLAN_MEMBERS}$"),
    ({"jbo": "train-*"}, "the plan: there is no jbo: did you mean 'job'?"),
    ({"tasks": {"ps-0": {}}}, "tasks: there is no ps-0: use one of worker-0, worker-1"),
    ({"tasks": {"worker-0": {"jobs": {}}}}, f"tasks.worker-0: there is no jobs: use one of {PLAN_MEMBERS}$"),
    ({"metrics": {"speed": 1}}, "metrics: there is no speed: use one of cpuUsage, "),
    ({"log": 5}, 'log: the value is not of type "array"'),
]


def test_a_wrong_plan_is_rejected(tmp_path: Path) -> None:
    """Over HTTP with the reason, and in the annotations of a job, of which others are no part of a plan."""
    with serve(tmp_path, executor="simulated", check_responses=True) as api:
        for content in (b"", b"[]", b'{"duration": NaN}', b'{"log": ["\\ud800"]}', b"{" * 2000):
            response = api.http.post("/_emulator/plans", content=content)
            assert (response.status_code, bool(response.json()["error_msg"])) == (400, True), content[:20]
        for plan, reason in WRONG_PLANS:
            response = api.http.post("/_emulator/plans", json=plan)
            assert response.status_code == 400, plan
            assert re.search(reason, response.json()["error_msg"]), (plan, response.text)
        assert list(api.emulator.plans.list()) == []
        for annotations in ({"duration": "soon"}, {"duration": "NaN"}, {"duration": ""}, {"exit-codes": "1"}):
            assert api.rejection(_body(api, **annotations)) == (400, "ModelArts.2788"), annotations
        body = _body(api, duration="1")
        body["metadata"]["annotations"]["key_task"] = "worker"
        assert api.create_job(body)["metadata"]["annotations"]["emulator/duration"] == "1"


def test_jobs_that_really_run_follow_no_plans(api: Any) -> None:
    response = api.call("POST", "/training-jobs", json=_body(api, duration="1"))

    assert rejected(response) == (400, "ModelArts.2858")
    assert "--executor simulated" in response.json()["error_msg"]
    bodies = {"GET": None, "POST": b"{}", "DELETE": None}
    answers = {method: api.http.request(method, "/_emulator/plans", content=body) for method, body in bodies.items()}
    assert {method: response.status_code for method, response in answers.items()} == dict.fromkeys(bodies, 409)
    with pytest.raises(EmulatorError, match="--executor simulated"):
        api.emulator.plans.add(duration=1)


PAGE = (Path(__file__).parents[3] / "docs/emulator-control.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page shows calls with curl")
def test_every_call_has_a_response(tmp_path: Path, log_in: Any) -> None:
    """Each call with curl works as written, with the variables of `env` and the id of a job."""
    scripts = [block for block in blocks("sh") if "curl" in block]
    assert len(scripts) == 4
    with Emulator(tmp_path, executor="simulated") as emulator:
        api = log_in(emulator)
        emulator.clock.freeze()
        job_id = api.create_job()["metadata"]["id"]
        emulator.clock.advance(1)
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        for script in reversed(scripts):  # the first one resets the emulator
            text = script.replace("<job id>", job_id).replace("emulator env", f"emulator env --data-dir {tmp_path}")
            text = text.replace("curl ", "curl --silent --show-error --fail-with-body --noproxy 127.0.0.1 ")
            environ = {"PATH": path, **emulator.environment()}
            done = subprocess.run(["/bin/sh", "-ec", text], env=environ, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), done.stdout

        assert api.store.buckets() == []


def test_every_program_runs_and_every_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log_in: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for program in blocks("python"):
        exec(compile(program, "emulator-control.md", "exec"), {})

    users, offers = tmp_path / "users.toml", tmp_path / "offers.toml"
    users.write_text(blocks("toml")[0], "utf-8")
    offers.write_text(blocks("toml")[1].replace("venv/bin/python", sys.executable), "utf-8")
    with Emulator(executor="simulated", credentials=users, catalogue=offers) as emulator:
        api = log_in(emulator)
        found = [api.call("GET", f"/training-job-{kind}").text for kind in ("flavors", "engines")]
    assert emulator.identity.user == "ann"
    assert ["lab.gpu" in found[0], "pytorch-lab" in found[1]] == [True, True]


MAX_CALLS = 1000


@pytest.fixture(scope="module")
def server() -> Iterator[Emulator]:
    with Emulator(executor="simulated", record_calls=True) as running:
        yield running


@pytest.fixture
def recorded(server: Emulator, log_in: Any) -> Any:
    """A client of an emulator that records, which has forgotten the login."""
    server.reset()
    client = log_in(server)
    server.calls.clear()
    return client


def test_a_call_is_recorded_with_what_was_sent_and_what_came(recorded: Any) -> None:
    """Calls are selected by operation and document."""
    job = recorded.create_job()
    recorded.call("GET", "/training-job-flavors?flavor_type=CPU")

    calls = recorded.emulator.calls
    created, listed = calls.list()

    assert [*calls.list("createTrainingJob"), *calls.list("showTrainingJobFlavors", document="v2")] == [created, listed]
    assert calls.list("createTrainingJob", document="v1") == []
    assert calls.list(document="v2") == [created, listed]
    found = (created.operation, created.document, created.method, created.status)
    assert found == ("createTrainingJob", "v2", "POST", 201)
    assert created.body["metadata"]["name"] == job["metadata"]["name"]
    assert created.response == job
    assert created.path == f"{recorded.project}/training-jobs"
    assert (listed.operation, listed.query, listed.body) == ("showTrainingJobFlavors", {"flavor_type": "CPU"}, None)


def test_long_bodies_are_cut_off_and_the_oldest_calls_forgotten(recorded: Any) -> None:
    """Of each body 64 kB are kept, 16 MB of all, and 1000 calls."""
    body = recorded.job_body()
    body["metadata"]["description"] = "d" * 100_000
    for _ in range(300):
        recorded.call("POST", "/training-jobs", json=body)

    calls = recorded.emulator.calls.list()

    assert {(len(call.request_text), call.is_truncated, call.body) for call in calls} == {(65_536, True, None)}
    assert 200 < len(calls) < 16 * 1024 * 1024 // 65_536

    for _ in range(MAX_CALLS + 1):
        recorded.http.get("/v3")
    recorded.http.get("/")
    calls = recorded.emulator.calls.list()
    assert (len(calls), calls[-1].operation, calls[-1].is_truncated) == (MAX_CALLS, "listVersions", False)


def test_a_misspelt_name_is_rejected(recorded: Any) -> None:
    """So that a test that no such call was made cannot pass by mistake."""
    with pytest.raises(ValueError, match="no operation is named 'creatTrainingJob': did you mean 'createTrainingJob'"):
        recorded.emulator.calls.list("creatTrainingJob")
    with pytest.raises(ValueError, match="no document is named 'v3': use one of iam, v1, v2"):
        recorded.emulator.calls.list(document="v3")
    with pytest.raises(ValueError, match="no operation is named 'createToken': use one of "):
        recorded.emulator.calls.list("createToken", document="v2")
    wrong = recorded.http.get("/_emulator/calls?name=x")
    assert (wrong.status_code, wrong.json()["error_msg"]) == (400, "name: the parameters are document, operation")


def test_rejected_and_dropped_calls_are_recorded(recorded: Any) -> None:
    faults = recorded.emulator.faults
    recorded.call("GET", "/training-job-flavors?colour=red")
    faults.add(kind="status", status=429, count=1)
    recorded.call("GET", "/training-job-flavors")
    faults.add(kind="drop", moment="before", count=1)
    with pytest.raises(httpx.TransportError):
        recorded.call("GET", "/training-job-flavors")

    assert [call.status for call in recorded.emulator.calls.list()] == [400, 429, None]


def test_secrets_are_not_recorded(recorded: Any) -> None:
    identity = recorded.identity
    token = recorded.log_in().headers["X-Subject-Token"]
    keys = {"auth": {"identity": {"methods": ["token"]}}}
    temporary = recorded.http.post("/v3.0/OS-CREDENTIAL/securitytokens", json=keys).json()["credential"]
    exchange = {"auth": {"identity": {"methods": ["token"], "token": {"id": token}}}}
    assert recorded.http.post("/v3/auth/tokens", json=exchange).status_code == 201
    secrets = [identity.password, token, *(temporary[name] for name in ("access", "secret", "securitytoken"))]

    calls = recorded.emulator.calls.list(document="iam")
    shown = [repr((call, call.request_headers, call.response_headers, call.body, call.response)) for call in calls]

    assert [call.operation for call in calls] == ["createToken", "createTemporaryKeys", "createToken"]
    assert calls[0].body["auth"]["identity"]["password"]["user"]["name"] == identity.user
    assert [secret for secret in secrets if any(secret in text for text in shown)] == []


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(objects(), names("_-"), SECRETS)
@example({"status": {"web_endpoint": {"url": "seen", "token": MARK}}}, "token", MARK)
def test_no_recorded_call_shows_a_secret(recorded: Any, body: dict[str, Any], name: str, secret: str) -> None:
    """Of a body, a header or a query, at any depth, under any name, of any document."""
    recorded.emulator.calls.clear()
    for path in (f"/v2/{recorded.identity.project_id}/training-jobs", "/v3/auth/tokens"):
        recorded.http.post(path, json=body, params={name: secret}, headers={"X-Subject-Token": MARK})

    shown = repr([(call, asdict(call), call.body, call.query) for call in recorded.emulator.calls.list()])

    assert MARK not in shown
    assert shown.count("seen") > 1


def test_a_reset_forgets_calls(recorded: Any) -> None:
    recorded.call("GET", "/training-job-engines")
    recorded.emulator.reset()

    assert recorded.emulator.calls.list() == []


def test_an_emulator_that_does_not_record_says_how_to(api: Any) -> None:
    with pytest.raises(ValueError, match="record_calls=True"):
        api.emulator.calls.list()
    response = api.http.get("/_emulator/calls")

    assert response.status_code == 400
    assert "--record-calls" in response.json()["error_msg"]
