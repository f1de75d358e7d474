"""`modelarts job metrics`."""

import json

import pytest
from tests.overlays.cli.conftest import Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli.job_metrics import chart


@pytest.fixture
def measured(submit: Submit, service: Emulator) -> str:
    """The name of a job with five minutes of metrics."""
    service.plans.add(job="*", duration=300, metrics={"cpuUsage": [0, 25, 50, 75, 100]})
    submit("digits")
    service.clock.advance(600)
    return "digits"


def test_each_metric_is_a_line_with_a_chart(run: Run, measured: str) -> None:
    done = run("job", "metrics", measured)

    line = next(line for line in done.stdout.splitlines() if "cpuUsage" in line)
    assert line.split()[:2] == ["worker-0", "cpuUsage"]
    assert "█" in line
    assert len(json.loads(run("job", "metrics", measured, "-o", "json").stdout)) == 5


def test_without_values_a_sentence_says_why(run: Run, submit: Submit) -> None:
    submit("digits")

    assert "measures once a minute" in run("job", "metrics", "digits").stderr


def test_a_chart_has_the_highest_values_of_its_parts_and_gaps() -> None:
    assert chart([0, 50, None, 100], 10) == " ▄·█"
    assert chart([1, 100, 3, 4], 2) == "█ "


def test_a_job_that_reports_nothing_has_the_curves_of_its_log(run: Run, submit: Submit, service: Emulator) -> None:
    """As on the page and in comparisons."""
    service.plans.add(job="*", duration=10, log=["epoch 1 loss 0.9", "epoch 2 loss 0.3"])
    submit("digits")
    service.clock.advance(20)

    lines = [line.split() for line in run("job", "metrics", "digits", "--own").stdout.splitlines()[1:]]

    assert lines == [["loss", "█▁", "0.9", "0.3", "0.3", "2"]]
    (document,) = json.loads(run("job", "metrics", "digits", "--own", "-o", "json").stdout)
    assert (document["metric"], document["last"], document["values"]) == ("loss", 0.3, [0.9, 0.3])
    assert run("job", "metrics", "digits", "--own", "--task", "worker-0").exit_code == 2


def test_a_job_without_numbers_has_no_curves(run: Run, submit: Submit, service: Emulator) -> None:
    service.plans.add(job="*", log=["hello"])
    submit("digits")
    service.clock.advance(60)

    assert "The job has no curves" in run("job", "metrics", "digits", "--own").stderr
