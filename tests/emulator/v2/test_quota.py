"""The quota of jobs, which deleted jobs give back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from modelarts_emulator.server import Emulator


def test_a_deleted_job_makes_room_for_another(tmp_path: Path, puppet: Any, log_in: Callable[..., Any]) -> None:
    with Emulator(tmp_path / "data", executor=puppet, keep_jobs=True, max_jobs=2) as emulator:
        api = log_in(emulator)
        first, _ = api.create_job(), api.create_job()
        assert api.rejection(api.job_body()) == (400, "ModelArts.2815")

        api.call("DELETE", f"/training-jobs/{first['metadata']['id']}")

        assert api.create_job()["status"]["phase"] == "Creating"
        assert api.rejection(api.job_body()) == (400, "ModelArts.2815")


def test_jobs_of_an_earlier_run_count(tmp_path: Path, new_puppet: Any, log_in: Callable[..., Any]) -> None:
    for rejected in (False, True):
        options = {"executor": new_puppet(tmp_path), "keep_jobs": True, "max_jobs": 1}
        with Emulator(tmp_path / "data", **options) as emulator:
            api = log_in(emulator)

            assert (api.call("POST", "/training-jobs", json=api.job_body()).status_code == 400) is rejected
