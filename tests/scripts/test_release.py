"""scripts/release.py: what keeps a release from being made, and what is left to do."""

from __future__ import annotations

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import install
import release

PACKAGE = "overlays/modelarts_toolkit"
PROJECT = {
    "tool": {"hatch": {"build": {"targets": {"wheel": {"packages": [PACKAGE]}}}}},
}


def wheel_of(folder: Path, names: list[str]) -> Path:
    wheel = folder / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as opened:
        for name in names:
            opened.writestr(name, "")
    return wheel


def tracked() -> list[str]:
    listed = release.run("git", "ls-files", "--cached", "--others", "--exclude-standard", PACKAGE).splitlines()
    return [name.removeprefix("overlays/") for name in listed if (release.ROOT / name).exists()]


def test_a_changelog_of_another_version_stops_the_release() -> None:
    with pytest.raises(release.ReleaseError, match=r"the version is 0\.2\.0, the newest section .* is 0\.1\.0"):
        release.check_changelog("0.2.0", "# Changelog\n\n## 0.1.0 (2026-01-01)\n")


def test_a_wheel_with_other_files_than_the_tree_stops_the_release(tmp_path: Path) -> None:
    names = tracked()
    release.check_wheel(wheel_of(tmp_path, names), PROJECT)
    for others in ([*names, "modelarts_toolkit/secret.pem"], names[1:]):
        with pytest.raises(release.ReleaseError, match="wheel and tracked files differ"):
            release.check_wheel(wheel_of(tmp_path, others), PROJECT)


SCRIPT = Path(install.__file__)


def test_an_old_python_gets_one_sentence(tmp_path):
    """Python 3.10 without a newer one on the PATH is rejected in a sentence that names the remedy.

    The script is valid syntax for Python 3.7, else it could not say so.
    """
    code = "import runpy, sys; sys.version_info = (3, 10, 4); runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    command = [sys.executable, "-c", code, str(SCRIPT), "requirements/dev.txt"]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": str(tmp_path)}, check=False)

    assert done.returncode == 1
    assert done.stderr.startswith("modelarts-toolkit needs Python 3.11 or newer")
    assert done.stderr.count("\n") == 1
    assert "make PYTHON=" in done.stderr
    ast.parse(SCRIPT.read_text("utf-8"), feature_version=(3, 7))


def test_a_newer_python_on_the_path_is_found(tmp_path, monkeypatch):
    """The newest interpreter on the PATH that is supported and really runs is used when the running one is too old."""
    for name, status in (("python3.10", 0), ("python3.11", 0), ("python3.12", 0), ("python3.13", 127)):
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {status}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))

    assert install.supported_python() == str(tmp_path / "python3.12")
