"""The same as train_mnist_tf.py with numpy alone, for machines without TensorFlow."""

from __future__ import annotations

from pathlib import Path

import mnist_story
import numpy as np

FIRST_DECAY, SECOND_DECAY, TINY = 0.9, 0.999, 1e-7  # of Adam


class Network:
    """One hidden layer of rectified units, trained by Adam."""

    def __init__(self, hidden: int, rate: float, seed: int) -> None:
        random = np.random.default_rng(seed)
        pixels = mnist_story.SIDE**2
        self.rate, self.steps = rate, 0
        self.values = {
            "hidden_weight": random.normal(0, np.sqrt(2 / pixels), (pixels, hidden)),
            "hidden_bias": np.zeros(hidden),
            "output_weight": random.normal(0, np.sqrt(1 / hidden), (hidden, mnist_story.CLASSES)),
            "output_bias": np.zeros(mnist_story.CLASSES),
        }
        self.means = {name: np.zeros_like(value) for name, value in self.values.items()}
        self.squares = {name: np.zeros_like(value) for name, value in self.values.items()}

    def forward(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the flat input, the hidden activations, and the probability of each digit."""
        flat = images.reshape(len(images), -1)
        hidden = np.maximum(flat @ self.values["hidden_weight"] + self.values["hidden_bias"], 0)
        scores = hidden @ self.values["output_weight"] + self.values["output_bias"]
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return flat, hidden, odds / odds.sum(axis=1, keepdims=True)

    def step(self, images: np.ndarray, digits: np.ndarray) -> float:
        flat, hidden, error = self.forward(images)
        rows = np.arange(len(digits))
        loss = float(-np.log(error[rows, digits] + 1e-9).mean())
        error[rows, digits] -= 1
        error /= len(digits)
        back = (error @ self.values["output_weight"].T) * (hidden > 0)
        self.steps += 1
        self.move("hidden_weight", flat.T @ back)
        self.move("hidden_bias", back.sum(axis=0))
        self.move("output_weight", hidden.T @ error)
        self.move("output_bias", error.sum(axis=0))
        return loss

    def move(self, name: str, gradient: np.ndarray) -> None:
        """Let Adam change one of the weights."""
        self.means[name] = FIRST_DECAY * self.means[name] + (1 - FIRST_DECAY) * gradient
        self.squares[name] = SECOND_DECAY * self.squares[name] + (1 - SECOND_DECAY) * gradient**2
        mean = self.means[name] / (1 - FIRST_DECAY**self.steps)
        square = self.squares[name] / (1 - SECOND_DECAY**self.steps)
        self.values[name] -= self.rate * mean / (np.sqrt(square) + TINY)

    def accuracy(self, images: np.ndarray, digits: np.ndarray) -> float:
        return float((self.forward(images)[2].argmax(axis=1) == digits).mean())

    def weights(self) -> dict[str, np.ndarray]:
        return {name: value.astype(np.float32) for name, value in self.values.items()}

    def export(self, folder: Path) -> None:
        """Only model.npz: there is no engine."""


class Summaries:
    """Event files of TensorBoard's own writer, which needs no TensorFlow; none where it is not installed."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        try:
            from tensorboard.summary import Writer
        except ImportError:
            print("tensorboard is not installed: no summaries are written", flush=True)
            self.writers = []
        else:
            self.writers = [Writer(str(folder))]

    def add(self, epoch: int, **values: float) -> None:
        for writer in self.writers:
            for name, value in values.items():
                writer.add_scalar(name, value, epoch)
            writer.flush()


def main() -> None:
    given = mnist_story.arguments()
    print(f"numpy {np.__version__}", flush=True)
    mnist_story.train(given, Network(given.hidden, given.lr, given.seed), Summaries)


if __name__ == "__main__":
    main()
