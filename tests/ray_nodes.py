"""A Ray cluster of several nodes on this machine, run by the Python that has Ray, until its standard input ends.

It prints its address and the process of each raylet; a line `add` on its standard input adds a node, whose raylet it
prints.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from ray.cluster_utils import Cluster

NODE: dict[str, Any] = {
    "num_cpus": 8,
    "memory": 64 << 30,  # what a job can ask for; nothing is reserved
    "object_store_memory": 100 << 20,
    "include_dashboard": False,
}
# A lost node is noticed in about two seconds, and no processes are started in advance.
SYSTEM: dict[str, Any] = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
    "prestart_worker_first_driver": False,
}


def raylet(node: Any) -> int:
    return int(node.all_processes["raylet"][0].process.pid)


def say(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    cluster = Cluster(initialize_head=True, head_node_args=NODE | {"_system_config": SYSTEM})
    nodes = [cluster.head_node, *(cluster.add_node(**NODE) for _ in range(int(sys.argv[1]) - 1))]
    say({"address": cluster.address, "raylets": [raylet(node) for node in nodes]})
    for _line in sys.stdin:
        say(raylet(cluster.add_node(**NODE)))
    cluster.shutdown()
