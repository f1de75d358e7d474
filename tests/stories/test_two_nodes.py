"""A job on two nodes: they meet by the variables that the service presets and work together."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.stories.conftest import job_body, upload

from modelarts_emulator.execution.task.namespaces import find_path_mode
from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

ROOT = Path(__file__).parents[2]

MEET = """
    import os, socket, time
    hosts = os.environ["VC_WORKER_HOSTS"].split(",")
    index, count = int(os.environ["VC_TASK_INDEX"]), int(os.environ["MA_NUM_HOSTS"])
    assert (count, hosts[index]) == (len(hosts), os.environ["MA_CURRENT_IP"])
    PORT = 6666
    if index == 0:
        with socket.create_server((hosts[0], PORT)) as listener:
            peer, _ = listener.accept()
            with peer:
                total = 1 + int(peer.recv(10))
                peer.sendall(str(total).encode())
    else:
        while True:
            try:
                peer = socket.create_connection((hosts[0], PORT))
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        with peer:
            peer.sendall(b"2")
            total = int(peer.recv(10))
    print(f"node {index} knows {total}", flush=True)
"""


def submit(ma: ModelArts, folder: Path, script: str) -> str:
    """Upload the script and submit it as a job on two nodes; returns the job's id."""
    upload(ma, folder, script)
    return str(ma.jobs.submit(job_body("nodes", nodes=2)).id)


def logs(ma: ModelArts, job_id: str) -> list[str]:
    job = ma.v2.training_jobs.show_training_job_details(job_id)
    return ["\n".join(ma.jobs.get(job).logs(task=task, follow=True)) for task in job.status.tasks]


def meet(ma: ModelArts, folder: Path) -> Any:
    """Let the first host listen and the second one find it, until both know the sum; returns the job."""
    job_id = submit(ma, folder, MEET)
    job = ma.jobs.get(job_id).wait()
    first, second = logs(ma, job_id)

    assert job.phase == "Completed", first + second
    assert "node 0 knows 3" in first
    assert "node 1 knows 3" in second
    return job


def test_two_nodes_meet_by_the_variables_that_the_service_presets(ma: ModelArts, tmp_path: Path) -> None:
    """Without any framework."""
    job = meet(ma, tmp_path)

    assert [task.exit_code for task in job.details.status.task_statuses] == [0, 0]


def test_pytorch_trains_one_model_on_two_nodes() -> None:
    """`make demo ENGINE=pytorch`: every gradient of every step is averaged between the nodes by gloo."""
    if not (ROOT / ".cache/engines/pytorch.installed").exists():
        pytest.skip("PyTorch is not installed for it: make engine-pytorch")
    command = [sys.executable, str(ROOT / "examples/demo_pytorch.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    weights = re.findall(r"node \d: weights (\w{16})", done.stdout)
    assert len(weights) == 2
    assert len(set(weights)) == 1
    assert done.stdout.count("│ epoch ") == 20
    assert "of the held-out digits named right" in done.stdout


NAMES = """
    import os, socket
    job, task = os.environ["MA_VJ_NAME"], os.environ["MA_TASK_NAME"]
    names = [f"{job}-{task}-{index}.{job}" for index in range(int(os.environ["MA_NUM_HOSTS"]))]
    print("found", [socket.gethostbyname(name) for name in names] == os.environ["VC_WORKER_HOSTS"].split(","))
"""


def test_names_made_of_job_and_task_are_addresses_of_the_nodes(
    emulator: Emulator, ma: ModelArts, tmp_path: Path
) -> None:
    """Without namespaces they do not resolve, and the list of differences says so."""
    expected = "found True" if find_path_mode(())[0] == "namespace" else "socket.gaierror"

    assert [log for log in logs(ma, submit(ma, tmp_path, NAMES)) if expected not in log] == []
