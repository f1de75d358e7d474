"""A disk that is full for a while delays the end of a task and does not change it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil
from tests.emulator.execution.conftest import Bench, fill, small_disk, wait_for
from tests.emulator.execution.reading import reports_of

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.local.task_log import TaskLog
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
    claim = records.read_claim(bench.place())
    assert claim is not None
    return psutil.Process(claim.pid)


def _ends_on_a_full_disk(bench: Bench, gate: Path, code: int = 0) -> tuple[psutil.Process, Path]:
    """Let the script end while the disk is full; its controller, and what fills the disk."""
    bench.executor = bench.new_executor(upload_period=600, full_disk_timeout=0.2 if code == 9 else 600)
    controller = _start(bench, gate, code)
    filler = fill(bench.folder)
    gate.touch()
    wait_for(lambda: controller.status() == psutil.STATUS_ZOMBIE or not controller.children())
    return controller, filler


def test_a_script_that_succeeds_on_a_full_disk_has_succeeded(bench_on_small_disk: Bench, tmp_path: Path) -> None:
    """Outputs and the exit record are written as soon as there is room."""
    bench = bench_on_small_disk
    _, filler = _ends_on_a_full_disk(bench, tmp_path / "gate")
    during = reports_of(bench.executor, bench.jobs[-1])[0].state
    filler.unlink()
    report = bench.end(bench.jobs[-1])

    assert during == "running"
    assert (report.exit_code, report.message) == (0, None)
    assert bench.store.read("data", "out/model") == b"trained" * 2000


def test_a_script_that_fails_on_a_full_disk_fails_with_its_own_code(bench_on_small_disk: Bench, tmp_path: Path) -> None:
    bench = bench_on_small_disk
    _, filler = _ends_on_a_full_disk(bench, tmp_path / "gate", 42)
    filler.unlink()

    assert bench.end(bench.jobs[-1]).exit_code == 42


def test_a_disk_that_stays_full_is_named_as_a_cause(bench_on_small_disk: Bench, tmp_path: Path) -> None:
    """After its timeout the controller gives up."""
    bench = bench_on_small_disk
    controller, filler = _ends_on_a_full_disk(bench, tmp_path / "gate", 9)
    wait_for(lambda: not controller.is_running() or controller.status() == psutil.STATUS_ZOMBIE)
    filler.unlink()
    report = bench.end(bench.jobs[-1])

    assert report.exit_code == 137
    assert "its disk stayed full" in (report.message or "")


def test_a_job_can_be_stopped_while_the_disk_is_full(bench_on_small_disk: Bench, tmp_path: Path) -> None:
    """Its processes end at once, although the wish to stop it cannot be written down."""
    bench = bench_on_small_disk
    controller = _start(bench, tmp_path / "gate")
    filler = fill(bench.folder)
    (script,) = controller.children()
    with suppress(OSError):
        bench.executor.cancel(bench.jobs[-1])
    wait_for(lambda: not script.is_running() or script.status() == psutil.STATUS_ZOMBIE)
    filler.unlink()

    assert bench.end(bench.jobs[-1]).exit_code == 143


def test_a_log_says_how_much_of_it_a_full_disk_has_lost(tmp_path: Path) -> None:
    """The log continues as soon as there is room."""
    with small_disk(tmp_path / "disk", "100k") as disk:
        log = TaskLog(disk / "log")
        log.output(b"before\n")
        filler = fill(disk)
        log.output(b"x" * 8192)
        log.output(b"y" * 1000)
        filler.unlink()
        log.output(b"after\n")
        log.close()
        lines = (disk / "log").read_bytes().splitlines()

    lost = 8192 + 1000 - sum(line.count(b"x") for line in lines if not line.startswith(b"["))
    assert [lines[0], lines[-1]] == [b"before", b"after"]
    assert lines[-2].endswith(b": %d bytes of the log were lost because they could not be written" % lost)
