"""How the boot file of an Ascend engine starts: once for each card of the node, or by torchrun if the job says so.

Sources: page develop-modelarts-1415 of Huawei Cloud's manual, which names the variables and the values of
`MA_RUN_METHOD`, and the sample code of its page modelarts_05_3173, which reads `DEVICE_ID`. They have neither the
options of torchrun nor what becomes of the other cards when one script fails.

The rank table has the layout 1.0 of the manual of HCCL ("Rank Table Configuration", template 1). The vendor's start
scripts in public code write it to `TABLE`, and look for the address `MA_CURRENT_HOST_IP` among its `server_id`. No page
says what it looks like on a node without network cards for its NPUs: here `device_ip` is left out then.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from modelarts_emulator.execution.container import HOME, Container, ip_address

ENGINE = "Ascend-Powered-Engine"
METHOD = "MA_RUN_METHOD"
PORTS = range(20_000, 30_000)  # none that the system gives to programs which ask for any port
TABLE = f"{HOME}/rank_table/jobstart_hccl.json"
NETWORK_CARDS = Path("/etc/hccn.conf")
"""Where the driver keeps the addresses of this machine's NPUs, as `address_0=192.168.100.101`."""

_EACH_CARD = Path(__file__).with_name("each_card.sh").read_text()


def command(container: Container, python: str, words: Sequence[str]) -> list[str]:
    """What runs the boot file and its arguments, `words`, on a node; writes the rank table if the boot file needs it.

    Raises ValueError for a method that is not imitated, and OSError if the table cannot be written.
    """
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
    table = container.map(TABLE)
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text(json.dumps(rank_table(container), indent=4))
    numbers = (cards, cards * container.index, cards * job.node_count)
    return ["/bin/sh", "-c", _EACH_CARD, "each-card", *map(str, numbers), container.seen(TABLE), *alone]


def rank_table(container: Container, network_cards: Path = NETWORK_CARDS) -> dict[str, Any]:
    """The cards of all nodes, in the order of their ranks; the same on every node of the job.

    The addresses of the cards are known only if all nodes are this machine.
    """
    job, addresses, servers = container.job, dict[str, str](), []
    with suppress(OSError):
        text = "" if container.nodes else network_cards.read_text(errors="replace")
        lines = (line.partition("=") for line in text.splitlines())
        found = {name.strip(): address.strip() for name, _, address in lines}
        addresses = {name.removeprefix("address_"): address for name, address in found.items() if address}
    for index, host in enumerate(container.hosts):
        own = job.devices[index] if job.devices is not None else ()
        count = job.resources.npu_count
        numbers = [device.id for device in own if device.kind == "npu"] or [str(number) for number in range(count)]
        cards = [
            {"device_id": number, "rank_id": str(count * index + place)}
            | ({"device_ip": addresses[number]} if number in addresses else {})
            for place, number in enumerate(numbers)
        ]
        servers.append({"server_id": ip_address(host), "device": cards})
    return {"status": "completed", "version": "1.0", "server_count": str(len(servers)), "server_list": servers}


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
