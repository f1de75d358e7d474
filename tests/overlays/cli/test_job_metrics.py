"""`modelarts job metrics`."""

import os
import pty
import subprocess
from pathlib import Path

from tests.overlays.cli.conftest import MODELARTS, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.jobs.tables import usage_series

SCRIPT = """\
for epoch in range(1, 5):
    print(f"epoch {epoch}/4 loss {1 / epoch:.4g} accuracy={epoch / 4}")
print("sum: 5")
"""


def run_on_terminal(folder: Path) -> str:
    """What the command writes to standard error, which is a terminal."""
    (folder / "train.py").write_text(SCRIPT)
    reader, writer = pty.openpty()
    variables = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "XDG_DATA_HOME": str(folder / "home")}
    command = [MODELARTS, "run", "train.py"]
    with subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=writer) as process:
        os.close(writer)
        parts = []
        try:
            while part := os.read(reader, 4096):
                parts.append(part)
        except OSError:  # Linux says so of a terminal that nobody writes to any more
            pass
        os.close(reader)
    assert process.returncode == 0
    return b"".join(parts).decode()


def test_a_run_ends_with_a_curve_of_each_number_that_comes_again(tmp_path: Path) -> None:
    """A number that came once is not a curve."""
    lines = run_on_terminal(tmp_path).splitlines()

    expected = ["loss      █▃▂▁  1 → 0.25, best 0.25", "accuracy  ▁▃▆█  0.25 → 1, best 1"]
    assert [line for line in lines if "best" in line] == expected


def test_a_job_that_has_not_started_has_neither_curves_nor_result(
    ma: ModelArts, submit: Submit, service: Emulator
) -> None:
    """A parameter that the first one only repeats is not compared."""
    service.plans.add(job="*", duration=5, log=["lr: 0.1", "loss: 0.9", "lr: 0.1", "loss: 0.4"])
    service.plans.add(job="waiting", preparation=100)
    submit("first", parameters=[{"name": "lr", "value": "0.1"}])
    service.clock.advance(60)
    submit("waiting")

    comparison = ma.jobs.compare(["first", "waiting"])

    assert {name: [each and each.last for each in found] for name, found in comparison.metrics.items()} == {
        "loss": [0.4, None]
    }
    assert comparison.results[1] == ""
    assert "<td>first</td><td>waiting</td>" in comparison._repr_html_()


def test_what_a_node_does_not_measure_is_left_out() -> None:
    rows = [
        {"task": "worker-0", "minute": 0, "cpuUsage": None, "npuUtil": None},
        {"task": "worker-0", "minute": 1, "cpuUsage": 2.0, "npuUtil": None},
    ]

    assert usage_series(rows) == {("worker-0", "cpuUsage"): [None, 2.0]}
