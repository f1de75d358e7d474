"""`modelarts job compare`."""

import json

from tests.overlays.cli.conftest import Run, Submit
from tests.overlays.cli.test_v1 import ended, v1_project

from modelarts_emulator.server import Emulator

__all__ = ["ended", "v1_project"]


def test_two_jobs_are_shown_beside_each_other(run: Run, submit: Submit, service: Emulator) -> None:
    service.plans.add(job="*", duration=65, log=["loss: 0.9", "loss: {lr}"])
    submit("first", parameters=[{"name": "lr", "value": 0.1}, {"name": "epochs", "value": 2}])
    submit("second", parameters=[{"name": "lr", "value": 0.2}, {"name": "epochs", "value": 2}], nodes=2)
    service.clock.advance(600)

    done = run("job", "compare", "first", "second")

    assert done.exit_code == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[:2] == [["OF", "JOB", "1", "JOB", "2"], ["name", "first", "second"]]
    assert ["phase", "Completed", "Completed"] in lines
    assert ["ran", "1", "min", "05", "s", "1", "min", "05", "s"] in lines
    assert ["nodes", "1", "2"] in lines
    assert ["parameter", "lr", "0.1", "0.2"] in lines
    assert ["last", "loss", "0.1", "0.2"] in lines
    assert "epochs" not in done.stdout
    document = json.loads(run("job", "compare", "first", "second", "-o", "json").stdout)
    assert document["parameters"] == {"lr": ["0.1", "0.2"]}
    assert document["jobs"][1]["metrics"]["loss"]["count"] == 2


def test_versions_of_version_1_are_compared(run: Run, ended: Emulator) -> None:
    assert run("v1", "version", "create", "sum", "--parameter", "lr=0.5", "--detach").exit_code == 0

    done = run("v1", "job", "compare", "sum/V0001", "sum/V0002")

    assert ["parameter", "lr", "0.10", "0.5"] in [line.split() for line in done.stdout.splitlines()]


def test_a_missing_job_and_a_single_one_are_errors(run: Run, submit: Submit) -> None:
    submit("first")

    assert 'there is no job "other"' in run("job", "compare", "first", "other").stderr
    assert "name two jobs" in run("job", "compare", "first").stderr
