"""Measure everything, print one line per figure, and fail if one is over its budget."""

from __future__ import annotations

import platform
import sys

from benchmarks import calls, commands, decoding, following, imports, objects, scale, service, throughput


def main() -> int:
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}")
    results = []
    for part in (imports, commands, decoding, calls, following, service, throughput, scale, objects):
        for result in part.measure():
            print(result.row(), flush=True)
            results.append(result)
    over = [result.what for result in results if not result.is_within_budget]
    print(f"over budget: {'; '.join(over)}" if over else "everything is within its budget")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
