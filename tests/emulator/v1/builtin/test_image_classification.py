"""The built-in algorithm for images in the format of MNIST."""

from __future__ import annotations

import gzip
import json
import random
import struct
from pathlib import Path

import pytest
from tests.emulator.v1.builtin.conftest import Train

IMAGES = 2
SIDE = 28


def image(label: int, chance: random.Random) -> bytes:
    """A bright square in one of four corners, on a few random pixels."""
    pixels = bytearray(chance.choice((0, 0, 0, 60)) for _ in range(SIDE * SIDE))
    top, left = 16 * (label // 2), 16 * (label % 2)
    for row in range(top, top + 10):
        pixels[row * SIDE + left : row * SIDE + left + 10] = b"\xff" * 10
    return bytes(pixels)


def write(folder: Path, part: str, count: int, is_compressed: bool = True) -> None:
    """A data set of this many images of four classes."""
    chance = random.Random(len(part))
    labels = bytes(chance.randrange(4) for _ in range(count))
    images = b"".join(image(label, chance) for label in labels)
    files = {
        f"{part}-images-idx3-ubyte": struct.pack(">HBB3I", 0, 8, 3, count, SIDE, SIDE) + images,
        f"{part}-labels-idx1-ubyte": struct.pack(">HBBI", 0, 8, 1, count) + labels,
    }
    for name, content in files.items():
        path = folder / f"{name}{'.gz' if is_compressed else ''}"
        path.write_bytes(gzip.compress(content) if is_compressed else content)


@pytest.mark.parametrize("is_compressed", [True, False])
def test_it_learns_from_images_and_writes_model_and_metrics(train: Train, tmp_path: Path, is_compressed: bool) -> None:
    """Without t10k, a part of the images measures accuracy."""
    write(tmp_path / "data", "train", 100, is_compressed)

    done = train(IMAGES, num_epoch=4, num_classes=4, hidden_units=8)

    assert done.returncode == 0, done.stderr
    assert "90 images to learn from, 10 to measure accuracy" in done.stdout
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    model = json.loads((tmp_path / "out" / "model.json").read_text())
    assert metrics["accuracy"] == 1
    assert [entry["epoch"] for entry in metrics["epochs"]] == [1, 2, 3, 4]
    assert (model["side"], len(model["first"]), len(model["second"])) == ([14, 14], 14 * 14, 4)


def test_images_of_t10k_measure_accuracy_and_only_that(train: Train, tmp_path: Path) -> None:
    write(tmp_path / "data", "train", 60)
    write(tmp_path / "data", "t10k", 20)

    done = train(IMAGES, num_epoch=6, num_classes=4, hidden_units=16, save_frequency=4)

    assert "60 images to learn from, 20 to measure accuracy" in done.stdout
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["accuracy"] > 0.9


def test_data_that_cannot_be_learned_from_is_reported(train: Train, tmp_path: Path) -> None:
    """The message says what to upload or to change, and there is no traceback."""
    data = tmp_path / "data"

    def message(**given: object) -> str:
        done = train(IMAGES, **given)
        assert done.returncode != 0
        assert "Traceback" not in done.stderr
        return done.stderr

    assert "there is no train-images-idx3-ubyte in the data: upload train-images" in message()
    write(data, "train", 30)
    assert "has the class 3: num_classes must be at least 4" in message(num_classes=3)
    assert "argument --num_epoch: use a whole number from 1" in message(num_epoch=0)
    labels = data / "train-labels-idx1-ubyte.gz"
    labels.write_bytes(gzip.compress(struct.pack(">HBBI", 0, 8, 1, 2) + b"\0\1"))
    assert "train has 30 images and 2 classes" in message()
    labels.write_bytes(gzip.compress(struct.pack(">HBBI", 0, 8, 1, 30) + b"\0\1"))
    assert "train-labels-idx1-ubyte.gz is no complete idx file of 1 dimensions" in message()
    labels.write_bytes(b"nonsense")
    assert "train-labels-idx1-ubyte.gz cannot be read" in message()
    labels.write_bytes(labels.read_bytes()[:0])
    assert "train-labels-idx1-ubyte.gz cannot be read" in message()
