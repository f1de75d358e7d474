"""A script that raises, and a script that never ends: the user learns why, and nothing stays behind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.stories.conftest import eventually, is_alive

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobFailed, JobStopped, ModelArts, WaitTimeout

RAISES = """
    import os, sys
    print("about to divide", flush=True)
    1 / 0
"""

STUBBORN_FAMILY = """
    import os, signal, subprocess, sys, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    runaway = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    print(f"family {os.getpid()} {child.pid} {runaway.pid}", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def emulator(tmp_path: Path) -> Iterator[Emulator]:
    """An emulator whose jobs show the numbers of their processes."""
    with Emulator(data_dir=tmp_path / "emulator", stop_grace_s=0.5, check_responses=True, paths="mapping") as running:
        yield running


def test_a_script_that_raises_fails_its_job_and_says_why(ma: ModelArts, submit: Any) -> None:
    """JobFailed carries the exit code and the end of the log, where the traceback is."""
    job = submit(ma, "raises", RAISES)

    with pytest.raises(JobFailed) as failure:
        job.wait()

    assert failure.value.job.phase == "Failed"
    assert failure.value.exit_codes == {"worker-0": 1}
    assert any("about to divide" in line for line in failure.value.log_lines)
    assert any("ZeroDivisionError" in line for line in failure.value.log_lines)
    assert "ZeroDivisionError" in str(failure.value)


def test_a_script_that_never_ends_is_stopped_with_its_whole_family(ma: ModelArts, submit: Any) -> None:
    """Also the process that ignores SIGTERM, its child, and the child that left the group."""
    job = submit(ma, "endless", STUBBORN_FAMILY)
    with pytest.raises(WaitTimeout):
        job.wait(timeout=1)
    family = next(line for line in job.logs(follow=True) if line.startswith("family "))
    pids = [int(pid) for pid in re.findall(r"\d+", family)]
    assert [is_alive(pid) for pid in pids] == [True, True, True]

    stopped = ma.v2.training_jobs.stop_training_job(job.id, {"action_type": "terminate"})
    with pytest.raises(JobStopped) as end:
        job.wait(timeout=300)

    assert stopped.status.phase == "Terminating"
    assert end.value.job.phase == "Terminated"
    eventually(lambda: not any(is_alive(pid) for pid in pids), "every process of the job is gone")
