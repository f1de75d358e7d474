"""`modelarts job compare`."""

import json
from typing import Any

from tests.overlays.cli.conftest import Run, Submit
from tests.overlays.cli.test_v1 import ended, v1_project

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

__all__ = ["ended", "v1_project"]


def parameters(**values: float) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in values.items()]


def test_two_jobs_are_shown_beside_each_other(run: Run, submit: Submit, service: Emulator) -> None:
    service.plans.add(job="*", duration=65, log=["loss: 0.9", "loss: 0.1", "loss: {lr}"])
    service.plans.add(job="second", duration=65, exit_code=3, log=["loss: {lr}"])
    submit("first", parameters=parameters(lr=0.1, epochs=2))
    submit("second", parameters=parameters(lr=0.2, epochs=2), nodes=2)
    service.clock.advance(600)

    done = run("job", "compare", "first", "second")

    assert done.exit_code == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[:2] == [["OF", "JOB", "1", "JOB", "2"], ["name", "first", "second"]]
    assert ["phase", "Completed", "Failed"] in lines
    assert ["ran", "1", "min", "05", "s", "1", "min", "05", "s"] in lines
    assert ["nodes", "1", "2"] in lines
    assert ["parameter", "lr", "0.1", "0.2"] in lines
    assert ["last", "loss", "0.1", "0.2"] in lines
    assert "epochs" not in done.stdout
    document = json.loads(run("job", "compare", "first", "second", "-o", "json").stdout)
    first, second = document["jobs"]
    assert document["parameters"] == {"lr": ["0.1", "0.2"]}
    assert (first["duration"], "exit code 3" in second["result"]) == (65, True)
    assert {"count": 3, "first": 0.9, "best": 0.1, "last": 0.1}.items() <= first["metrics"]["loss"].items()


def test_a_job_that_has_not_started_has_neither_curves_nor_result(
    ma: ModelArts, submit: Submit, service: Emulator
) -> None:
    service.plans.add(job="*", duration=5, log=["loss: 0.9", "loss: 0.4"])
    service.plans.add(job="waiting", preparation=100)
    submit("first")
    service.clock.advance(60)
    submit("waiting")

    first, waiting = ma.jobs.compare(["first", "waiting"]).jobs

    assert {name: each.last for name, each in first.curves.items()} == {"loss": 0.4}
    assert (waiting.result, waiting.curves) == ("", {})


def test_versions_of_version_1_are_compared(run: Run, ended: Emulator) -> None:
    assert run("v1", "version", "create", "sum", "--parameter", "lr=0.5", "--detach").exit_code == 0

    done = run("v1", "job", "compare", "sum/V0001", "sum/V0002")

    assert ["parameter", "lr", "0.10", "0.5"] in [line.split() for line in done.stdout.splitlines()]


def test_a_missing_job_and_a_single_one_are_errors(run: Run, submit: Submit) -> None:
    submit("first")

    assert 'there is no job "other"' in run("job", "compare", "first", "other").stderr
    assert "name two jobs" in run("job", "compare", "first").stderr
