"""`modelarts job metrics`."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.overlays.cli.conftest import Run, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit.cli.job_metrics import chart
from modelarts_toolkit.cli.metrics_page import as_page


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

    assert "a value for each minute" in run("job", "metrics", "digits").stderr


def test_a_picture_and_a_page_are_written(run: Run, measured: str, tmp_path: Path) -> None:
    done = run("job", "metrics", measured, "--plot", tmp_path / "use.png", "--html", tmp_path / "use.html")

    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "use.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "use.html").read_text()
    assert ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6]).tag == "svg"
    assert "cpuUsage in percent over 4 minutes" in page


def test_a_page_has_axes_and_a_curve_for_each_task_and_leaves_gaps_open() -> None:
    """Two tasks in one chart; a minute that was not measured interrupts the curve."""
    page = as_page("digits <1>", {("worker-0", "cpuUsage"): [0, 50, None, 100], ("worker-1", "cpuUsage"): [20] * 4}, "")

    svg = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])
    texts = [text.text for text in svg.iter("text")]
    assert {"0 %", "100 %", "0", "3", "minutes since the start"} <= set(texts)
    assert [len(list(task)) - 1 for task in svg.iter("g")] == [2, 1], "pieces of the curves"
    assert "digits &lt;1&gt;" in page
    assert "mean 50.0 %, highest 100.0 %, last 100.0 %" in page
    assert 'name="viewport"' in page


def test_a_page_without_a_curve_says_why() -> None:
    one = as_page("digits", {("worker-0", "cpuUsage"): [13.989]}, "nothing yet")

    assert "<svg" not in one
    assert "There is one value: a curve needs two minutes." in one
    assert "mean 14.0 %, highest 14.0 %, last 14.0 %" in one
    assert "<p>nothing yet</p>" in as_page("digits", {}, "nothing yet")


def test_a_picture_of_another_kind_is_rejected(run: Run, measured: str, tmp_path: Path) -> None:
    done = run("job", "metrics", measured, "--plot", tmp_path / "use.doc")

    assert done.exit_code == 1
    assert "cannot be written" in done.stderr


def test_a_chart_has_the_highest_values_of_its_parts_and_gaps() -> None:
    assert chart([0, 50, None, 100], 10) == " ▄·█"
    assert chart([1, 100, 3, 4], 2) == "█ "
