"""Many jobs that are submitted at once all run and end as they should; a script that floods its log disturbs nobody."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.stories.conftest import ENGINE, eventually

from modelarts_emulator.server import Emulator
from modelarts_toolkit import JobFailed, JobRequest, ModelArts

JOBS = 10
FLOOD = """
    import os
    while not os.path.exists(os.environ["GATE"]):
        os.write(1, (b"x" * 99 + b"\\n") * 500)
"""


def _body(number: int) -> JobRequest:
    return {
        "kind": "job",
        "metadata": {"name": f"one-of-many-{number}"},
        "algorithm": {
            "code_dir": "/many/code/",
            "boot_file": "/many/code/boot.py",
            "engine": ENGINE,
            "environments": {"CODE": str(number % 5)},
        },
        "spec": {"resource": {"flavor_id": "modelarts.vm.cpu.8u", "node_count": 1}},
    }


def test_all_of_many_jobs_that_are_submitted_at_once_end_as_they_should(ma: ModelArts, tmp_path: Path) -> None:
    (tmp_path / "boot.py").write_text("import os, sys\nprint('ran')\nsys.exit(int(os.environ['CODE']))\n")
    ma.obs.create_bucket("many")
    ma.obs.upload(tmp_path / "boot.py", "obs://many/code/boot.py")
    with ThreadPoolExecutor(8) as pool:
        jobs = list(pool.map(lambda number: ma.jobs.submit(_body(number)), range(JOBS)))
    for job in jobs:
        with suppress(JobFailed):
            job.wait(timeout=300)
    ends = [ma.v2.training_jobs.show_training_job_details(job.id).status for job in jobs]
    assert [status.phase for status in ends] == ["Failed" if number % 5 else "Completed" for number in range(JOBS)]
    assert [status.task_statuses[0].exit_code for status in ends] == [number % 5 for number in range(JOBS)]


def test_calls_get_responses_while_a_script_floods_its_log(
    tmp_path: Path, submit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log's limit holds meanwhile, and the script runs on."""
    (tmp_path / "limits.toml").write_text("[limits]\nlog_bytes = 1_000_000\n")
    with Emulator(tmp_path / "data", catalogue=tmp_path / "limits.toml") as emulator:
        for name, value in emulator.environment().items():
            monkeypatch.setenv(name, value)
        with ModelArts() as ma:
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
