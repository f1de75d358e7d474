"""A small training on a GPU: two matrices learn a product, in bfloat16 where the GPU can, with a checkpoint per epoch.

It prints when it begins and ends, in seconds since 1970, so that check.sh can compare jobs.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

print(f"began {time.time():.3f}", flush=True)

import torch  # noqa: E402 - takes seconds, which belong to the training

SIZE = 2048
MOST_STEPS = 2000


def main() -> None:
    """Train, or find out how many steps an epoch of a second has on this GPU."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train_url", type=Path, default=Path("outputs"))
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--steps", type=int, default=100, help="of an epoch")
    parser.add_argument("--calibrate", action="store_true")
    given = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch sees no GPU")
    print(f"device {torch.cuda.get_device_name()}, visible {torch.cuda.device_count()}", flush=True)
    if given.calibrate:
        print(f"steps {calibrated()}")
        return
    train(given.train_url, given.epochs, given.steps)
    print(f"ended {time.time():.3f}", flush=True)


def calibrated() -> int:
    """The number of steps that take a second."""
    training = Training()
    training.epoch(0, 20)  # the first steps take longer
    begin, steps = time.monotonic(), 0
    while time.monotonic() - begin < 1 and steps < MOST_STEPS:
        training.epoch(0, 10)
        steps += 10
    return steps


def train(folder: Path, epochs: int, steps: int) -> None:
    """Train from the checkpoint in the folder, if it has one."""
    checkpoint = folder / "checkpoint.pt"
    training, first = Training(), 1
    if checkpoint.exists():
        state = torch.load(checkpoint)
        training.restore(state)
        first = state["epoch"] + 1
    folder.mkdir(parents=True, exist_ok=True)
    for epoch in range(first, epochs + 1):
        loss = training.epoch(epoch, steps)
        draft = folder / "checkpoint.new"
        torch.save({"epoch": epoch, **training.state()}, draft)
        draft.replace(checkpoint)
        print(f"epoch {epoch} loss {loss:.5f}", flush=True)


class Training:
    """The model and its optimizer, on the GPU."""

    def __init__(self) -> None:
        torch.manual_seed(7)
        self._type = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        self._model = torch.nn.Sequential(
            torch.nn.Linear(SIZE, SIZE), torch.nn.ReLU(), torch.nn.Linear(SIZE, SIZE)
        ).cuda()
        self._optimizer = torch.optim.Adam(self._model.parameters())

    def epoch(self, number: int, steps: int) -> float:
        """Train for so many steps on the data of this epoch; returns the mean loss."""
        torch.manual_seed(number)
        total = torch.zeros((), device="cuda")
        for _ in range(steps):
            inputs = torch.randn(SIZE, SIZE, device="cuda")
            with torch.autocast("cuda", dtype=self._type):
                loss = (self._model(inputs) - inputs.roll(1, 1)).square().mean()
            self._optimizer.zero_grad()
            loss.backward()
            self._optimizer.step()
            total += loss.detach()
        return float(total) / steps

    def state(self) -> dict[str, object]:
        """What a checkpoint holds."""
        return {"model": self._model.state_dict(), "optimizer": self._optimizer.state_dict()}

    def restore(self, state: dict[str, object]) -> None:
        """Go on from a checkpoint."""
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])


if __name__ == "__main__":
    main()
