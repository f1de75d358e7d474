"""Measure jobs on Slurm, print one line per figure, and fail if one is over its budget."""

from __future__ import annotations

import sys

from benchmarks.engines import on_slurm


def main() -> int:
    if reason := on_slurm.why_not():
        print(f"skipped: {reason}")
        return 0
    results = []
    for result in on_slurm.measure():
        print(result.row(), flush=True)
        results.append(result)
    over = [result.what for result in results if not result.is_within_budget]
    print(f"over budget: {'; '.join(over)}" if over else "everything is within its budget")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
