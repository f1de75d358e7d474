"""Measure everything, or the parts that are named, print one line per figure, and fail if one is over its budget."""

from __future__ import annotations

import argparse
import platform
import sys

from benchmarks import calls, commands, decoding, following, imports, objects, scale, service, throughput

PARTS = {
    part.__name__.rpartition(".")[2]: part
    for part in (imports, commands, decoding, calls, following, service, throughput, scale, objects)
}


def main() -> int:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"one of {', '.join(PARTS)}; all of them if none is named")
    names = parser.parse_args().part or list(PARTS)
    if unknown := sorted(set(names) - set(PARTS)):
        parser.error(f"there is no part {unknown[0]}: name some of {', '.join(PARTS)}")
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}")
    results = []
    for name in names:
        for result in PARTS[name].measure():
            print(result.row(), flush=True)
            results.append(result)
    over = [result.what for result in results if not result.is_within_budget]
    print(f"over budget: {'; '.join(over)}" if over else "everything is within its budget")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
