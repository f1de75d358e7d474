"""A recording is played on an emulator of its own, and compared three ways: documents, recording, emulator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from modelarts_contract import har
from modelarts_contract.commands import contract
from modelarts_contract.exchange import Exchange
from modelarts_contract.recording import Recording, recorded
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

JOB: Any = {
    "kind": "job",
    "metadata": {"name": "replayed", "annotations": {"emulator/duration": "300"}},
    "algorithm": {
        "code_dir": "/recorded/code/",
        "boot_file": "/recorded/code/train.py",
        "engine": {"engine_id": "pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64"},
    },
    "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
}
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
            ma.v1.training_job_versions.show_training_job_version(old.job_id, old.version_id)
    return list(har.read(file))


def check(folder: Path, exchanges: Sequence[Exchange], *options: str) -> Any:
    har.write(folder / "session.har", exchanges)
    return CliRunner().invoke(contract, ["check", str(folder / "session.har"), "--replay", *options])


def test_a_recording_of_an_emulator_is_played_without_a_difference(session: list[Exchange], tmp_path: Path) -> None:
    """Logins, ids, objects and times are those of the emulator that plays it; nothing of the recording is left."""
    done = check(tmp_path, session)

    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-2:] == [
        f"{len(session)} exchanges: no findings",
        f"{len(session)} played on the emulator: no differences",
    ]


def test_statuses_types_and_fields_that_differ_are_reported(session: list[Exchange], tmp_path: Path) -> None:
    """What existed before the recording is not played; a field that one of both has does not fail the check."""
    number, shown = next(
        (number, each) for number, each in enumerate(session) if each.method == "GET" and "training-jobs/" in each.url
    )
    body = shown.response_json()
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
    assert ("other type", "status.duration is text, not number") in kinds(first)
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
    return [(difference["kind"], difference["message"]) for difference in entry["differences"]]
