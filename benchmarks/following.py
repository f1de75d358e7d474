"""How quickly a long log is followed while a job writes it, and whether each line comes once."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.result import Result
from benchmarks.server import running
from modelarts_toolkit import ModelArts
from modelarts_toolkit.settings.config import Config

LINES = 1_000_000
WIDTH = 99  # characters of a line
LOG_MB = LINES * (WIDTH + 1) / 1e6
SCRIPT = f"""\
import sys
for start in range(0, {LINES}, 1000):
    sys.stdout.write("".join(f"{{number:0{WIDTH}}}\\n" for number in range(start, start + 1000)))
"""
BUCKET = "modelarts-following"
POLL = (0.05, 1.0)  # seconds, as of the command line with an emulator on this machine


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder, "data")) as server:
        environment = {name: value for name, value in server.environment.items() if name.startswith("MODELARTS_")}
        with ModelArts(config=Config.load(environ=environment)) as ma:
            job = submit(ma, Path(folder))
            began = time.perf_counter()
            wrong = followed(job)
            seconds = time.perf_counter() - began
    detail = f"{LINES:,} lines in {seconds:.1f} s, written meanwhile"
    return [
        Result("lines of a followed log, lost or repeated", wrong, 0, "lines", detail),
        Result("following a log while it is written", LOG_MB / seconds, None, "MB/s", detail),
    ]


def submit(ma: ModelArts, folder: Path) -> Any:
    """Submit a job that writes the lines, and return its handle."""
    script = folder / "train.py"
    script.write_text(SCRIPT)
    ma.obs.create_bucket(BUCKET)
    ma.obs.upload(script, f"obs://{BUCKET}/code/")
    engine = ma.v2.engines.show_training_job_engines().items[0].engine_id
    flavor = ma.v2.flavors.show_training_job_flavors(flavor_type="CPU").flavors[0].flavor_id
    return ma.jobs.submit(
        {
            "kind": "job",
            "metadata": {"name": "following"},
            "algorithm": {
                "code_dir": f"obs://{BUCKET}/code/",
                "boot_file": f"obs://{BUCKET}/code/train.py",
                "engine": {"engine_id": engine},
            },
            "spec": {"resource": {"flavor_id": flavor, "node_count": 1}},
        }
    )


def followed(job: Any) -> int:
    """Follow the log to its end; how many lines were lost, repeated or in the wrong place."""
    expected = wrong = 0
    for line in job.logs(follow=True, poll=POLL):
        if line.startswith("["):
            continue  # of the platform
        number = int(line)
        wrong += abs(number - expected)
        expected = number + 1
    return wrong + LINES - expected
