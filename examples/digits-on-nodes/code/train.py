"""Train one network for handwritten digits on several nodes at once: a boot file for a ModelArts training job.

Every node learns from its share of the images; DistributedDataParallel averages the gradients between the nodes
after every batch (gloo), so that all of them end with the same weights.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import zlib
from pathlib import Path

# The service presets the network interface of the nodes for NCCL; it is right for gloo, too.
if "NCCL_SOCKET_IFNAME" in os.environ:
    os.environ.setdefault("GLOO_SOCKET_IFNAME", os.environ["NCCL_SOCKET_IFNAME"])

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BRIGHTEST = 16


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data_url", type=Path, required=True, help="folder with *.csv.gz: 64 pixels, then the digit")
    parser.add_argument("--train_url", type=Path, required=True, help="folder that receives model.npz and metrics.json")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch_size", type=int, default=32, help="images per node and step")
    parser.add_argument("--hidden", type=int, default=128, help="units in the hidden layer")
    parser.add_argument("--learning_rate", type=float, default=0.1)
    return parser.parse_known_args()[0]


def join() -> tuple[int, int]:
    """Meet the other nodes at the first one, by the variables that the service presets; own number and count.

    The port is the job's own, because elsewhere than on the service several jobs can share a machine.
    """
    hosts = os.environ["VC_WORKER_HOSTS"].split(",")
    rank, count = int(os.environ["VC_TASK_INDEX"]), int(os.environ["MA_NUM_HOSTS"])
    port = 20_000 + zlib.crc32(os.environ["MA_VJ_NAME"].encode()) % 10_000
    dist.init_process_group("gloo", init_method=f"tcp://{hosts[0]}:{port}", rank=rank, world_size=count)
    return rank, count


def load(folder: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """Images (n, 64) in 0..1 and their digits (n,), from every CSV file of the folder."""
    rows = np.concatenate([np.loadtxt(file, delimiter=",", dtype=np.float32) for file in sorted(folder.rglob("*.gz"))])
    return torch.from_numpy(rows[:, :-1] / BRIGHTEST), torch.from_numpy(rows[:, -1].astype(np.int64))


def mean(value: float, count: int) -> float:
    """The mean of the nodes' values: a real all-reduce."""
    total = torch.tensor([value], dtype=torch.float64)
    dist.all_reduce(total)
    return float(total) / count


def main() -> None:
    args = arguments()
    torch.set_num_threads(1)
    torch.manual_seed(7)
    rank, count = join()
    images, digits = load(args.data_url)
    network = nn.Sequential(nn.Linear(64, args.hidden), nn.ReLU(), nn.Linear(args.hidden, 10))
    parallel = DistributedDataParallel(network)
    optimizer = torch.optim.SGD(parallel.parameters(), args.learning_rate, momentum=0.9, weight_decay=1e-4)
    # Equally many images for every node: each step waits for all of them.
    share = len(images) // count
    print(f"node {rank} of {count} learns from {share} of {len(images)} images", flush=True)
    history = []
    for epoch in range(1, args.epochs + 1):
        mine = torch.randperm(len(images))[rank * share : (rank + 1) * share]
        losses = []
        for batch in mine.split(args.batch_size):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(parallel(images[batch]), digits[batch])
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
        with torch.no_grad():
            accuracy = float((network(images[mine]).argmax(1) == digits[mine]).float().mean())
        loss_of_all, accuracy_of_all = mean(float(np.mean(losses)), count), mean(accuracy, count)
        history.append({"epoch": epoch, "loss": round(loss_of_all, 6), "accuracy": round(accuracy_of_all, 6)})
        print(f"epoch {epoch}/{args.epochs} loss {loss_of_all:.3f} accuracy {accuracy_of_all:.3f}", flush=True)
    save(network, history, args.train_url, rank)
    dist.barrier()  # a node that leaves while another one is still connected to it can make that one crash
    dist.destroy_process_group()


def save(network: nn.Sequential, history: list[dict[str, float]], folder: Path, rank: int) -> None:
    """Say which weights this node ended with; the first node keeps them."""
    hidden, output = network[0], network[2]
    weights = {
        "hidden_weight": hidden.weight.detach().numpy().T,
        "hidden_bias": hidden.bias.detach().numpy(),
        "output_weight": output.weight.detach().numpy().T,
        "output_bias": output.bias.detach().numpy(),
    }
    digest = hashlib.sha256(b"".join(weight.tobytes() for weight in weights.values())).hexdigest()
    print(f"node {rank} ends with weights {digest[:16]}", flush=True)
    if rank == 0:
        np.savez(folder / "model.npz", **weights)
        (folder / "metrics.json").write_text(json.dumps({"epochs": history}, indent=1) + "\n")


if __name__ == "__main__":
    main()
