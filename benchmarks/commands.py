"""What commands take as whole processes, against a Python that does nothing: loading, calling, waiting for a job."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.result import Pairs, Result
from benchmarks.server import ENVIRONMENT, MODELARTS, running

PAUSE_S = 0.03  # that the script takes
SCRIPT = f"import time; time.sleep({PAUSE_S}); print('done')"


def process(environment: Mapping[str, str], *command: str | Path) -> Callable[[], float]:
    """A measurement of a command, from its start to its end in seconds."""

    def seconds() -> float:
        began = time.perf_counter()
        subprocess.run(command, env=environment, capture_output=True, check=True)
        return time.perf_counter() - began

    return seconds


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "code", "train.py")
        script.parent.mkdir()
        script.write_text(SCRIPT)
        alone = {**ENVIRONMENT, "XDG_DATA_HOME": str(Path(folder, "no-emulator"))}
        idle = process(alone, sys.executable, "-c", "pass")
        with running(Path(folder, "data")) as server:
            local = {**ENVIRONMENT, **server.environment}
            local.pop("PYTHONDONTWRITEBYTECODE", None)
            pairs: list[tuple[str, float | None, Callable[[], float], int]] = [
                ("modelarts --help / python -c pass", None, process(alone, MODELARTS, "--help"), 15),
                ("modelarts job list / python -c pass", None, process(local, MODELARTS, "job", "list"), 15),
                ("modelarts run, emulator runs / python -c pass", 36, process(local, MODELARTS, "run", script), 7),
            ]
            measured = [(what, budget, Pairs.measure(ours, idle, count)) for what, budget, ours, count in pairs]
        cold = Pairs.measure(process(alone, MODELARTS, "run", script), idle, count=5)
    measured.append(("modelarts run, emulator of its own / python -c pass", 75, cold))
    return [Result(what, found.ratio, budget, "×", found.detail) for what, budget, found in measured]
