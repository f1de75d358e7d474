"""A script runs out of memory on a GPU that another program of the machine fills."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.accelerators import Machine, Process, gpus
from tests.stories.conftest import connect, eventually, job_body, upload

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobFailed

SCRIPT = """
    import os, time
    while not os.path.exists(os.environ["GATE"]):
        time.sleep(0.01)
    raise RuntimeError("CUDA error: out of memory")
"""


def test_who_waits_for_the_job_is_told_who_filled_its_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The emulator measures that, and the client explains the failure by it; the job sees one of two GPUs."""
    machine = Machine(tmp_path, gpus(2))
    machine.set_gpu(0, used_mib=39936, processes=[Process(os.getpid(), "/usr/bin/trainer", 30720)])
    monkeypatch.setenv("PATH", machine.path)
    body = job_body("full", environments={"GATE": str(tmp_path / "gate")})
    body["spec"]["resource"]["flavor_id"] = "local.gpu"
    with Emulator(tmp_path / "data", metrics_period=0.5) as emulator, connect(emulator) as ma:
        upload(ma, tmp_path, SCRIPT)
        job = ma.jobs.submit(body)
        eventually(lambda: "compute-apps" in str(machine.calls[:-1]), "the processes on the GPU are known")
        (tmp_path / "gate").touch()
        with pytest.raises(JobFailed) as caught:
            job.wait(timeout=60, poll=(0.05, 0.2))
        explained = job.explain()

    assert caught.value.verdict == explained
    assert explained.text == (
        "The accelerator ran out of memory. GPU 0 (NVIDIA A100-SXM4-40GB, 40 GB) was almost full: 39.0 GB were in use"
        f" at most; trainer (process {os.getpid()}) had 30.0 GB of it."
    )
    assert explained.remedy.startswith("Others held most of it")
