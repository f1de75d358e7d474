"""A program that runs a script on Ray by hand, run by the Python that has Ray.

For each line on its standard input it makes a placement group of one node and an actor that runs the script, and prints
after how many seconds the script's first line came.
"""

from __future__ import annotations

import subprocess
import sys
import time

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy


@ray.remote
class Runner:
    def first_line(self, script: str) -> bytes:
        process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE)
        assert process.stdout is not None
        line = process.stdout.readline()
        process.communicate()
        return line


if __name__ == "__main__":
    ray.init(sys.argv[1], log_to_driver=False, logging_level="ERROR")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _line in sys.stdin:
        began = time.perf_counter()
        group = placement_group([{"CPU": 8}], "STRICT_SPREAD")
        runner = Runner.options(  # type: ignore[attr-defined]
            num_cpus=8, scheduling_strategy=PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=0)
        ).remote()
        ray.get(runner.first_line.remote(sys.argv[2]))
        sys.stdout.write(f"{time.perf_counter() - began}\n")
        sys.stdout.flush()
        ray.kill(runner)
        remove_placement_group(group)
