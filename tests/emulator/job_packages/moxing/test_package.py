"""What jobs get: a package of the standard library only, for older Pythons too, that can be installed by itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

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
