"""`make contract SERVICE=...`: what a run sends to a service that others use, and what it leaves there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.contract.played import Colleague, Played, playing

from modelarts_contract.run import clean, operations, real, runs
from modelarts_contract.run.journal import Journal, abandoned
from modelarts_contract.run.objects import Objects
from modelarts_contract.run.outcome import Outcome
from modelarts_contract.run.promises import READING, WRITING, NotSettledError, Project
from modelarts_contract.run.proxy import Answer, Ask, Asked
from modelarts_contract.run.seeding import seed
from modelarts_contract.run.service import Service
from modelarts_toolkit.errors import ConfigError

ROOT = Path(__file__).parents[2]
READ = ("--phases", "examples,fuzzing", "--max-examples", "1")
# Single calls of the operations that create, change and delete, and one chain through all.
CHANGE = (
    *("--phases", "examples,fuzzing", "--max-examples", "2"),
    *[
        part
        for operation in operations.operations("v2").values()
        if operation.operation_id in {"createTrainingJob", "deleteTrainingJob", "stopTrainingJob", "changeAlgorithm"}
        for part in ("--include-operation-id", operation.operation_id)
    ],
)
CHAIN = (*runs.CHAINS, "--max-examples", "2", "--seed", "1")


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    with playing(tmp_path, monkeypatch) as played:
        yield played


@pytest.fixture
def colleague(played: Played) -> Iterator[Colleague]:
    with Colleague(played) as colleague:
        yield colleague


def run(service: Service, folder: Path, name: str, *options: str) -> Outcome:
    (folder / name).mkdir()
    return runs.run(service, folder / name, name, "v2", *options)


def assert_harmless(played: Played) -> None:
    """Every request is documented, and changes nothing but what the run created or made up."""
    assert played.sent
    logins = [sent for sent in played.sent if sent.is_login]
    assert 1 <= len(logins) <= 5
    assert {sent.status for sent in logins} == {201}
    for sent in played.sent:
        known = [operations.find(document, sent.method, sent.path) for document in ("v2", "iam")]
        if sent.is_reading or sent.is_login:
            continue
        assert any(known), f"undocumented: {sent}"
        ids = set(re.findall(r"/(?:training-jobs|algorithms)/([^/]+)", sent.path))
        assert all(id_ in played.created or "-absent-" in id_ for id_ in ids), f"not the run's own: {sent}"


def test_reading_sends_nothing_that_changes_anything(played: Played, colleague: Colleague, tmp_path: Path) -> None:
    before = len(played.sent)
    with real.real() as service:
        outcome = run(service, tmp_path, "reading", *READ)
        with Project(service) as project:
            for promise in READING:
                with contextlib.suppress(NotSettledError):  # The colleague changes lists while they are read.
                    promise(project)
            for method in ("DELETE", "PUT", "POST"):
                assert project.call(method, f"/training-jobs/{next(iter(colleague.jobs))}").status_code == 403

    assert outcome.cases().total() > 20, outcome.output
    assert all(sent.is_reading or sent.is_login for sent in played.sent[before:])
    assert_harmless(played)
    assert colleague.missing() == {}


@pytest.fixture
def written(
    played: Played, colleague: Colleague, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[Callable[[Service], None]], dict[str, Any]]:
    """Do something in a forced writing run; return what of the colleague's was there before."""
    monkeypatch.setenv("WRITE", "1")
    monkeypatch.setenv("FORCE", "1")

    def write(act: Callable[[Service], None]) -> dict[str, Any]:
        before = played.things()
        with real.real() as service:
            act(service)
        return before

    return write


def assert_nothing_left(played: Played, colleague: Colleague, before: dict[str, Any], folder: Path) -> None:
    colleague.stop.set()
    colleague.thread.join()
    after = played.things()
    assert {name for name in after["jobs"] if name not in colleague.jobs.values()} == set()
    assert {**after, "jobs": []} == {**before, "jobs": []}
    assert list((folder / "journals").glob("*")) == []
    assert colleague.missing() == {}


def test_writing_changes_only_what_the_run_created_and_leaves_nothing(
    played: Played, colleague: Colleague, written: Any, tmp_path: Path
) -> None:
    def act(service: Service) -> None:
        assert service.guard is not None
        with Project(service) as project:
            for promise in WRITING:
                promise(project)
        calls = run(service, tmp_path, "calls", *CHANGE)
        chains = run(service, tmp_path, "chains", *CHAIN)
        for outcome in (calls, chains):
            assert outcome.exit_status == 0, outcome.output[-4000:]
        succeeded = {label for label, _, status in [*calls.exchanges(), *chains.exchanges()] if status < 300}
        assert "POST /v2/{project_id}/training-jobs" in succeeded
        assert service.guard.rejected == []

    before = written(act)

    assert len(played.created) > 10
    bodies = [json.loads(sent.body) for sent in played.sent if sent.status == 201 and not sent.is_login]
    assert all(re.match("contract-[0-9a-f]{12}-", body["metadata"]["name"]) for body in bodies)
    assert_harmless(played)
    assert_nothing_left(played, colleague, before, tmp_path)


def test_the_guard_protects_what_others_own_from_the_tests_themselves(
    played: Played, colleague: Colleague, written: Any, tmp_path: Path
) -> None:
    """Whatever a test, a promise or schemathesis would send."""

    def act(service: Service) -> None:
        job = f"/training-jobs/{next(iter(colleague.jobs))}"
        algorithm = f"/algorithms/{colleague.algorithm}"
        body = {"metadata": {"name": "somebody"}, "job_config": {}}
        with Project(service) as project:
            attempts: list[tuple[str, str, Any]] = [
                ("DELETE", job, None),
                ("POST", f"{job}/actions", {"action_type": "terminate"}),
                ("PUT", job, {"description": "taken"}),
                ("DELETE", algorithm, None),
                ("PUT", algorithm, body),
                ("POST", "/algorithms", body),
                ("POST", "/training-jobs", {"metadata": {}}),
                ("PATCH", job, {}),
                ("DELETE", job.replace("training-jobs/", "training-jobs/%2e/"), None),
            ]
            for method, path, content in attempts:
                assert project.call(method, path, content).status_code == 403, (method, path)
        with Project(service, token="made-up") as stranger:
            assert stranger.call("GET", job).status_code == 403

    before = written(act)

    assert_harmless(played)
    assert_nothing_left(played, colleague, before, tmp_path)


def test_active_jobs_of_others_stop_a_writing_run_before_it_creates_anything(
    played: Played, colleague: Colleague, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WRITE", "1")

    with pytest.raises(real.ServiceError, match=r"active jobs .* such as 'contract-analysis.*set FORCE=1"), real.real():
        pass

    assert played.created == set()
    assert list((tmp_path / "journals").glob("*")) == []


@pytest.mark.soak
@pytest.mark.parametrize("write", ["0", "1"], ids=["reading", "writing"])
def test_a_whole_run_passes_and_touches_nothing_of_others(
    write: str, played: Played, colleague: Colleague, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WRITE", write)
    monkeypatch.setenv("FORCE", "1")
    before = played.things()
    tests = [f"tests/contract/test_{name}.py" for name in ("documents", "links", "promises")]

    done = subprocess.run([*PYTEST, *tests], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout[-8000:]
    assert_harmless(played)
    assert_nothing_left(played, colleague, before, tmp_path)


# Without the plugins that take a second to import.
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "pytest_timeout", "-p", "no:cacheprovider"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


WAITING_RUN = """
from modelarts_contract.run import real
from modelarts_contract.run.promises import Project
with real.real() as service, Project(service) as project:
    while True:
        project.job()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_a_killed_run_is_cleaned_up(
    number: int, played: Played, colleague: Colleague, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A run is ended while the service creates a job, so that it never learns the job's id."""
    monkeypatch.setenv("WRITE", "1")
    monkeypatch.setenv("FORCE", "1")
    before = played.things()
    jobs = 0

    def kill_at_the_fourth_job(asked: Asked, ask: Ask) -> Answer:
        nonlocal jobs
        response = ask(asked)
        jobs += asked.method == "POST" and asked.path.endswith("/training-jobs")
        if jobs == 4:
            jobs += 1
            process.send_signal(number)
        return response

    played.interfere = kill_at_the_fourth_job
    command = [sys.executable, "-c", WAITING_RUN]
    if number == signal.SIGTERM:
        file = "tests/contract/test_promises.py"
        command = [*PYTEST, "-k", "promise_is_kept", file]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    output, _ = process.communicate(timeout=60)

    assert jobs == 5, output
    assert process.returncode != 0
    if number == signal.SIGKILL:
        assert set(played.things()["jobs"]) - set(colleague.jobs.values())
        assert clean.main() is None
    assert_harmless(played)
    assert_nothing_left(played, colleague, before, tmp_path)


def test_the_next_writing_run_cleans_up_after_a_killed_one(
    played: Played, colleague: Colleague, written: Any, tmp_path: Path
) -> None:
    """The journal is all that the next run needs; one that another process has open is left alone."""
    config = real.settings()
    journal = Journal.create(**real.target(config))
    with real.guarded(config, journal) as service:
        left = seed(service, real.upload_code(config, Objects(config), journal))
        assert list(abandoned(**real.target(config))) == []
    journal.release()

    written(lambda service: None)

    with played.client() as client:
        assert client.get(f"/algorithms/{left['algorithm_id']}").status_code == 400
    assert list((tmp_path / "journals").glob("*")) == []


def test_requests_keep_to_the_rate_and_are_repeated_after_429(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    rejected = 0

    def reject_twice(asked: Asked, ask: Ask) -> Answer:
        nonlocal rejected
        if asked.path.endswith("/training-job-flavors") and rejected < 2:
            rejected += 1
            return Answer(429, b"{}", {"retry-after": "0"})
        return ask(asked)

    played.interfere = reject_twice
    with real.real() as service, Project(service) as project:
        assert project.call("GET", "/training-job-flavors").status_code == 200
    assert rejected == 2


def test_missing_settings_are_named(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OS_PASSWORD", "")

    with pytest.raises(ConfigError, match=r"password .*MODELARTS_PASSWORD"), real.real():
        pass


def test_settings_for_another_service_are_rejected(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE", "https://modelarts.example.com")

    with pytest.raises(
        ConfigError, match=r"SERVICE is https://modelarts.example.com, but the settings are for http://127"
    ):
        real.settings()


def test_looking_for_abandoned_journals_does_not_remove_one_that_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no content between its creation and its first line."""
    monkeypatch.setenv("CONTRACT_JOURNALS", str(tmp_path))
    beginning = tmp_path / "0123456789ab.jsonl"
    beginning.touch()

    assert list(abandoned(endpoint="https://x", project_id="p")) == []
    assert beginning.exists()


def test_waiting_for_the_end_of_many_jobs_has_one_deadline() -> None:
    """A deadline that has passed allows one look, and no wait for each."""
    looks: list[float] = []
    begin_s = time.monotonic()

    def look() -> bool:
        looks.append(time.monotonic())
        return False

    for _ in range(5):
        assert not real.until(look, 60, begin_s - 1)

    assert len(looks) == 5
    assert time.monotonic() - begin_s < 30
