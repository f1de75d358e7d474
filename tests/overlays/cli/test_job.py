"""`modelarts job`: looking at jobs, and ending them."""

import json
import re
from pathlib import Path

import pytest
import yaml
from tests.overlays.cli.conftest import FLAVOR, Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit import Config, ModelArts


def test_jobs_are_listed_the_newest_first(run: Run, submit: Submit, service: Emulator) -> None:
    submit("first")
    service.clock.advance(5)
    second = submit("second")
    service.clock.advance(1)

    lines = run("job", "list").stdout.splitlines()

    assert lines[0].split() == ["NAME", "ID", "PHASE", "CREATED", "RAN"]
    assert [line.split()[0] for line in lines[1:]] == ["second", "first"]
    assert lines[1].split()[1:3] == [second.id[:8], "Running"]


def test_an_empty_list_says_so_on_standard_error(run: Run, service: Emulator) -> None:
    done = run("job", "list")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "No jobs found.\n")
    assert run("job", "list", "-q").stderr == ""


def test_a_job_is_named_by_the_begin_of_its_id_or_name_or_as_the_last(run: Run, submit: Submit) -> None:
    """Too few characters of a name are rejected: the command may delete the job."""
    job = submit("digits-1795370952034960029")

    for word in (job.id, job.id[:6], job.name, "digits-1795", "--last"):
        assert json.loads(run("job", "get", word, "-o", "json").stdout)["metadata"]["id"] == job.id
    assert run("job", "get", "dig").exit_code == 6


def test_a_job_is_shown_as_fields_or_as_the_document_of_the_service(
    run: Run, submit: Submit, service: Emulator
) -> None:
    job = submit("digits")
    service.clock.advance(1)

    shown = run("job", "get", "digits").stdout

    assert "Name         digits\n" in shown
    assert "Phase        Running\n" in shown
    assert yaml.safe_load(run("job", "get", "digits", "-o", "yaml").stdout) == job.refresh().details.to_dict()


def test_a_job_that_does_not_exist_is_rejected_with_the_nearest_name(run: Run, submit: Submit) -> None:
    submit("digits")

    done = run("job", "get", "dgits")

    assert (done.exit_code, done.stderr) == (6, 'Error: there is no job "dgits"; did you mean digits?\n')


@pytest.mark.parametrize("arguments", [[], ["digits", "--last"]])
def test_one_job_has_to_be_named(run: Run, service: Emulator, arguments: list[str]) -> None:
    done = run("job", "get", *arguments)

    assert done.exit_code == 2
    assert "name one job: its id, its name, the first characters of either, or --last" in done.stderr


def test_the_first_characters_of_several_jobs_are_rejected(run: Run, submit: Submit) -> None:
    jobs = [submit("digits-1"), submit("digits-2")]

    done = run("job", "get", "digits-")

    assert done.exit_code == 6
    assert '2 jobs begin with "digits-": ' in done.stderr
    assert all(f"{job.name} ({job.id})" in done.stderr for job in jobs)


def test_events_come_oldest_first(run: Run, submit: Submit, service: Emulator) -> None:
    submit("digits")
    service.clock.advance(60)

    lines = run("job", "events", "digits").stdout.splitlines()
    documents = json.loads(run("job", "events", "digits", "-o", "json").stdout)

    assert lines[0].split() == ["TIME", "LEVEL", "EVENT"]
    assert len(lines) == len(documents) + 1 > 3
    assert [event["time"] for event in documents] == sorted(event["time"] for event in documents)


@pytest.mark.parametrize(
    ("plan", "status", "said"),
    [
        ({}, 0, ""),
        ({"exit_code": 9}, 3, "worker-0 ended with exit code 9"),
        ({"duration": 3600}, 5, "is still Running (it was not stopped)"),
    ],
)
def test_the_exit_status_of_wait_is_that_of_the_job(
    run: Run, submit: Submit, service: Emulator, plan: dict[str, int], status: int, said: str
) -> None:
    service.plans.add(job="*", **plan)
    submit("digits")
    service.clock.advance(30)

    done = run("job", "wait", "digits", "--timeout", 0)

    assert done.exit_code == status
    assert said in done.stderr


def test_waiting_says_the_stage_of_a_job_that_does_not_start(run: Run) -> None:
    body = {"algorithm": {"engine": {"image_url": "i"}, "command": "c"}, "spec": {"resource": {"flavor_id": FLAVOR}}}
    with Emulator(executor="simulated", capacity={FLAVOR: 1}) as emulator:
        emulator.plans.add(job="*", duration=3600)
        with ModelArts(config=Config.load(environ=emulator.environment())) as ma:
            for name in ("first", "second"):
                ma.jobs.submit({"metadata": {"name": name}, **body})  # type: ignore[typeddict-item]
        done = run("job", "wait", "second", "--timeout", 3, **emulator.environment())

    assert done.exit_code == 5
    assert re.search(r":\d\d second Pending, stage scheduling since 20.*: The job waits", done.stderr)


def test_a_stopped_job_has_an_exit_status_of_its_own(run: Run, submit: Submit, service: Emulator) -> None:
    submit("digits")

    assert "digits" in run("job", "stop", "digits").stdout
    service.clock.advance(5)

    assert run("job", "wait", "digits").exit_code == 4
    assert "has already ended: Terminated" in run("job", "stop", "digits").stderr


def test_a_job_that_has_ended_is_restarted(run: Run, submit: Submit, service: Emulator) -> None:
    submit("digits")
    active = run("job", "restart", "digits")
    service.clock.advance(60)

    assert "ModelArts.2813" in active.stderr
    assert run("job", "wait", "digits").exit_code == 0
    assert "digits" in run("job", "restart", "digits").stdout
    service.clock.advance(60)
    assert run("job", "wait", "digits").exit_code == 0


def test_deleting_asks_for_confirmation_unless_an_option_gives_it(run: Run, submit: Submit) -> None:
    submit("digits")

    assert run("job", "delete", "digits", stdin="n\n").exit_code == 1
    assert "Deleted digits" in run("job", "delete", "digits", "--yes").stderr
    assert run("job", "get", "digits").exit_code == 6


def test_outputs_and_logs_are_downloaded(run: Run, submit: Submit, service: Emulator, tmp_path: Path) -> None:
    submit("digits", outputs=[{"name": "train_url", "remote": {"obs": {"obs_url": "obs://work/out/"}}}])
    service.clock.advance(30)
    service.objects.put("obs://work/out/model.bin", "weights")

    done = run("job", "download", "digits", tmp_path / "out", "--logs", "--wait", "-o", "json")

    assert json.loads(done.stdout)["files"] == 2
    assert (tmp_path / "out" / "train_url" / "model.bin").read_text() == "weights"
    assert (tmp_path / "out" / "logs" / "worker-0.log").stat().st_size > 0


def test_a_failed_job_is_explained(run: Run, submit: Submit, service: Emulator) -> None:
    service.plans.add(job="*", exit_code=1, log=["ModuleNotFoundError: No module named 'numpy'"])
    submit("digits")
    service.clock.advance(30)

    done = run("job", "explain", "digits", "-o", "json")

    assert json.loads(done.stdout)["cause"] == "missing-module"
    assert "pip-requirements.txt" in run("job", "explain", "digits").stdout
    assert "has no module numpy" in run("job", "wait", "digits").stderr


def test_a_job_that_did_not_fail_is_reported_as_it_is(run: Run, submit: Submit, service: Emulator) -> None:
    submit("digits")
    for seconds, cause in ((1, "active"), (60, "completed")):
        service.clock.advance(seconds)

        verdict = json.loads(run("job", "explain", "digits", "-o", "json").stdout)

        assert verdict["cause"] == cause
        assert ("The job has been running since 20" in verdict["text"]) == (cause == "active")


def test_an_output_that_cannot_be_stored_does_not_cost_the_others(
    run: Run, submit: Submit, service: Emulator, tmp_path: Path
) -> None:
    """The folder of a channel may be a link that leads elsewhere."""
    channels = ["first", "second"]
    submit(
        "digits",
        outputs=[{"name": name, "remote": {"obs": {"obs_url": f"obs://work/{name}/"}}} for name in channels],
    )
    for name in channels:
        service.objects.put(f"obs://work/{name}/model.bin", "weights")
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "first").symlink_to(tmp_path / "elsewhere")

    done = run("job", "download", "digits", tmp_path / "out")

    assert done.exit_code == 1
    assert "output 'first' leads out of" in done.stderr
    assert (tmp_path / "out" / "second" / "model.bin").read_text() == "weights"
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_several_jobs_are_stopped_by_ids_and_patterns(run: Run, submit: Submit, service: Emulator) -> None:
    """What became of each is said; those that have ended are not meant by a pattern."""
    service.plans.add(job="*", duration=3600)
    service.plans.add(job="sweep-0", duration=1)
    submit("sweep-0")
    service.clock.advance(60)
    for name in ("sweep-1", "sweep-2", "other", "digits"):
        submit(name)
    service.clock.advance(1)

    done = run("job", "stop", "sweep-*", "other")

    assert done.exit_code == 0, done.stderr
    assert sorted(line.split()[0] for line in done.stdout.splitlines()) == ["other", "sweep-1", "sweep-2"]
    service.clock.advance(60)
    assert run("job", "stop", "sweep-*").stderr == "Error: no active job has a name like sweep-*\n"
    assert "Running" in run("job", "get", "digits").stdout
    assert len(json.loads(run("job", "stop", "sweep-1", "sweep-2", "-o", "json").stdout)) == 2


def test_several_jobs_are_deleted_after_one_question(run: Run, submit: Submit, service: Emulator) -> None:
    for number in range(12):
        submit(f"sweep-{number}")
    submit("digits")

    declined = run("job", "delete", "sweep-?", "sweep-1*", stdin="n\n")
    assert declined.exit_code == 1
    assert "Delete 12 jobs (" in declined.stderr
    assert "and 2 more)?" in declined.stderr
    deleted = run("job", "delete", "sweep-?", "sweep-1*", stdin="y\n")
    assert deleted.exit_code == 0
    assert deleted.stderr.count("Deleted sweep-") == 12
    assert [line.split()[0] for line in run("job", "list").stdout.splitlines()] == ["NAME", "digits"]


def test_an_error_of_one_job_stops_no_other(run: Run, submit: Submit, service: Emulator) -> None:
    for name in ("one", "two", "three"):
        submit(name)
    service.faults.add(kind="status", status=403, code="ModelArts.0010", operations=["deleteTrainingJob"], count=1)

    done = run("job", "delete", "one", "two", "three", "--yes")

    assert done.exit_code == 6
    assert done.stderr.startswith("Error: one: ")
    assert done.stderr.count("Deleted") == 2


@pytest.mark.parametrize("until", ["Running", "Pending", "preparing", "running"])
def test_a_wait_ends_when_the_job_runs(run: Run, submit: Submit, service: Emulator, until: str) -> None:
    service.plans.add(job="*", duration=3600)
    submit("digits")
    service.clock.advance(5)

    done = run("job", "wait", "digits", "--until", until)

    assert done.exit_code == 0, done.stderr
    assert "Running" in done.stdout
    assert run("job", "wait", "digits", "--until", "Runing").exit_code == 2
