"""Tasks on a full disk."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil
from tests.emulator.execution.conftest import Bench, fill, is_gone, wait_for

from modelarts_emulator.execution.protocol import Channel

WAITING = """
import os, pathlib, sys, time
output = sys.argv[-1].split("=")[1]
open(output + "/model", "w").write("trained" * 2000)
print("ready", flush=True)
while not pathlib.Path(os.environ["GATE"]).exists():
    time.sleep(0.01)
sys.exit(int(os.environ["CODE"]))
"""


def _start(bench: Bench, gate: Path, code: int = 0) -> psutil.Process:
    """Start a job that has written its output and ends with the code as soon as there is a gate; its controller."""
    job_id = bench.start(
        WAITING,
        outputs=(Channel("train_url", "/data/out/"),),
        environments={"GATE": str(gate), "CODE": str(code)},
    )
    bench.wait_for_log("ready", job_id)
    return bench.controller()


def test_a_full_disk_is_named_as_a_cause(bench_on_small_disk: Bench, tmp_path: Path) -> None:
    """A task whose end cannot be written down has failed."""
    bench = bench_on_small_disk
    controller = _start(bench, tmp_path / "gate")
    filler = fill(bench.folder)
    (tmp_path / "gate").touch()
    wait_for(lambda: is_gone(controller.pid))
    filler.unlink()
    report = bench.end(bench.jobs[-1])

    assert report.exit_code == 137
    assert "its disk is full" in (report.message or "")


def test_a_job_can_be_stopped_while_the_disk_is_full(bench_on_small_disk: Bench, tmp_path: Path) -> None:
    """Its processes end at once, although the wish to stop it cannot be written down."""
    bench = bench_on_small_disk
    controller = _start(bench, tmp_path / "gate")
    filler = fill(bench.folder)
    (script,) = controller.children()
    with suppress(OSError):
        bench.executor.cancel(bench.jobs[-1])
    wait_for(lambda: is_gone(script.pid))
    filler.unlink()

    assert bench.end(bench.jobs[-1]).exit_code in (143, 137)
