"""Train a small neural network on 8 x 8 images of handwritten digits: a boot file for a ModelArts training job.

Needs nothing but numpy. The service passes each input and output channel as `--<channel name>=<local folder>` and
each hyperparameter as `--<name>=<value>`; arguments this script does not know are left alone.
"""

import argparse
import io
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # The matrices are small: more threads only wait for each other.

import numpy as np

SIDE = 8
CLASSES = 10
BRIGHTEST = 16
MOMENTUM = 0.9
WEIGHT_DECAY = 1e-4


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data_url", type=Path, required=True, help="folder with *.csv.gz: 64 pixels, then the digit")
    parser.add_argument("--train_url", type=Path, required=True, help="folder that receives model.npz and metrics.json")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch_size", type=int, default=16)
    parser.add_argument("--hidden", type=int, default=256, help="units in the hidden layer")
    parser.add_argument("--learning_rate", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--dist", default="False", help="True asks for several nodes")
    parser.add_argument("--world_size", type=int, default=1)
    known, _ = parser.parse_known_args()
    if known.dist.lower() == "true" or known.world_size != 1:
        parser.error("this example trains on one node: leave out --dist and --world_size, or set False and 1")
    return known


def load(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return images (n, 8, 8) in 0..1 and their digits (n,), from every CSV file of the folder."""
    files = sorted(folder.rglob("*.csv.gz"))
    if not files:
        raise SystemExit(f"no *.csv.gz in {folder}: upload the training data there")
    rows = np.concatenate([np.loadtxt(file, delimiter=",", dtype=np.float32) for file in files])
    return rows[:, :-1].reshape(-1, SIDE, SIDE) / BRIGHTEST, rows[:, -1].astype(np.int64)


def shifted(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Move each image by up to one pixel in each direction, so that the network learns shapes and not places."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    down, right = random.choice(3, size=(2, len(images)), p=[0.2, 0.6, 0.2])
    lines = down[:, None, None] + np.arange(SIDE)[None, :, None]
    columns = right[:, None, None] + np.arange(SIDE)[None, None, :]
    moved: np.ndarray = padded[np.arange(len(images))[:, None, None], lines, columns]
    return moved


class Network:
    """One hidden layer of rectified units, a softmax on top, trained by momentum. Swap it for a torch.nn.Module."""

    def __init__(self, hidden: int, random: np.random.Generator) -> None:
        pixels = SIDE * SIDE
        self.weights = {
            "hidden_weight": random.normal(0, np.sqrt(2 / pixels), (pixels, hidden)).astype(np.float32),
            "hidden_bias": np.zeros(hidden, np.float32),
            "output_weight": random.normal(0, np.sqrt(1 / hidden), (hidden, CLASSES)).astype(np.float32),
            "output_bias": np.zeros(CLASSES, np.float32),
        }
        self.velocity = {name: np.zeros_like(weight) for name, weight in self.weights.items()}

    def forward(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the flat input, the hidden activations, and the probability of each digit."""
        flat = images.reshape(len(images), -1)
        hidden = np.maximum(flat @ self.weights["hidden_weight"] + self.weights["hidden_bias"], 0)
        scores = hidden @ self.weights["output_weight"] + self.weights["output_bias"]
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return flat, hidden, odds / odds.sum(axis=1, keepdims=True)

    def step(self, images: np.ndarray, digits: np.ndarray, rate: float) -> float:
        """Learn from one batch; return its mean cross entropy."""
        flat, hidden, error = self.forward(images)
        rows = np.arange(len(digits))
        loss = float(-np.log(error[rows, digits] + 1e-9).mean())
        error[rows, digits] -= 1
        error /= len(digits)
        back = (error @ self.weights["output_weight"].T) * (hidden > 0)
        gradients = {
            "hidden_weight": flat.T @ back,
            "hidden_bias": back.sum(axis=0),
            "output_weight": hidden.T @ error,
            "output_bias": error.sum(axis=0),
        }
        for name, gradient in gradients.items():
            weight = self.weights[name]
            self.velocity[name] = MOMENTUM * self.velocity[name] - rate * (gradient + WEIGHT_DECAY * weight)
            weight += self.velocity[name]
        return loss

    def accuracy(self, images: np.ndarray, digits: np.ndarray) -> float:
        return float((self.forward(images)[2].argmax(axis=1) == digits).mean())


def save(file: Path, network: Network, random: np.random.Generator, history: list[dict[str, float]]) -> None:
    """Write everything that the next epoch depends on; a reader never finds half a file."""
    state = json.dumps({"random": random.bit_generator.state, "history": history})
    velocity = {f"velocity_{name}": value for name, value in network.velocity.items()}
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, state=np.array(state), **network.weights, **velocity)
    unfinished = file.with_suffix(".tmp")
    unfinished.write_bytes(content.getvalue())
    unfinished.replace(file)


def restore(file: Path, network: Network, random: np.random.Generator) -> list[dict[str, float]]:
    """Go on from a checkpoint of an earlier attempt, if there is one; return the epochs that it has done."""
    if not file.exists():
        return []
    with np.load(file) as content:
        for name in network.weights:
            network.weights[name], network.velocity[name] = content[name], content[f"velocity_{name}"]
        state = json.loads(str(content["state"]))
    random.bit_generator.state = state["random"]
    history: list[dict[str, float]] = state["history"]
    return history


def main() -> None:
    args = arguments()
    random = np.random.default_rng(args.seed)
    images, digits = load(args.data_url)
    order = random.permutation(len(images))
    check, train = order[: len(order) // 10], order[len(order) // 10 :]
    print(f"{len(train)} images to learn from, {len(check)} to check on", flush=True)

    network = Network(args.hidden, random)
    args.train_url.mkdir(parents=True, exist_ok=True)
    checkpoint = args.train_url / "checkpoint.npz"
    history = restore(checkpoint, network, random)  # empty, unless the job was restarted with its outputs
    began = time.monotonic()
    for epoch in range(len(history) + 1, args.epochs + 1):
        rate = args.learning_rate * 0.5 * (1 + np.cos(np.pi * (epoch - 1) / args.epochs))
        losses = []
        for _ in range(8):  # Eight random shifts of every image make one epoch.
            moved = shifted(images[train], random)
            shuffled = random.permutation(len(train))
            for start in range(0, len(train), args.batch_size):
                batch = shuffled[start : start + args.batch_size]
                losses.append(network.step(moved[batch], digits[train][batch], rate))
        loss, accuracy = float(np.mean(losses)), network.accuracy(images[check], digits[check])
        history.append({"epoch": epoch, "loss": round(loss, 6), "accuracy": round(accuracy, 6)})
        save(checkpoint, network, random, history)
        print(f"epoch {epoch}/{args.epochs} loss {loss:.3f} accuracy {accuracy:.3f}", flush=True)

    np.savez(args.train_url / "model.npz", allow_pickle=False, **network.weights)
    (args.train_url / "metrics.json").write_text(json.dumps({"epochs": history}, indent=1) + "\n")
    print(f"saved model.npz and metrics.json after {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
