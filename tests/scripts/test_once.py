"""scripts/once.sh: a check is left out while what it has accepted is as it was."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.scripts.conftest import ROOT

SCRIPT = ROOT / "scripts" / "once.sh"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files that a check reads, one of them in a folder, and one that it does not read."""
    (tmp_path / "made" / "__pycache__").mkdir(parents=True)
    for name in ("made/client.py", "settings.toml", "notes.txt"):
        (tmp_path / name).write_text(name)
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


def runs(project: Path, command: str = "exit 0", **environ: str) -> int:
    """How often the command runs when it is asked for twice."""
    counted = f"echo run >> ../runs; {command}"
    for _ in range(2):
        subprocess.run(
            [SCRIPT, "made settings.toml", "sh", "-c", counted], cwd=project, env={**os.environ, **environ}, check=False
        )
    file = project.parent / "runs"
    count = len(file.read_text().splitlines()) if file.exists() else 0
    file.unlink(missing_ok=True)
    return count


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda project: None, 0),
        (lambda project: (project / "notes.txt").write_text("another"), 0),
        (lambda project: os.utime(project / "settings.toml", (1, 1)), 0),
        (lambda project: (project / "made/__pycache__/client.pyc").touch(), 0),
        (lambda project: (project / "settings.toml").write_text("another"), 1),
        (lambda project: (project / "made/client.py").unlink(), 1),
        (lambda project: (project / "made/more.py").touch(), 1),
        (lambda project: (project / "made/client.py").rename(project / "made/renamed.py"), 1),
    ],
)
def test_a_check_runs_again_if_and_only_if_its_files_changed(
    project: Path, change: Callable[[Path], object], expected: int
) -> None:
    assert runs(project) == 1
    change(project)

    assert runs(project) == expected


def test_a_check_that_fails_runs_again_and_ci_leaves_none_out(project: Path) -> None:
    assert runs(project, "exit 3") == 2
    assert runs(project, CI="true") == 2


def test_lint_looks_at_all_files_of_which_the_client_is_made() -> None:
    """What generate.py imports and reads is named in the Makefile."""
    listed = re.findall("^OF_GENERATION = (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[0].split()
    code = "import sys, generate\nprint(*(m.__file__ for m in sys.modules.values() if getattr(m, '__file__', None)))"
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    imported = [Path(file).relative_to(ROOT) for file in done.stdout.split() if Path(file).is_relative_to(ROOT)]
    own = [file for file in imported if not file.parts[0].startswith(".")]

    assert Path("scripts/generate.py") in own
    assert [file for file in own if not any(file.is_relative_to(each) for each in listed)] == []
    assert {"openapi", "generated", "overlays/modelarts_runtime", "pyproject.toml", "requirements/dev.txt"} <= {*listed}
