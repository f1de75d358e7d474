"""`modelarts contract run --service`: what a run sends to a service that others use, and what it leaves there."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from tests.contract.played import RATE, Colleague, Played, run, with_json

from modelarts_contract import login
from modelarts_contract.commands import contract
from modelarts_contract.documents import Documents, operations
from modelarts_contract.emulator import login_of
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.run import effects, real
from modelarts_contract.run.journal import Journal, abandoned
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.result import read
from modelarts_contract.run.service import Service

pytestmark = pytest.mark.ci

ROOT = Path(__file__).parents[2]


@contextlib.contextmanager
def serving(played: Played, write: bool = False, force: bool = False) -> Iterator[Service]:
    """The played service as a run has it."""
    with real.real(real.Access(played.address, rate=RATE, write=write, force=force)) as (service, _, _):
        yield service


def config_of(played: Played) -> Any:
    return real.reached(real.settings(real.Access(played.address, write=True)))


def assert_harmless(played: Played, before: int = 0) -> None:
    """Every request is documented, and changes nothing but what the run created."""
    assert played.sent[before:]
    logins = [sent for sent in played.sent[before:] if sent.is_login]
    assert len([sent for sent in logins if sent.method == "POST"]) <= 6  # a run, and a clean-up
    assert {sent.status for sent in logins} <= {201, 204}
    for sent in played.sent[before:]:
        if sent.is_reading or sent.is_login:
            continue
        assert Documents().find(sent.method, sent.path), f"undocumented: {sent}"
        ids = set(
            re.findall(
                r"/(?:training-jobs|algorithms|training-job-configs|training-experiments|modelarts-training-job)/([^/]+)",
                sent.path,
            )
        )
        if sent.path.endswith("/batch-delete"):
            ids = {job["metadata"]["id"] for job in json.loads(sent.body)["jobs"]}
        assert all(id_ in played.created for id_ in ids), f"not the run's own: {sent}"


def assert_nothing_left(played: Played, colleague: Colleague, before: dict[str, Any], folder: Path) -> None:
    colleague.stop.set()
    colleague.thread.join()
    after = played.things()
    assert {name for name in after["jobs"] if name not in colleague.jobs.values()} == set()
    assert {**after, "jobs": []} == {**before, "jobs": []}
    assert list((folder / "journals").glob("*")) == []
    assert colleague.missing() == {}


def break_flavors(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Fail where flavors are listed."""
    if request.path.endswith("/training-job-flavors"):
        return ProxyResponse(500, b'{"error_code": "ModelArts.2950", "error_msg": "x"}', {})
    return forward(request)


def test_a_run_only_reads_and_shows_no_secret(played: Played, colleague: Colleague, tmp_path: Path) -> None:
    """Beside somebody who works in the project; with a finding, whose exchange is in every report."""
    secrets = {played.token, os.environ["OS_PASSWORD"], os.environ["MODELARTS_SECRET_KEY"]}

    played.interfere = break_flavors
    done = run(played, "--report", str(tmp_path / "report"))

    assert (done.exit_code, done.exception.__class__) == (1, SystemExit), (done.output, done.exc_info)
    assert all(sent.is_reading or sent.is_login for sent in played.sent)
    assert_harmless(played)
    assert colleague.missing() == {}
    found = read(tmp_path / "report" / "results.json")
    assert {finding.operation for finding in found.new} == {"showTrainingJobFlavors"}, done.output
    assert found.cases > 60
    verdicts = {id_: one.verdict for id_, one in found.documents["v2"].operations.items()}
    assert verdicts["createTrainingJob"] == "not checked"
    assert verdicts["showTrainingJobFlavors"] == "broken"
    assert verdicts["showTrainingJobDetails"] == "kept"
    for file in (tmp_path / "report").iterdir():
        assert [secret for secret in secrets if secret in file.read_text()] == [], file.name
        assert "training-job-flavors" in file.read_text(), file.name


def test_requests_that_must_be_rejected_are_sent_with_every_kind_of_login(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one, with a token that has expired or was revoked, and for another project; what is missing is said."""
    only = ("--documents", "v2", "--operation", "showTrainingJobFlavors", "--rejected-logins")
    expired, own = played.token, played.url.rpartition("/")[2]
    played.emulator.clock.advance(86_400)
    token = login.token(played.emulator.endpoint, login_of(played.emulator.environment()))

    def let_everybody_in(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        path = re.sub("^/v2/[^/]+", f"/v2/{own}", request.path)
        is_login = request.path.startswith("/v3")
        opened = replace(request, path=path, headers={**request.headers, "x-auth-token": token})
        return forward(request if is_login else opened)

    without = run(played, *only)
    monkeypatch.setenv("CONTRACT_EXPIRED_TOKEN", expired)
    closed = run(played, *only)
    played.interfere = let_everybody_in
    opened = run(played, *only, "--report", str(tmp_path))

    assert (without.exit_code, closed.exit_code, opened.exit_code) == (0, 0, 1), (without.output, closed.output)
    assert "requests with a token that has expired (CONTRACT_EXPIRED_TOKEN is not set)" in without.output
    assert "a token that" not in closed.output
    findings = [each for found in read(tmp_path / "results.json").findings for each in (found, *found.also)]
    assert {each.message for each in findings if each.message.startswith("a request")} == {
        f"a request {what} succeeds"
        for what in (
            "without a login",
            "with a made-up token",
            "with a token that has expired",
            "with a token that was revoked",
            "for another project",
        )
    }
    assert expired not in opened.output


@pytest.mark.parametrize("login", ["password", "token", "keys"])
def test_no_request_that_must_be_rejected_is_sent_unless_asked_for(
    login: str, played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also not by schemathesis: no 401, no undocumented path, no other project, no token ended; the report says so."""
    use(login, played, monkeypatch)

    done = run(played, "--report", str(tmp_path / "report"))

    assert done.exit_code == 0, done.output
    assert "left out: requests that must be rejected" in (tmp_path / "report" / "report.txt").read_text()
    calls = [sent for sent in played.sent if not sent.is_login]
    own = played.url.rpartition("/")[2]
    assert [sent for sent in calls if sent.status == 401 or Documents().find(sent.method, sent.path) is None] == []
    assert {sent.path.split("/")[2] for sent in calls if re.match("/v[12]/", sent.path)} <= {own}
    assert [sent for sent in played.sent if sent.method == "DELETE"] == []
    tokens = read(tmp_path / "report" / "results.json").documents["iam"].operations["showToken"]
    reason = "an access key has no token" if login == "keys" else ""
    assert (tokens.verdict, tokens.reason) == ("not checked" if reason else "kept", reason)


def use(login: str, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """Log in by this; keys sign for the service itself, so no proxy of a test stands before it."""
    if login == "password":
        return
    token = played.token
    if login == "keys":
        played.address = played.emulator.endpoint
        for name, value in played.emulator.environment().items():
            monkeypatch.setenv(name, value)
    for name in [name for name in os.environ if re.search("USERNAME|PASSWORD|DOMAIN", name)]:
        monkeypatch.delenv(name)
    if login == "token":
        monkeypatch.setenv("MODELARTS_TOKEN", token)


def test_writing_runs_one_story_and_leaves_nothing(played: Played, colleague: Colleague, tmp_path: Path) -> None:
    """Jobs run on the cheapest flavor and with a limit to their time."""
    before, first = played.things(), len(played.sent)

    done = run(played, "--write", "--force", "--report", str(tmp_path / "report"), "--documents", "v2")

    assert done.exit_code == 0, done.output
    created = [json.loads(sent.body) for sent in played.sent[first:] if sent.method == "POST" and sent.status == 201]
    bodies = [body for body in created if "auth" not in body]
    kinds = ["algorithm" if "job_config" in body else body.get("kind", "experiment") for body in bodies]
    assert kinds == ["algorithm", "job", "experiment", "experiment", "job", "job", "job"]
    assert all(re.match("contract-[0-9a-f]{12}-", body["metadata"]["name"]) for body in bodies)
    specs = [body["spec"] for body in bodies if "spec" in body]
    assert {spec["auto_stop"]["duration"] for spec in specs} == {1}
    assert {spec["resource"]["flavor_id"] for spec in specs} == {"modelarts.vm.cpu.2u"}
    stories = [p for p in read(tmp_path / "report" / "results.json").promises if p.name.startswith("story: ")]
    assert {story.status for story in stories} == {"kept"}
    assert_harmless(played, first)
    assert_nothing_left(played, colleague, before, tmp_path)


def test_report_and_baseline_can_be_relative(played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are relative to the folder of the command, although processes of the run work in others."""
    monkeypatch.chdir(tmp_path)

    played.interfere = break_flavors
    only = ("--documents", "v2", "--operation", "showTrainingJobFlavors", "--baseline", "known.json")

    first = run(played, *only, "--update-baseline", "--report", "report")
    second = run(played, *only, "--report", "report")

    assert (first.exit_code, second.exit_code) == (0, 0), (first.output, first.exc_info, second.output)
    assert {finding.known for finding in read(Path("report/results.json")).findings} == {True}


def test_a_step_of_the_story_that_fails_is_a_finding(played: Played, tmp_path: Path) -> None:
    """The steps after it are skipped, and what was created is deleted all the same."""
    before = played.things()

    def keep_description(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        is_change = request.method == "PUT" and "/training-jobs/" in request.path
        return ProxyResponse(200, b"{}", {"content-type": "application/json"}) if is_change else forward(request)

    played.interfere = keep_description
    done = run(played, "--write", "--documents", "v2")

    assert done.exit_code == 1, done.output
    assert re.search(r"written as 'text-\w+', and 'text-\w+' is shown", done.output), done.output
    assert played.things() == before
    assert list((tmp_path / "journals").glob("*")) == []


def test_the_guard_protects_what_others_own(played: Played, colleague: Colleague, tmp_path: Path) -> None:
    """Whatever a check or schemathesis would send."""
    before, first = played.things(), len(played.sent)
    with serving(played, write=True, force=True) as service:
        project = service.environment["MODELARTS_PROJECT_ID"]
        job = f"/v2/{project}/training-jobs/{next(iter(colleague.jobs))}"
        algorithm = f"/v2/{project}/algorithms/{colleague.algorithm}"
        body = {"metadata": {"name": "somebody"}, "job_config": {}}
        mine = {"metadata": {"name": f"{service.prefix}mine"}, "job_config": {}}
        attempts: list[tuple[str, str, Any]] = [
            ("DELETE", job, None),
            ("POST", f"{job}/actions", {"action_type": "terminate"}),
            ("PUT", job, {"description": "taken"}),
            ("DELETE", algorithm, None),
            ("PUT", algorithm, body),
            ("POST", f"/v2/{project}/algorithms", body),
            ("POST", f"/v2/{'0' * 32}/algorithms", mine),
            ("POST", f"/v2/{project}/training-jobs", {"metadata": {}}),
            ("POST", f"/v1/{project}/training-jobs", {"job_name": "somebody", "config": {}}),
            ("DELETE", f"/v1/{project}/training-jobs/1", None),
            ("PATCH", job, {}),
            ("DELETE", job.replace("training-jobs/", "training-jobs/%2e/"), None),
        ]
        headers = {"X-Auth-Token": service.token}
        with httpx.Client(base_url=service.endpoint, headers=headers, trust_env=False) as client:
            for method, path, content in attempts:
                assert client.request(method, path, json=content).status_code == 403, (method, path)
            made_up = client.delete(algorithm, headers={"X-Auth-Token": "made-up"})
            assert made_up.status_code == 403
            assert service.guard is not None
            service.guard.may_create = False
            assert client.post(f"/v2/{project}/algorithms", json=mine).status_code == 403
            assert f"POST /v2/{'0' * 32}/algorithms: it is for another project" in service.guard.rejected

    assert_harmless(played, first)
    assert_nothing_left(played, colleague, before, tmp_path)


def test_active_jobs_of_others_stop_a_writing_run_before_it_creates_anything(
    played: Played, colleague: Colleague, tmp_path: Path
) -> None:
    done = run(played, "--write")

    assert done.exit_code == 3
    assert re.search(r"active jobs .* such as 'contract-analysis.*--force", done.output)
    assert played.created == set()
    assert list((tmp_path / "journals").glob("*")) == []


WAITING_RUN = """
import sys
from modelarts_contract.commands.options import as_exit_status
from modelarts_contract import login
from modelarts_contract.run import real
from modelarts_contract.emulator import login_of
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.story import Story
access = real.Access(sys.argv[1], rate=1000, write=True, force=True)
with as_exit_status(), real.real(access) as (service, config, journal), Judge(service, ("v2",)) as judge:
    story = Story(judge, real.upload_code(config, journal), print)
    while True:
        list(story.run(("v2",)))
"""


def find_more(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """A search for jobs that also finds those of other names."""
    if request.path.endswith("/training-job-searches"):
        request = replace(request, body=b'{"limit": 50}')
    return forward(request)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_a_killed_run_is_cleaned_up(number: int, played: Played, colleague: Colleague, tmp_path: Path) -> None:
    """A run is ended while the service creates a job, so that it never learns the job's id."""
    before, first = played.things(), len(played.sent)
    jobs = 0

    def kill_at_the_third_job(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        nonlocal jobs
        response = forward(request)
        jobs += request.method == "POST" and request.path.endswith("/training-jobs")
        if jobs == 3:
            jobs += 1
            process.send_signal(number)
        return response

    played.interfere = kill_at_the_third_job
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING_RUN, played.address], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    output, _ = process.communicate(timeout=300)

    assert jobs == 4, output
    assert process.returncode == (130 if number == signal.SIGTERM else -number), output
    if number == signal.SIGKILL:
        assert set(played.things()["jobs"]) - set(colleague.jobs.values())
        played.interfere = find_more
        cleaned = CliRunner().invoke(contract, ["clean", "--service", played.address, "--rate", str(RATE)])
        assert (cleaned.exit_code, "Cleaned up after 1 run." in cleaned.output) == (0, True)
    assert_harmless(played, first)
    assert_nothing_left(played, colleague, before, tmp_path)


def test_a_second_signal_ends_a_run_at_once(played: Played, tmp_path: Path) -> None:
    """Here while it deletes what it created, and the service does not respond; what is left can be deleted later."""
    before, ended = played.things(), threading.Event()

    def interrupt(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        response = forward(request)
        if request.method == "POST" and request.path.endswith("/algorithms"):
            process.send_signal(signal.SIGTERM)
        if request.method == "DELETE" and "/algorithms/" in request.path and not ended.is_set():
            process.send_signal(signal.SIGINT)
            ended.wait(300)
        return response

    played.interfere = interrupt
    command = [sys.executable, "-m", "modelarts_toolkit", "contract", "run", "--service", played.address, "--write"]
    command += ["--yes"]
    process = subprocess.Popen([*command, "--rate", "1000", "--documents", "v2"], stderr=subprocess.PIPE, text=True)
    _, said = process.communicate(timeout=300)
    ended.set()

    assert (process.returncode, "Interrupted a second time" in said) == (130, True), said
    assert "Traceback" not in said
    cleaned = CliRunner().invoke(contract, ["clean", "--service", played.address, "--rate", str(RATE)])
    assert (cleaned.exit_code, played.things()) == (0, before), cleaned.output


def test_the_next_writing_run_cleans_up_after_a_killed_one(played: Played, tmp_path: Path) -> None:
    """The journal is all that the next run needs; one that another process has open is left alone."""
    config = config_of(played)
    journal = Journal.create(**real.target(config))
    with real.guarded(config, journal, RATE):
        real.upload_code(config, journal)
        assert list(abandoned(**real.target(config))) == []
    journal.release()
    assert journal.prefix.rstrip("-") in played.things()["buckets"]

    with serving(played, write=True):
        assert journal.prefix.rstrip("-") not in played.things()["buckets"]

    assert list((tmp_path / "journals").glob("*")) == []


def test_an_effect_whose_request_may_have_been_served_twice_is_not_checked(played: Played) -> None:
    """It breaks nothing, and the verdict says that it is missing."""
    creations = itertools.count()

    def serve_and_reject_every_second(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        served = forward(request)
        is_creation = request.method == "POST" and request.path.endswith("/training-experiments")
        is_rejected = is_creation and next(creations) % 2 == 0
        return ProxyResponse(429, b"{}", {"retry-after": "0"}) if is_rejected else served

    played.interfere = serve_and_reject_every_second

    done = run(played, "--write", "--documents", "v2")

    assert done.exit_code == 0, done.output
    assert re.search(r"0 findings; not checked: \d+ promises", done.output)
    assert "not checked: story: a name that is in use is said to be in use" in done.output


def test_a_phase_that_lasts_is_told_once_a_minute() -> None:
    """The line says until when the run waits."""
    said: list[str] = []
    progress = effects.Progress(said.append, "training-jobs x", 1800, 0)
    for now in (10, 59, 61, 70, 122):
        progress.see("Running", now)

    assert said == [
        "waiting for training-jobs x: Running for 51 s, 1739 s more at most",
        "waiting for training-jobs x: Running for 112 s, 1678 s more at most",
    ]


@pytest.mark.parametrize("login", ["token", "keys"])
def test_a_token_or_keys_log_in_as_well(login: str, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    use(login, played, monkeypatch)

    with serving(played) as service, Judge(service, ("v2",)) as judge:
        assert judge.send(operations("v2")["showTrainingJobFlavors"], {}).status == 200


def test_the_logins_of_a_run_are_judged_and_their_secrets_shown_nowhere(played: Played, tmp_path: Path) -> None:
    """A login by password also lets a run ask about its own token."""

    def without_user(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        if request.method != "POST" or request.path != "/v3/auth/tokens":
            return found
        return with_json(found, lambda body: {"token": {k: v for k, v in body["token"].items() if k != "user"}})

    played.interfere = without_user

    done = run(played, "--documents", "iam", "--report", str(tmp_path))

    result = read(tmp_path / "results.json")
    assert [(each.operation, each.message) for each in result.findings] == [("createToken", "token.user is empty")], (
        done.output
    )
    assert result.documents["iam"].operations["showToken"].verdict == "kept"
    password = played.emulator.environment()["OS_PASSWORD"]
    reports = [file for file in tmp_path.iterdir() if file.is_file()]
    assert [file.name for file in reports if password in file.read_text("utf-8")] == []


def test_the_command_of_a_finding_finds_it_again_by_its_operation_alone(played: Played, tmp_path: Path) -> None:
    def without_projects(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        return with_json(found, lambda _: {}) if request.path == "/v3/projects" else found

    played.interfere = without_projects
    run(played, "--documents", "iam", "--report", str(tmp_path / "whole"))
    first = read(tmp_path / "whole" / "results.json").findings[0]

    command = shlex.split(first.repeat)
    done = CliRunner().invoke(contract, [*command[2:], "--report", str(tmp_path / "alone")])

    assert command[-2:] == ["--operation", "listProjects"]
    assert first.id in {each.id for each in read(tmp_path / "alone" / "results.json").findings}, done.output


def test_looking_for_abandoned_journals_does_not_remove_one_that_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no content between its creation and its first line."""
    monkeypatch.setenv("CONTRACT_JOURNALS", str(tmp_path))
    beginning = tmp_path / "0123456789ab.jsonl"
    beginning.touch()

    assert list(abandoned(endpoint="https://x", project_id="p")) == []
    assert beginning.exists()
