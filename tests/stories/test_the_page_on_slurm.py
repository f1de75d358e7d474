"""The page on Slurm leads from nothing to a job on two nodes."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

import psutil
import pytest
from tests.local_servers import free_ports
from tests.slurm import processes_of, why_not
from tests.stories.conftest import MODELARTS, eventually

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]


def processes_below(folder: str) -> list[str]:
    """The commands of the processes that name the folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            found += [line for line in [" ".join(process.cmdline())] if folder in line]
    return found


def test_the_page_on_slurm_leads_to_a_job_on_two_nodes() -> None:
    """Its shell blocks run as they stand, but for the ports of the daemons; nothing is left running."""
    if reason := why_not():
        pytest.skip(reason)
    page = (ROOT / "docs/how-to/slurm.md").read_text("utf-8")
    script = "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL))
    for port, free in zip((6817, 6818, 6819, 6066), free_ports(4), strict=True):
        assert str(port) in script, port
        script = script.replace(str(port), str(free))
    ending = (
        "trap 'test $? = 0 || { modelarts emulator stop --data-dir ./data;"
        " kill $(cat cluster/*.pid cluster/munge/pid); }' EXIT\n"
    )
    path = f"{Path(MODELARTS).parent}:{os.environ['PATH']}:/usr/sbin"
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        done = subprocess.run(
            ["/bin/sh", "-euc", ending + script],
            cwd=folder,
            env={**os.environ, "PATH": path, "HOME": folder},
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        eventually(lambda: not processes_below(folder), "the cluster has ended")
        conf = Path(folder, "cluster/slurm.conf")  # slurmctld and slurmd write their state until they have ended
        eventually(lambda: not processes_of(conf), "Slurm's daemons have ended")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "node 0 got: hello from node 1" in done.stdout
