"""Measure every engine that is installed, print one line per figure, and fail if one is over its budget."""

from __future__ import annotations

import sys

from benchmarks.engines import on_ray, on_slurm

PARTS = (on_ray, on_slurm)


def main() -> int:
    results = []
    for part in PARTS:
        if reason := part.why_not():
            print(f"skipped: {reason}")
            continue
        for result in part.measure():
            print(result.row(), flush=True)
            results.append(result)
    over = [result.what for result in results if not result.is_within_budget]
    print(f"over budget: {'; '.join(over)}" if over else "everything is within its budget")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
