"""Write the digits of `examples/digits` in the format of MNIST: `python make_dataset.py FOLDER`.

Each image of 8 x 8 pixels of 0 to 16 becomes one of 28 x 28 pixels of 0 to 255: enlarged to 20 x 20 by linear
interpolation, in the middle of an empty frame, as the images of MNIST are. Nothing is downloaded.
"""

from __future__ import annotations

import gzip
import struct
import sys
from pathlib import Path

import numpy as np

DIGITS = Path(__file__).parents[1] / "digits"
SMALL, LARGE, SIDE = 8, 20, 28
BRIGHTEST = 16
UNSIGNED_BYTES = 0x08


def read_digits(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the images (n, 28, 28) as MNIST has them, and their digits (n,)."""
    rows = np.loadtxt(file, delimiter=",", dtype=np.float64)
    images = rows[:, :-1].reshape(-1, SMALL, SMALL) * 255 / BRIGHTEST
    # Row i of this matrix says how much of each old line is in the new line i.
    places = np.linspace(0, SMALL - 1, LARGE)
    mixture = np.array([np.interp(places, range(SMALL), line) for line in np.eye(SMALL)]).T
    enlarged = mixture @ images @ mixture.T
    margin = (SIDE - LARGE) // 2
    framed = np.pad(enlarged, ((0, 0), (margin, margin), (margin, margin)))
    return framed.round().astype(np.uint8), rows[:, -1].astype(np.uint8)


def write_idx(file: Path, array: np.ndarray) -> None:
    """Write an array of unsigned bytes as an idx file: a magic number, the dimensions, the bytes."""
    head = struct.pack(f">HBB{array.ndim}I", 0, UNSIGNED_BYTES, array.ndim, *array.shape)
    file.write_bytes(gzip.compress(head + array.tobytes(), mtime=0))


def write_dataset(folder: Path) -> int:
    """Write the two files of a training set into the folder; return the number of images."""
    images, digits = read_digits(DIGITS / "data" / "digits.csv.gz")
    folder.mkdir(parents=True, exist_ok=True)
    write_idx(folder / "train-images-idx3-ubyte.gz", images)
    write_idx(folder / "train-labels-idx1-ubyte.gz", digits)
    return len(images)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python make_dataset.py FOLDER")
    print(f"wrote {write_dataset(Path(sys.argv[1]))} images to {sys.argv[1]}")
