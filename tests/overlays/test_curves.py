"""Curves: the numbers in the lines of a log."""

import math

import pytest

from modelarts_toolkit.jobs.curves import MOST_CURVES, MOST_VALUES, Curve, Curves, is_smaller_better, pairs


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
