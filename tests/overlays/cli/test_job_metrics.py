"""`modelarts job metrics`."""

import math
import os
import pty
import subprocess
from pathlib import Path

import pytest
from tests.overlays.cli.conftest import MODELARTS, Submit

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts
from modelarts_toolkit.cli.curve_lines import MOST_LINES, curve_lines, sparkline
from modelarts_toolkit.jobs.curves import MOST_CURVES, MOST_VALUES, Curve, Curves, is_smaller_better, pairs


def test_a_chart_of_percentages_has_the_means_of_its_parts_and_gaps() -> None:
    assert sparkline([0, 50, math.nan, 100], 10, (0, 100)) == "▁▅·█"
    assert sparkline([1, 100, 3, 4], 2, (0, 100)) == "▅▁"


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


def test_few_lines_are_drawn_and_each_fits_the_terminal() -> None:
    curves = [curve("a_name_of_many_characters_" * 2, *range(1000)), *[curve("m", 1, 2)] * (MOST_LINES + 1)]

    lines = [*curve_lines(curves, 20)]

    assert (len(lines), lines[-1]) == (MOST_LINES + 1, "and 2 more curves")
    assert max(map(len, lines)) < 20
    assert [*curve_lines([], 80)] == []


def test_what_is_not_finite_is_a_gap_and_extremes_are_drawn() -> None:
    assert sparkline([0, math.nan, 7, math.inf], 10) == "▁·█·"
    assert sparkline([-1.7e308, 0, 1.7e308], 10) == "▁▅█"
    assert sparkline([3, 3], 10) == "▄▄"
    assert sparkline([math.nan], 10) == "·"
    assert sparkline([*range(100)], 4) == "▁▃▆█"
    assert [*curve_lines([*Curves(["loss nan", "loss nan"]).found().values()], 80)] == ["loss  ··  nan → nan, best nan"]


def test_a_job_that_has_not_started_has_neither_curves_nor_result(
    ma: ModelArts, submit: Submit, service: Emulator
) -> None:
    service.plans.add(job="*", duration=5, log=["loss: 0.9", "loss: 0.4"])
    service.plans.add(job="waiting", preparation=100)
    submit("first")
    service.clock.advance(60)
    submit("waiting")

    comparison = ma.jobs.compare(["first", "waiting"])

    assert [each and each.last for each in comparison.metrics["loss"]] == [0.4, None]
    assert comparison.results[1] == ""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("epoch 6/6 loss 0.068 accuracy 0.986", {"loss": 0.068, "accuracy": 0.986}),
        ("{'loss': 0.31, 'learning_rate': 5e-05, 'epoch': 1.0}", {"loss": 0.31, "learning_rate": 5e-05}),
        ("12:30:45 INFO train loss=0.3 - val_acc: 98.2%", {"loss": 0.3, "val_acc": 98.2}),
        ("step 100 | train/loss 0.3 | lr 1e-4", {"train/loss": 0.3, "lr": 1e-4}),
        ("10%|# | 1/10 [00:01<00:09, 1.02s/it, loss=-.5]", {"loss": -0.5}),
        ("Loss: 0.5 (best)", {"Loss": 0.5}),
        ("Epoch 1 took 3.2 s, 5 steps/s", {}),
        ("listening on http://127.0.0.1:9180/ with version 3.11.2", {}),
        ("time: 3.2s torch==2.1.0 at 2026-11-23 12:00:00", {}),
    ],
)
def test_pairs_of_a_name_and_a_number_are_read_from_a_line(line: str, expected: dict[str, float]) -> None:
    assert dict(pairs(line)) == expected


def test_a_curve_knows_its_first_best_and_last_value() -> None:
    """A value that is not finite is shown, and is never the best."""
    found = Curves(["loss: 0.9 accuracy: 0.1", "loss: 0.2 accuracy: 0.8", "loss: nan accuracy: 0.7", "sum 5"]).found()

    loss, accuracy = found["loss"], found["accuracy"]
    assert (loss.first, loss.best, loss.count) == (0.9, 0.2, 3)
    assert math.isnan(loss.last)
    assert loss.to_dict()["last"] is None
    assert (accuracy.first, accuracy.best, accuracy.last, accuracy.values) == (0.1, 0.8, 0.7, [0.1, 0.8, 0.7])
    assert "sum" not in Curves(["sum 5"]).found(fewest=2)


def test_the_smallest_loss_or_error_is_the_best_and_the_largest_value_of_another_metric() -> None:
    small = ["loss", "val_loss", "Loss", "error", "rmse", "val_mae", "perplexity", "val/rmse", "top1_err"]
    assert all(map(is_smaller_better, small))
    assert not any(map(is_smaller_better, ["accuracy", "reward", "f1", "fidelity", "maestro", "interrupts"]))


def test_tasks_have_curves_of_their_own_and_lines_of_the_platform_none() -> None:
    lines = ["[worker-0] loss 0.5", "[worker-1] loss 0.7", "[worker-0] [ModelArts Service Log] exit code: 1"]

    assert {name: curve.last for name, curve in Curves(lines).found().items()} == {"loss": 0.5, "worker-1 loss": 0.7}


def test_a_long_log_with_many_names_keeps_few_values() -> None:
    """First, best and last are exact; a line of a megabyte costs no time."""
    curve = Curve("loss")
    for number in range(10 * MOST_VALUES):
        curve.add(abs(number - 7001))

    assert len(curve.values) <= MOST_VALUES
    assert (curve.first, curve.best, curve.last) == (7001, 0, 10 * MOST_VALUES - 7002)
    assert len(Curves(f"m{number}: 1" for number in range(1000)).found()) == MOST_CURVES
    assert Curves(["a" * 1_000_000, "a.b-" * 250_000, "loss " * 200_000, "1" * 1_000_000]).found() == {}
