"""CPU time of the emulator per request beside that of another revision: `python -m benchmarks.pairs <git revision>`.

Both serve the same requests in turn, and the median of the rounds' ratios counts: other load makes even processor time
dearer, but for the two of one round alike. Fails if a figure has grown by a quarter, and again between new emulators.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from pathlib import Path

import psutil

from benchmarks.load import ROOT, rate, request
from benchmarks.objects import SMALL, signer
from benchmarks.server import running
from benchmarks.target import Target
from benchmarks.throughput import SLEEP

PACKAGES = ("emulator", "generated", "overlays")
ROUNDS = 7
AT_MOST = 1.25  # of the CPU time of the other revision


class Side:
    """An emulator of one revision: a job that runs, a thousand objects, and the requests of each figure by name."""

    def __init__(self, stack: ExitStack, tree: Path) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        source = os.pathsep.join(str(tree / package) for package in PACKAGES)
        server = stack.enter_context(running(folder, "--max-running-jobs", "1", source=source))
        target = stack.enter_context(Target(server, folder, SLEEP))
        self._process, self._jobs = psutil.Process(server.pid), target.port
        self._objects = int(server.environment["MODELARTS_OBS_ENDPOINT"].rpartition(":")[2])
        sign = signer(server.environment["AWS_ACCESS_KEY_ID"], server.environment["AWS_SECRET_ACCESS_KEY"])
        job_id = target.create("the-one-that-runs")
        target.wait(job_id, "Running")
        names = iter(range(1 << 30))
        paths = [f"/bench/{number:04}" for number in range(1000)]
        rate(self._objects, [request("PUT", "/bench", sign("PUT", "/bench"))], 200)
        puts = [request("PUT", path, sign("PUT", path), SMALL) for path in paths]
        rate(self._objects, puts, 200)
        self.figures: Mapping[str, Callable[[], float]] = {
            "GET job": lambda: self._cost([target.question(f"/training-jobs/{job_id}")] * 1000),
            "create job": lambda: self._cost([target.creation(f"job-{next(names)}") for _ in range(300)], 201),
            "page of 50 jobs": lambda: self._cost([target.search(limit=50)] * 50),
            "PUT 4 kB": lambda: self._cost(puts[:300], port=self._objects),
            "GET 4 kB": lambda: self._cost(
                [request("GET", path, sign("GET", path)) for path in paths], port=self._objects
            ),
            "list 1,000 keys": lambda: self._cost(
                [request("GET", "/bench", sign("GET", "/bench"))] * 20, port=self._objects
            ),
        }

    def _cost(self, requests: list[bytes], status: int = 200, port: int = 0) -> float:
        """The microseconds of processor time that a request takes."""
        before = sum(self._process.cpu_times()[:2])
        rate(port or self._jobs, requests, status)
        return (sum(self._process.cpu_times()[:2]) - before) / len(requests) * 1e6


def slower(base: Path, revision: str, figures: Collection[str] = ()) -> list[str]:
    """Compares the named figures, all by default, and tells which have grown too much."""
    with ExitStack() as stack:
        ours, theirs = Side(stack, ROOT).figures, Side(stack, base).figures
        found = []
        for what in figures or ours:
            pairs = [(ours[what](), theirs[what]()) for _ in range(ROUNDS)]
            ratio = statistics.median(now / before for now, before in pairs)
            now, before = (statistics.median(values) for values in zip(*pairs, strict=True))
            line = f"{what:<16} {now:>8,.0f} µs of CPU, {revision} {before:>8,.0f} µs, ratio {ratio:.2f}"
            print(line, flush=True)
            found += [what] if ratio > AT_MOST else []
    return found


def main(revision: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", revision, *PACKAGES], cwd=ROOT, stdout=subprocess.PIPE, check=False)
        if archive.returncode:
            return 2  # git has said why
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        found = slower(Path(folder), revision)
        if found:
            print(f"once more, with new emulators: {', '.join(found)}")
            found = slower(Path(folder), revision, found)
    print(f"slower than {revision}: {', '.join(found)}" if found else f"nothing is slower than {revision}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
