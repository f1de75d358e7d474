"""The process that owns one task of an allocation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from tests.emulator.execution.conftest import Bench, is_gone, wait_for

from modelarts_emulator.execution.local import records
from modelarts_emulator.execution.slurm.ends import INTERRUPTED

FOREVER = "import time\ntime.sleep(600)\n"


def test_a_script_that_gets_slurms_signal_before_its_controller_was_interrupted(bench: Bench) -> None:
    """Slurm signals the processes of a step one by one, in any order."""
    job = bench.spec(FOREVER)
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    module = "modelarts_emulator.execution.slurm.controller"
    command = [sys.executable, "-m", module, str(bench.folder / "jobs"), job.job_id, "0"]
    with subprocess.Popen(command) as controller:
        wait_for(bench.place().process.exists)
        start = records.read_start(bench.place())
        script = start.process if start else None
        assert script is not None
        os.kill(script.pid, signal.SIGTERM)
        wait_for(lambda: is_gone(script.pid))
        time.sleep(0.1)  # longer than the controller takes to notice
        controller.send_signal(signal.SIGTERM)

    end = records.read_exit(bench.place())
    assert end is not None
    assert (end.exit_code, end.message) == (143, INTERRUPTED)
