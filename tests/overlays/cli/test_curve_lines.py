"""The curves that `modelarts run` draws at its end."""

import math
import os
import pty
import subprocess
from pathlib import Path

import pytest
from tests.overlays.cli.test_run_signals import MODELARTS

from modelarts_toolkit.cli.curve_lines import MOST_LINES, curve_lines, sparkline
from modelarts_toolkit.jobs.curves import Curve, Curves

SCRIPT = """\
for epoch in range(1, 5):
    print(f"epoch {epoch}/4 loss {1 / epoch:.4g} accuracy={epoch / 4}")
print("sum: 5")
"""


def curve(name: str, *values: float) -> Curve:
    made = Curve(name)
    for value in values:
        made.add(value)
    return made


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


@pytest.mark.parametrize("width", [20, 80])
def test_lines_fit_the_terminal(width: int) -> None:
    curves = [curve("a_name_of_many_characters_" * 2, *range(1000)), curve("loss", 0.123456, 0.2)]

    lines = [*curve_lines(curves, width)]

    assert len(lines) == 2
    assert max(map(len, lines)) < width


def test_few_curves_are_drawn_of_many() -> None:
    lines = [*curve_lines([curve(f"m{number}", 1, 2) for number in range(MOST_LINES + 2)], 80)]

    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == "and 2 more curves"
    assert [*curve_lines([], 80)] == []


def test_what_is_not_finite_is_a_gap_and_extremes_are_drawn() -> None:
    assert sparkline([0, math.nan, 7, math.inf], 10) == "▁·█·"
    assert sparkline([-1.7e308, 0, 1.7e308], 10) == "▁▅█"
    assert sparkline([3, 3], 10) == "▄▄"
    assert sparkline([math.nan], 10) == "·"
    assert sparkline([*range(100)], 4) == "▁▃▆█"
    assert [*curve_lines([*Curves(["loss nan", "loss nan"]).found().values()], 80)] == ["loss  ··  nan → nan, best nan"]
