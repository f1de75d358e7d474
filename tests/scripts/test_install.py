"""scripts/install.py: the interpreter and the environment that an installation uses."""

import ast
import subprocess
import sys
from pathlib import Path

import install

SCRIPT = Path(install.__file__)


def run_as(version: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run the script with an interpreter that says it is this version, and only this folder on the PATH."""
    code = f"import runpy, sys; sys.version_info = ({version}); runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    command = [sys.executable, "-c", code, str(SCRIPT), "requirements/dev.txt"]
    return subprocess.run(command, capture_output=True, text=True, env={"PATH": str(path)}, check=False)


def test_an_old_python_gets_one_sentence(tmp_path):
    """Python 3.10 without a newer one on the PATH is rejected in a sentence that names the remedy."""
    done = run_as("3, 10, 4", tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("modelarts-toolkit needs Python 3.11 or newer")
    assert done.stderr.count("\n") == 1
    assert "make PYTHON=" in done.stderr


def test_a_newer_python_on_the_path_is_found(tmp_path, monkeypatch):
    """The newest interpreter on the PATH that is supported and really runs is used when the running one is too old."""
    for name, status in (("python3.10", 0), ("python3.11", 0), ("python3.12", 0), ("python3.13", 127)):
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {status}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))

    assert install.supported_python() == str(tmp_path / "python3.12")


def test_the_script_is_valid_syntax_for_an_old_python():
    """Python 3.7 can parse the script, else it could not say that it is too old."""
    ast.parse(SCRIPT.read_text("utf-8"), feature_version=(3, 7))


def test_an_environment_without_an_interpreter_is_replaced(tmp_path):
    """An environment that was not made completely is replaced."""
    assert not install.is_supported(tmp_path / "python")
