"""Train a network with one hidden layer on images in the format of MNIST; needs nothing but Python.

The data set is `train-images-idx3-ubyte` with `train-labels-idx1-ubyte`, and `t10k-images-idx3-ubyte` with its labels
to measure accuracy, if they are there; each as it is or compressed (`.gz`).
Source of the format: "The MNIST Database of handwritten digits"; of the method: stochastic gradient descent.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import struct
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

UNSIGNED_BYTES = 0x08
LARGEST_SIDE = 14  # pixels; larger images are reduced by averaging, because plain Python computes slowly
FORMAT = "upload train-images-idx3-ubyte.gz and train-labels-idx1-ubyte.gz"

Pixels = list[tuple[int, float]]
"""The pixels of an image that are not black: number and brightness from 0 to 1."""
Example = tuple[Pixels, int]


@dataclass(slots=True)
class Network:
    """`first[i]` are the weights from pixel i to every hidden unit, `second[k]` those from all of them to class k."""

    side: tuple[int, int]
    first: list[list[float]]
    first_bias: list[float]
    second: list[list[float]]
    second_bias: list[float]

    def hidden(self, pixels: Pixels) -> list[float]:
        """The output of every hidden unit, a rectified one."""
        sums = self.first_bias
        for index, brightness in pixels:
            sums = [total + brightness * weight for total, weight in zip(sums, self.first[index], strict=True)]
        return [max(total, 0.0) for total in sums]

    def shares(self, hidden: Sequence[float]) -> list[float]:
        """The probability of each class."""
        scores = [
            bias + sum(map(float.__mul__, row, hidden)) for row, bias in zip(self.second, self.second_bias, strict=True)
        ]
        highest = max(scores)
        powers = [math.exp(score - highest) for score in scores]
        total = sum(powers)
        return [power / total for power in powers]

    def learn(self, pixels: Pixels, label: int, rate: float) -> float:
        """Move all weights against the gradient of one image's loss, and return that loss."""
        hidden = self.hidden(pixels)
        shares = self.shares(hidden)
        loss = -math.log(max(shares[label], 1e-12))
        shares[label] -= 1
        back = [
            sum(map(float.__mul__, shares, column)) if output > 0 else 0.0
            for output, column in zip(hidden, zip(*self.second, strict=True), strict=True)
        ]
        for which, error in enumerate(shares):
            step = rate * error
            self.second[which] = [
                weight - step * output for weight, output in zip(self.second[which], hidden, strict=True)
            ]
            self.second_bias[which] -= step
        for index, brightness in pixels:
            step = rate * brightness
            self.first[index] = [weight - step * error for weight, error in zip(self.first[index], back, strict=True)]
        self.first_bias = [bias - rate * error for bias, error in zip(self.first_bias, back, strict=True)]
        return loss

    def accuracy(self, examples: Sequence[Example]) -> float:
        """The share of images that are named right."""
        hits = 0
        for pixels, label in examples:
            shares = self.shares(self.hidden(pixels))
            hits += shares.index(max(shares)) == label
        return hits / len(examples)


def main() -> None:
    """Read the data set, train, and write `model.json` and `metrics.json` after every `save_frequency` epochs."""
    given = _arguments()
    chance = random.Random(given.seed)  # noqa: S311 - it orders images and draws weights
    side, training = _read(given.data_url, "train")
    chance.shuffle(training)
    if any(given.data_url.rglob("t10k-images-idx3-ubyte*")):
        test_side, validation = _read(given.data_url, "t10k")
        if test_side != side:
            raise SystemExit("the images of t10k are not as large as those of train: upload those of one data set")
    else:
        held_out = int(len(training) * given.validation_share)
        validation, training = training[:held_out], training[held_out:]
    if wrong := {label for _, label in training + validation if label >= given.num_classes}:
        raise SystemExit(f"the data set has the class {max(wrong)}: num_classes must be at least {max(wrong) + 1}")
    network = _new(side, given.hidden_units, given.num_classes, chance)
    history = []
    print(f"{len(training)} images to learn from, {len(validation)} to measure accuracy", flush=True)
    for epoch in range(1, given.num_epoch + 1):
        chance.shuffle(training)
        loss = sum(network.learn(pixels, label, given.lr) for pixels, label in training) / len(training)
        accuracy = network.accuracy(validation or training)
        history.append({"epoch": epoch, "loss": loss, "accuracy": accuracy})
        print(f"epoch {epoch}: loss={loss:.4f} accuracy={accuracy:.4f}", flush=True)
        if epoch % given.save_frequency == 0 or epoch == given.num_epoch:
            given.train_url.mkdir(parents=True, exist_ok=True)
            (given.train_url / "model.json").write_text(json.dumps(asdict(network)))
            (given.train_url / "metrics.json").write_text(json.dumps({"accuracy": accuracy, "epochs": history}))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a network on images in the format of MNIST.")
    parser.add_argument("--data_url", type=Path, required=True)
    parser.add_argument("--train_url", type=Path, required=True)
    parser.add_argument("--lr", type=float, required=True)
    for name in ("num_epoch", "num_classes", "hidden_units", "save_frequency"):
        parser.add_argument(f"--{name}", type=_positive, required=True)
    parser.add_argument("--validation_share", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    return parser.parse_args()


def _positive(text: str) -> int:
    if int(text) < 1:
        raise argparse.ArgumentTypeError("use a whole number from 1")
    return int(text)


def _new(side: tuple[int, int], hidden_units: int, classes: int, chance: random.Random) -> Network:
    """Small random weights, so that the hidden units become different."""
    pixels = side[0] * side[1]
    first = [[chance.gauss(0, math.sqrt(2 / pixels)) for _ in range(hidden_units)] for _ in range(pixels)]
    second = [[chance.gauss(0, math.sqrt(1 / hidden_units)) for _ in range(hidden_units)] for _ in range(classes)]
    return Network(side, first, [0.0] * hidden_units, second, [0.0] * classes)


def _read(folder: Path, part: str) -> tuple[tuple[int, int], list[Example]]:
    """Height and width after the reduction, and all images with their classes."""
    (count, height, width), pixels = _idx(folder, f"{part}-images-idx3-ubyte", 3)
    (label_count,), labels = _idx(folder, f"{part}-labels-idx1-ubyte", 1)
    if count != label_count or not count:
        raise SystemExit(f"{part} has {count} images and {label_count} classes: upload the files of one data set")
    block = math.ceil(max(height, width) / LARGEST_SIDE)
    side = (math.ceil(height / block), math.ceil(width / block))
    size = height * width
    images = (pixels[start : start + size] for start in range(0, count * size, size))
    return side, [
        (list(_reduced(image, width, block, side[1])), label) for image, label in zip(images, labels, strict=True)
    ]


def _reduced(image: bytes, width: int, block: int, new_width: int) -> Iterator[tuple[int, float]]:
    """The mean brightness of every block of pixels that is not black."""
    sums: dict[int, int] = {}
    for index, value in enumerate(image):
        if value:
            row, column = divmod(index, width)
            place = row // block * new_width + column // block
            sums[place] = sums.get(place, 0) + value
    return ((place, total / (255 * block * block)) for place, total in sums.items())


def _idx(folder: Path, name: str, dimensions: int) -> tuple[tuple[int, ...], bytes]:
    """The dimensions and the bytes of an idx file."""
    found = sorted(folder.rglob(f"{name}*"))
    if not found:
        raise SystemExit(f"there is no {name} in the data: {FORMAT}")
    try:
        content = found[0].read_bytes()
        content = gzip.decompress(content) if found[0].suffix == ".gz" else content
        zero, kind, count = struct.unpack_from(">HBB", content)
        shape = struct.unpack_from(f">{count}I", content, 4)
    except (OSError, EOFError, struct.error) as error:
        raise SystemExit(f"{found[0].name} cannot be read ({error}): {FORMAT}") from None
    data = content[4 + 4 * count :]
    if (zero, kind, count) != (0, UNSIGNED_BYTES, dimensions) or len(data) != math.prod(shape):
        raise SystemExit(f"{found[0].name} is no complete idx file of {dimensions} dimensions: {FORMAT}")
    return shape, data


if __name__ == "__main__":
    main()
