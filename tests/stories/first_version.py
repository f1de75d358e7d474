"""A job of version 1 that copies its data and its results itself, and a TensorBoard that shows what it wrote."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import httpx
from tests.emulator.visualization.event_files import Scalars
from tests.stories.conftest import eventually

from modelarts_toolkit import ModelArts

__all__ = ["train_and_watch"]

SCRIPT = """
    import argparse
    import moxing as mox

    parser = argparse.ArgumentParser()
    parser.add_argument("--data_url"), parser.add_argument("--train_url")
    given, _ = parser.parse_known_args()
    mox.file.copy_parallel(given.data_url, "data")
    mox.file.copy_parallel("data", given.train_url)
    print("Done exporting!")
"""


def train_and_watch(ma: ModelArts, folder: Path) -> str:
    """Let a job copy a curve to its results, and look at it with TensorBoard; returns the job's log."""
    (folder / "train.py").write_text(textwrap.dedent(SCRIPT))
    curve = Scalars(folder / "data")
    file = curve.add(0.5, 0.25)
    curve.close()
    ma.obs.create_bucket("first")
    ma.obs.upload(folder / "train.py", "obs://first/code/")
    ma.obs.upload(file, "obs://first/data/")
    config: Any = {
        "worker_server_num": 1,
        "app_url": "/first/code/",
        "boot_file_url": "/first/code/train.py",
        "engine_id": 4,
        "data_url": "/first/data/",
        "train_url": "/first/results/",
        "flavor": {"code": "modelarts.vm.cpu.8u"},
    }
    job = ma.v1_jobs.submit({"job_name": "first", "config": config})
    ma.v1_jobs.get(job).wait(timeout=300)

    board = ma.v1.visualization_jobs.create_visualization_job({"job_name": "curve", "train_url": "/first/results"})
    board_id = int(board.job_id or 0)
    try:
        eventually(lambda: _shown(ma, board_id) == [0.5, 0.25], "TensorBoard shows the curve")
    finally:
        ma.v1.visualization_jobs.delete_visualization_job(board_id)
    return "\n".join(ma.v1_jobs.get(job).logs())


def _shown(ma: ModelArts, board_id: int) -> list[float]:
    """The values of the curve that the TensorBoard of the job shows now."""
    url = ma.v1.visualization_jobs.show_visualization_job(board_id).service_url
    if not url:
        return []
    found = httpx.get(f"{url}data/plugin/scalars/scalars", params={"run": ".", "tag": "loss"})
    return [value for _, _, value in found.json()] if found.is_success else []
