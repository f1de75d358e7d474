"""How the boot file of an Ascend engine starts: once for each card of the node, or by torchrun if the job says so.

Sources: page develop-modelarts-1415 of Huawei Cloud's manual, which names the variables and the values of
`MA_RUN_METHOD`, and the sample code of its page modelarts_05_3173, which reads `DEVICE_ID`. They have neither the
options of torchrun nor what becomes of the other cards when one script fails.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from modelarts_emulator.execution.container import Container

ENGINE = "Ascend-Powered-Engine"
METHOD = "MA_RUN_METHOD"
PORTS = range(20_000, 30_000)  # none that the system gives to programs which ask for any port

_EACH_CARD = Path(__file__).with_name("each_card.sh").read_text()


def command(container: Container, python: str, words: Sequence[str]) -> list[str]:
    """What runs the boot file and its arguments, `words`, on a node; ValueError for a method that is not imitated."""
    job = container.job
    alone = [python, "-u", *words]
    method, cards = (job.environments or {}).get(METHOD), job.resources.npu_count
    if method == "torchrun":
        return [python, "-u", "-m", "torch.distributed.run", *_torchrun(container), *words]
    if method:
        raise ValueError(
            f"{METHOD}={method} is not imitated: leave it out (the boot file runs once for each card), use torchrun,"
            f" or start {method} as the command of a custom image"
        )
    if not cards:
        return alone
    numbers = (cards, cards * container.index, cards * job.node_count)
    return ["/bin/sh", "-c", _EACH_CARD, "each-card", *map(str, numbers), *alone]


def _torchrun(container: Container) -> list[str]:
    """One process for each card; nodes meet at the first one.

    There torchrun listens on all addresses, so that each job has a port of its own. A single node chooses a free one.
    """
    job = container.job
    processes = f"--nproc_per_node={max(job.resources.npu_count, 1)}"
    if job.node_count == 1:
        return ["--standalone", processes]
    number = [f"--nnodes={job.node_count}", f"--node_rank={container.index}"]
    digest = hashlib.sha256(f"{job.job_id}-{job.attempt}".encode()).digest()
    port = PORTS[int.from_bytes(digest[:4], "big") % len(PORTS)]
    return [*number, processes, f"--master_addr={container.hosts[0]}", f"--master_port={port}"]
