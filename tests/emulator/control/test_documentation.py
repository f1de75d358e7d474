"""What the page on controlling the emulator shows works as it stands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator

PAGE = (Path(__file__).parents[3] / "docs/emulator-control.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page shows calls with curl")
def test_every_call_has_a_response(tmp_path: Path, log_in: Any) -> None:
    """Each call with curl works as written, with the variables of `env` and the id of a job."""
    scripts = [block for block in blocks("sh") if "curl" in block]
    assert len(scripts) == 4
    with Emulator(tmp_path, executor="simulated") as emulator:
        api = log_in(emulator)
        emulator.clock.freeze()
        job_id = api.create_job()["metadata"]["id"]
        emulator.clock.advance(1)
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        for script in reversed(scripts):  # the first one resets the emulator
            text = script.replace("<job id>", job_id).replace("emulator env", f"emulator env --data-dir {tmp_path}")
            text = text.replace("curl ", "curl --silent --show-error --fail-with-body --noproxy 127.0.0.1 ")
            environ = {"PATH": path, **emulator.environment()}
            done = subprocess.run(["/bin/sh", "-ec", text], env=environ, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), done.stdout

        assert api.store.buckets() == []


def test_every_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    programs = blocks("python")
    for program in programs:
        exec(compile(program, "emulator-control.md", "exec"), {})

    assert programs


def test_every_file_is_read(tmp_path: Path, log_in: Any) -> None:
    users, offers = (tmp_path / "users.toml", tmp_path / "offers.toml")
    users.write_text(blocks("toml")[0], "utf-8")
    offers.write_text(blocks("toml")[1].replace("venv/bin/python", sys.executable), "utf-8")

    with Emulator(executor="simulated", credentials=users, catalogue=offers) as emulator:
        api = log_in(emulator)
        found = [api.call("GET", f"/training-job-{kind}").text for kind in ("flavors", "engines")]
    assert emulator.identity.user == "ann"
    assert ["lab.gpu" in found[0], "pytorch-lab" in found[1]] == [True, True]
