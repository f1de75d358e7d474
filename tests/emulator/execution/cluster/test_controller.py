"""Controllers on nodes of a cluster: they know each other by their records only."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace

from tests.emulator.execution.conftest import Bench, wait_for

from modelarts_emulator.execution.local import records

FOREVER = "import time\nprint('ready', flush=True)\ntime.sleep(600)\n"
CONTROLLER = """
import sys
from pathlib import Path
from modelarts_emulator.execution.cluster import controller
from modelarts_emulator.execution.local.controller import run_task
from modelarts_emulator.execution.local.records import TaskPlace
controller.BEAT_S = 0.5
place = TaskPlace(Path(sys.argv[1]), sys.argv[2], 0, sys.argv[3])
sys.exit(run_task(place, {}, lambda place, spec: controller.ClusterController(place, spec, ())))
"""


def test_a_task_ends_when_a_peer_gives_no_sign_of_life_and_that_one_is_lost(bench: Bench) -> None:
    """Its node was started anew, say, and the engine did not notice; one that comes back has been given up."""
    job = replace(bench.spec(FOREVER), node_count=2)
    with bench.executor._lock:
        bench.executor._begin_attempt(job)
    places = bench.place().tasks(2)
    command = [sys.executable, "-c", CONTROLLER, str(bench.folder / "jobs"), job.job_id]
    first, second = (subprocess.Popen([*command, place.task]) for place in places)
    for place in places:
        bench.wait_for_log("ready", task=place.task)
    start = records.read_start(places[1])
    assert start is not None
    assert start.process is not None
    second.send_signal(signal.SIGSTOP)

    assert first.wait(30) == 0
    ends = [records.read_exit(place) for place in places]
    assert [(end.exit_code, end.failure) for end in ends if end] == [(143, None), (137, "node_lost")]
    assert ends[0] is not None
    assert ends[0].message == "stopped because worker-1 ended with exit code 137"
    second.send_signal(signal.SIGCONT)
    assert second.wait(30) == 0
    wait_for(lambda: start.process is not None and not start.process.is_alive())
