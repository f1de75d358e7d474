"""Score a trained model on the digits that no training job ever sees: `python mnist_score.py model.npz`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from make_dataset import DIGITS, read_digits


def score(model: Path, data: Path = DIGITS / "held-out.csv.gz") -> float:
    """Return the share of digits that the model names right."""
    images, digits = read_digits(data)
    with np.load(model) as weights:
        hidden = np.maximum(
            images.reshape(len(images), -1) / 255 @ weights["hidden_weight"] + weights["hidden_bias"], 0
        )
        named = (hidden @ weights["output_weight"] + weights["output_bias"]).argmax(axis=1)
    return float((named == digits).mean())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python mnist_score.py model.npz")
    print(f"accuracy {score(Path(sys.argv[1])):.4f}")
