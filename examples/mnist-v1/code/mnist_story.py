"""What the boot files of this example share: the copies from and to OBS, the data set, and the loop over the epochs.

The first version of the API passes OBS paths as `--data_url` and `--train_url`, and the script copies itself.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

os.environ.setdefault("OMP_NUM_THREADS", "1")  # The matrices are small: more threads only wait for each other.

import numpy as np

import moxing as mox

SIDE, CLASSES = 28, 10
MAX_SHIFT = 1  # pixel


class Model(Protocol):
    """What a boot file brings."""

    def step(self, images: np.ndarray, digits: np.ndarray) -> float:
        """Learn from one batch; return its loss."""

    def accuracy(self, images: np.ndarray, digits: np.ndarray) -> float:
        """Return the share of digits that are named right."""

    def weights(self) -> dict[str, np.ndarray]:
        """Return hidden_weight, hidden_bias, output_weight and output_bias."""

    def export(self, folder: Path) -> None:
        """Write what the engine itself can load."""


class Summaries(Protocol):
    """Writes what TensorBoard shows."""

    def add(self, epoch: int, **values: float) -> None: ...


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a network on handwritten digits in the format of MNIST.")
    parser.add_argument("--data_url", required=True, help="OBS folder with train-images-idx3-ubyte.gz and its labels")
    parser.add_argument("--train_url", required=True, help="OBS folder for model, metrics and summaries")
    parser.add_argument("--num_epoch", type=int, default=20)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--hidden", type=int, default=256, help="units in the hidden layer")
    parser.add_argument("--lr", type=float, default=0.002)
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_known_args()[0]


def read_idx(file: Path) -> np.ndarray:
    """Read an idx file of unsigned bytes."""
    content = gzip.decompress(file.read_bytes())
    zero, kind, dimensions = struct.unpack_from(">HBB", content)
    if (zero, kind) != (0, 0x08):
        raise SystemExit(f"{file.name} is not an idx file of unsigned bytes")
    shape = struct.unpack_from(f">{dimensions}I", content, 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def shifted(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Move each image by up to one pixel, so that the network learns shapes and not places."""
    moved = np.empty_like(images)
    for index, (down, right) in enumerate(random.integers(-MAX_SHIFT, MAX_SHIFT + 1, (len(images), 2))):
        moved[index] = np.roll(images[index], (down, right), (0, 1))
    return moved


def batches(count: int, size: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    order = random.permutation(count)
    yield from (order[start : start + size] for start in range(0, count, size))


def train(given: argparse.Namespace, model: Model, open_summaries: Callable[[Path], Summaries]) -> None:
    """Fetch the data, train, and store model, metrics and summaries; results so far are stored after every epoch."""
    random = np.random.default_rng(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        data, output = Path(folder, "data"), Path(folder, "output")
        mox.file.copy_parallel(given.data_url, data)
        images = read_idx(data / "train-images-idx3-ubyte.gz").astype(np.float32) / 255
        digits = read_idx(data / "train-labels-idx1-ubyte.gz").astype(np.int64)
        print(f"{len(images)} images of {images.shape[1]} x {images.shape[2]} pixels", flush=True)
        order = random.permutation(len(images))
        check, learn = order[: len(order) // 10], order[len(order) // 10 :]
        summaries = open_summaries(output / "logs")
        history = []
        for epoch in range(1, given.num_epoch + 1):
            moved = shifted(images[learn], random)
            losses = [
                model.step(moved[batch], digits[learn][batch])
                for batch in batches(len(learn), given.batch_size, random)
            ]
            loss, accuracy = float(np.mean(losses)), model.accuracy(images[check], digits[check])
            history.append({"epoch": epoch, "loss": round(loss, 6), "accuracy": round(accuracy, 6)})
            print(f"epoch {epoch}/{given.num_epoch} loss {loss:.3f} accuracy {accuracy:.3f}", flush=True)
            summaries.add(epoch, loss=loss, accuracy=accuracy)
            mox.file.copy_parallel(output, given.train_url)
        np.savez(output / "model.npz", allow_pickle=False, **model.weights())
        (output / "metrics.json").write_text(json.dumps({"epochs": history}, indent=1) + "\n")
        model.export(output / "model")
        mox.file.copy_parallel(output, given.train_url)
    print("Done exporting!", flush=True)
