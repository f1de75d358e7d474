"""What it costs to import the toolkit and one operation, in processes that imported nothing before."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.result import Pairs, Result
from benchmarks.server import ENVIRONMENT

PEER = "import httpx"
OURS = """
from modelarts_toolkit import ModelArts
from modelarts_api.v2.api.training_jobs import show_training_job_details
"""


def seconds(statements: str) -> float:
    """Return how long the statements take in a fresh interpreter, without the interpreter's own start."""
    code = f"import time; began = time.perf_counter()\n{statements}\nprint(time.perf_counter() - began)"
    command = [sys.executable, "-c", code]
    return float(subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout)


def measure() -> list[Result]:
    pairs = Pairs.measure(lambda: seconds(OURS), lambda: seconds(PEER), count=15)
    return [Result("import of toolkit and one operation / import httpx", pairs.ratio, 1.3, "×", pairs.detail)]
