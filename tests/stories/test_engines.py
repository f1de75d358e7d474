"""An engine is a Python of the user's choice, and what the code requires is installed for it."""

from __future__ import annotations

import os
import signal
import subprocess
import venv
from pathlib import Path

import pytest
from tests.emulator.execution.task.test_requirements import wheel
from tests.stories.conftest import EmulatorProcess, connect, job_body


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The Python of an environment of its own."""
    venv.create(tmp_path / "torch", with_pip=False, symlinks=True)
    return tmp_path / "torch/bin/python"


def test_engine_and_requirements_reach_the_script_and_the_engine_stays_as_it_was(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--engine` and `--install-requirements`, a boot file with a wheel beside it, and a command on an image."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    code = tmp_path / "code"
    code.mkdir()
    wheel(code, "brought", value="brought along")
    (code / "pip-requirements.txt").write_text("brought-1.0-py3-none-any.whl\n")
    (code / "boot.py").write_text("import brought, sys\nprint(brought.VALUE, 'by', sys.base_prefix != sys.prefix)\n")
    options = ("--engine", f"pytorch*={python}", "--engine", f"team/*={python}", "--install-requirements")
    emulator = EmulatorProcess(tmp_path / "data", more=options)
    emulator.start()
    try:
        with connect(emulator) as ma:
            ma.obs.create_bucket("stories")
            ma.obs.upload(code, "obs://stories/code/")
            image = {"engine": {"image_url": "team/image:1"}, "command": "python -c 'import sys; print(sys.prefix)'"}
            said = []
            for body in (job_body("preset"), job_body("image") | {"algorithm": image}):
                job = ma.jobs.submit(body)
                said.append("\n".join(job.logs(follow=True)))
                assert job.wait().phase == "Completed", said[-1]
    finally:
        emulator.end(signal.SIGINT)

    assert "brought along by True" in said[0]
    assert f"\n{python.parent.parent}\n" in said[1]
    asked = subprocess.run([python, "-c", "import brought"], capture_output=True, check=False)
    assert asked.returncode != 0
