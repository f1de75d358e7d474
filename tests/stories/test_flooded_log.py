"""A script that floods its log disturbs nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.stories.conftest import connect, eventually

from modelarts_emulator.server import Emulator
from modelarts_toolkit import ModelArts

FLOOD = """
    import os
    while not os.path.exists(os.environ["GATE"]):
        os.write(1, (b"x" * 99 + b"\\n") * 500)
"""


def test_calls_get_responses_while_a_script_floods_its_log(tmp_path: Path, submit: Any) -> None:
    """The log's limit holds meanwhile, and the script runs on."""
    (tmp_path / "limits.toml").write_text("[limits]\nlog_bytes = 1_000_000\n")
    with (
        Emulator(tmp_path / "data", catalogue=tmp_path / "limits.toml") as emulator,
        connect(emulator) as ma,
    ):
        job = submit(ma, "flood", FLOOD, GATE=str(tmp_path / "gate"))
        eventually(lambda: "running silently" in _preview(ma, job)[0], "the script floods its log")
        eventually(lambda: _phase(ma, job) == "Running", "the job is known to run")
        phases = [_phase(ma, job) for _ in range(20)]
        (tmp_path / "gate").touch()
        end = job.wait(timeout=300).phase
        size = _preview(ma, job)[1]

    assert (set(phases), end) == ({"Running"}, "Completed")
    assert 1_000_000 < size < 1_010_000


def _phase(ma: ModelArts, job: Any) -> str:
    return str(ma.v2.training_jobs.show_training_job_details(job.id).status.phase)


def _preview(ma: ModelArts, job: Any) -> tuple[str, int]:
    """The newest part of the log, and the size of all of it."""
    shown = ma.v2.logs.show_training_job_logs_preview(job.id, "worker-0")
    return (shown.content or "", shown.full_size or 0) if shown else ("", 0)
