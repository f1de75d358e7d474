"""Jobs beside each other, with both clients, against a simulated emulator."""

import json
from typing import Any

import pytest
from tests.overlays.cli.conftest import ENGINE, FLAVOR
from tests.overlays.conftest import Twin
from tests.overlays.test_v1_jobs import JOB as V1_JOB

from modelarts_emulator.server import Emulator
from modelarts_toolkit import NotFound


def job(name: str, lr: float, **algorithm: Any) -> Any:
    return {
        "kind": "job",
        "metadata": {"name": name},
        "algorithm": {
            "code_dir": "obs://work/code/",
            "boot_file": "obs://work/code/train.py",
            "engine": {"engine_id": ENGINE},
            "parameters": [{"name": "lr", "value": lr}, {"name": "epochs", "value": 2}],
            **algorithm,
        },
        "spec": {"resource": {"flavor_id": FLAVOR, "node_count": 1}},
    }


@pytest.fixture
def service(emulator: Emulator, emulator_environment: dict[str, str]) -> Emulator:
    """An emulator in which the job `second` fails, and the others complete."""
    emulator.objects.put("obs://work/code/train.py", "print('hello')")
    emulator.objects.put("obs://work/data/x", "")
    emulator.clock.freeze()
    emulator.plans.add(job="*", duration=5, log=["loss: 0.9", "loss: 0.3", "loss: 0.4"])
    emulator.plans.add(job="second", duration=5, exit_code=3, log=["loss: 0.8"])
    return emulator


def test_jobs_are_compared_by_what_differs_their_metrics_and_their_result(twin: Twin, service: Emulator) -> None:
    twin.do(lambda ma: ma.jobs.submit(job("first", 0.1)))
    twin.do(lambda ma: ma.jobs.submit(job("second", 0.2)))
    service.clock.advance(60)

    found = twin.do(lambda ma: ma.jobs.compare(["first", "second"]))

    assert found.parameters == {"lr": ("0.1", "0.2")}
    assert found.settings == {}
    first, second = found.metrics["loss"]
    assert (first.first, first.best, first.last) == (0.9, 0.3, 0.4)
    assert second.last == 0.8
    assert [each.phase for each in found.jobs] == ["Completed", "Failed"]
    assert "exit code 3" in found.jobs[1].result
    assert found.to_dict()["jobs"][0]["metrics"]["loss"]["best"] == 0.3
    assert found.to_dict()["jobs"][0]["duration"] == 5


def test_metrics_that_a_job_reports_come_before_those_of_its_log(twin: Twin, service: Emulator) -> None:
    """A report that the service rejects counts as none."""
    points = [{"step": 1, "loss": 0.5}, {"step": 2, "loss": 0.25}]
    report = {"data": {"metrics": [{"name_en": "training", "type": "line", "x_axis": "step", "data": points}]}}
    outputs = [{"name": "train_url", "remote": {"obs": {"obs_url": "obs://work/own/"}}}]
    twin.do(lambda ma: ma.jobs.submit(job("first", 0.1, outputs=outputs)))
    service.clock.advance(60)
    service.objects.put("obs://work/own/ft-report.json", json.dumps(report))
    service.objects.put("obs://work/wrong/ft-report.json", "[]")
    outputs = [{"name": "train_url", "remote": {"obs": {"obs_url": "obs://work/wrong/"}}}]
    twin.do(lambda ma: ma.jobs.submit(job("third", 0.1, outputs=outputs)))
    service.clock.advance(60)

    found = twin.do(lambda ma: ma.jobs.compare(["first", "third"]))

    assert {name: each.last for name, each in found.jobs[0].curves.items()} == {"training loss": 0.25}
    assert {name: each.last for name, each in found.jobs[1].curves.items()} == {"loss": 0.4}
    assert found.parameters == {}


def test_a_job_that_has_not_started_has_neither_metrics_nor_result(twin: Twin, service: Emulator) -> None:
    service.plans.add(job="waiting", preparation=100)
    twin.do(lambda ma: ma.jobs.submit(job("waiting", 0.1)))

    (found,) = twin.do(lambda ma: ma.jobs.compare(["waiting"])).jobs

    assert (found.result, found.curves) == ("", {})


def test_versions_of_a_job_of_version_1_are_compared(twin: Twin, service: Emulator) -> None:
    twin.do(lambda ma: ma.v1_jobs.submit(V1_JOB))
    service.clock.advance(60)
    twin.do(lambda ma: ma.v1_jobs.submit_version("sum", parameters={"rate": 0.5}))
    service.clock.advance(60)

    found = twin.do(lambda ma: ma.v1_jobs.compare(["sum/V0001", "sum/V0002"]))

    assert [each.name for each in found.jobs] == ["sum/V0001", "sum/V0002"]
    assert found.parameters["rate"] == ("0.1", "0.5")
    assert [each.best for each in found.metrics["loss"]] == [0.3, 0.3]


def test_a_missing_job_is_not_found(twin: Twin, service: Emulator) -> None:
    twin.do(lambda ma: ma.jobs.submit(job("first", 0.1)))

    with pytest.raises(NotFound):
        twin.do(lambda ma: ma.jobs.compare(["first", "c751d3a5-0000-4000-8000-000000000000"]))
