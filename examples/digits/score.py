"""Score a trained model on the images that no training job ever sees: `python score.py model.npz`."""

import sys
from pathlib import Path

import numpy as np

HELD_OUT = Path(__file__).parent / "held-out.csv.gz"


def score(model: Path, data: Path = HELD_OUT) -> float:
    """Return the share of digits that the model names right."""
    rows = np.loadtxt(data, delimiter=",", dtype=np.float32)
    with np.load(model) as weights:
        hidden = np.maximum(rows[:, :-1] / 16 @ weights["hidden_weight"] + weights["hidden_bias"], 0)
        responses = (hidden @ weights["output_weight"] + weights["output_bias"]).argmax(axis=1)
    return float((responses == rows[:, -1]).mean())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python score.py model.npz")
    print(f"accuracy {score(Path(sys.argv[1])):.4f}")
