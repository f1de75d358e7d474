"""What jobs get: a package of the standard library only, for older Pythons too; their scripts copy data with it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.job_packages.moxing.conftest import JOB_PACKAGES, Run

SCRIPT = """
import moxing as mox
mox.file.write({url!r}, "written")
assert mox.file.read({url!r}) == "written"
from moxing.framework import file
assert file.File is mox.file.File
import sys
print(*sorted(name for name in sys.modules if name.partition(".")[0] not in sys.stdlib_module_names), sep="\\n")
"""


def test_it_needs_the_standard_library_only(bucket: str, run_script: Run) -> None:
    """It works in a Python that has nothing else, and imports nothing else."""
    found = run_script(SCRIPT.format(url=f"{bucket}/file")).split()

    assert {name.partition(".")[0] for name in found} == {"moxing", "__main__"}


def _works(python: str) -> bool:
    return subprocess.run(["/bin/sh", "-c", f"{python} -c ''"], capture_output=True, check=False).returncode == 0


def test_it_runs_on_the_oldest_python_that_it_names(bucket: str, run_script: Run) -> None:
    """Engines of the service are older than the emulator's own Python."""
    if not _works("python3.9"):
        pytest.skip("there is no Python 3.9")

    run_script(SCRIPT.partition("import sys")[0].format(url=f"{bucket}/file"), python="python3.9")


def test_it_can_be_installed_by_itself(tmp_path: Path) -> None:
    """Its wheel has the package and nothing of the emulator."""
    source = shutil.copytree(JOB_PACKAGES, tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__"))
    build = f"import hatchling.build as b; print(b.build_wheel({str(tmp_path)!r}))"

    done = subprocess.run([sys.executable, "-c", build], cwd=source, capture_output=True, text=True, check=True)

    names = zipfile.ZipFile(tmp_path / done.stdout.split()[-1]).namelist()
    assert {"moxing/__init__.py", "moxing/py.typed", "moxing/file.py"} <= set(names)
    assert {name.partition("/")[0] for name in names if "dist-info" not in name} == {"moxing"}


JOB_SCRIPT = b"""
import argparse, os, pathlib
import moxing as mox

parser = argparse.ArgumentParser()
parser.add_argument("--source")
parser.add_argument("--target")
arguments, _ = parser.parse_known_args()
home = pathlib.Path(os.environ["MA_HOME"])
mox.file.copy_parallel(arguments.source, home / "data")
text = (home / "data" / "deep" / "x.txt").read_text()
(home / "out").mkdir()
(home / "out" / "model.txt").write_text(text.upper())
mox.file.copy_parallel(home / "out", arguments.target)
print("copied", mox.file.list_directory(arguments.target))
"""


def test_a_script_copies_its_data_and_results_itself(live: Any) -> None:
    """It needs no installation and no settings, and no key shows in what the emulator says of the job."""
    top = f"obs://{live.bucket}/story"
    live.emulator.objects.put(f"{top}/code/train.py", JOB_SCRIPT)
    live.emulator.objects.put(f"{top}/data/deep/x.txt", b"text")
    body = live.job_body(
        code_dir=f"/{live.bucket}/story/code/",
        boot_file=f"/{live.bucket}/story/code/train.py",
        parameters=[{"name": "source", "value": f"{top}/data"}, {"name": "target", "value": f"{top}/out"}],
        environments={"PYTHONPATH": "/nowhere"},
    )

    job_id = live.create_job(body)["metadata"]["id"]
    shown = str(live.wait_for_phase(job_id, "Completed", "Failed"))
    log = live.call("GET", f"/training-jobs/{job_id}/tasks/worker-0/logs/preview").text

    assert "copied ['model.txt']" in log
    assert live.emulator.objects.get(f"{top}/out/model.txt") == b"TEXT"
    assert live.emulator.objects.get(f"{top}/data/deep/x.txt") == b"text"
    assert live.identity.secret_key not in log + shown
