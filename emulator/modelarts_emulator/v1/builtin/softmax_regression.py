"""Train a linear classifier on tables of numbers with stochastic gradient descent; needs nothing but Python.

Source of the method: multinomial logistic regression.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

Row = tuple[list[float], int]


def main() -> None:
    """Read the tables, train, and write `model.json` and `metrics.json`."""
    given = _arguments()
    rows = list(_rows(given.data_url))
    chance = random.Random(given.seed)  # noqa: S311 - it orders rows
    chance.shuffle(rows)
    scale = max((abs(number) for numbers, _ in rows for number in numbers), default=0) or 1.0
    rows = [([number / scale for number in numbers] + [1.0], label) for numbers, label in rows]
    held_out = int(len(rows) * given.validation_share)
    validation, training = rows[:held_out], rows[held_out:]
    if not training:
        raise SystemExit(f"no rows to train on in {given.data_url}: upload *.csv or *.csv.gz there")
    classes = max(label for _, label in rows) + 1
    weights = [[0.0] * len(training[0][0]) for _ in range(classes)]
    for epoch in range(1, given.num_epoch + 1):
        chance.shuffle(training)
        loss = sum(_learn(weights, numbers, label, given.learning_rate) for numbers, label in training)
        accuracy = _accuracy(weights, validation or training)
        print(f"epoch {epoch}: loss={loss / len(training):.4f} accuracy={accuracy:.4f}", flush=True)
    given.train_url.mkdir(parents=True, exist_ok=True)
    (given.train_url / "model.json").write_text(json.dumps({"scale": scale, "weights": weights}))
    (given.train_url / "metrics.json").write_text(json.dumps({"accuracy": _accuracy(weights, validation or training)}))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a linear classifier.")
    parser.add_argument("--data_url", type=Path, required=True)
    parser.add_argument("--train_url", type=Path, required=True)
    parser.add_argument("--learning_rate", type=float, required=True)
    parser.add_argument("--num_epoch", type=int, required=True)
    parser.add_argument("--validation_share", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    return parser.parse_args()


def _rows(folder: Path) -> Iterator[Row]:
    for path in sorted(folder.rglob("*.csv")) + sorted(folder.rglob("*.csv.gz")):
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as stream:
            for number, cells in enumerate(csv.reader(stream), 1):
                try:
                    numbers, label = [float(cell) for cell in cells[:-1]], int(cells[-1])
                except (IndexError, ValueError):
                    raise SystemExit(f"{path.name}, line {number}: write numbers, then the class") from None
                if label < 0 or not numbers:
                    raise SystemExit(f"{path.name}, line {number}: write numbers, then the class, 0 or more")
                yield numbers, label


def _learn(weights: list[list[float]], numbers: Sequence[float], label: int, rate: float) -> float:
    """Move the weights against the gradient of one row's loss, and return that loss."""
    shares = _shares(weights, numbers)
    for which, row in enumerate(weights):
        step = rate * (shares[which] - (which == label))
        if abs(step) > 1e-6:
            weights[which] = [weight - step * number for weight, number in zip(row, numbers, strict=True)]
    return -math.log(max(shares[label], 1e-12))


def _shares(weights: Sequence[Sequence[float]], numbers: Sequence[float]) -> list[float]:
    """The probability of each class."""
    scores = [sum(map(float.__mul__, row, numbers)) for row in weights]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def _accuracy(weights: Sequence[Sequence[float]], rows: Sequence[Row]) -> float:
    hits = 0
    for numbers, label in rows:
        shares = _shares(weights, numbers)
        hits += shares.index(max(shares)) == label
    return hits / len(rows)


if __name__ == "__main__":
    main()
