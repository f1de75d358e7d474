"""Tests of the tests: each defect of `tests/data/seeded_defects.toml` makes the test fail that it names.

`make soak` tries all; with `DEFECTS=5`, as in `make seeded-defects`, so many are tried, the same for the same commit.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DEFECTS = tomllib.loads((ROOT / "tests" / "data" / "seeded_defects.toml").read_text("utf-8"))["defect"]
PACKAGES = ("generated", "overlays", "emulator", "contract", "scripts")
FAILED, PASSED = 1, 0  # exit statuses of pytest


def drawn() -> list[dict[str, Any]]:
    """As many of the defects as the variable says, drawn by the commit; without git, always the same."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return random.Random(commit.strip()).sample(DEFECTS, int(os.environ.get("DEFECTS", len(DEFECTS))))


class Copy:
    """A copy of the repository in which defects are put and tests are run."""

    def __init__(self, root: Path, files: list[Path], folder: Path) -> None:
        self.folder = folder
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / file, folder / file)
        (folder / ".venv").symlink_to(root / ".venv")
        self.output = ""  # of the tests without any defect
        self._generated = {
            path: path.read_bytes() for path in (folder / "generated").rglob("*") if path.is_file()
        }  # generated code that a defect has changed is put back

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(str(self.folder / package) for package in PACKAGES)
        environment = {**os.environ, "PYTHONPATH": path}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def test(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        plugins = ("cacheprovider", "schemathesis", "xdist")
        disabled = [part for plugin in plugins for part in ("-p", f"no:{plugin}")]
        return self.run("-m", "pytest", "-q", *disabled, *arguments)

    def passes(self, name: str) -> bool:
        """Whether the test passes without a defect; one that failed beside others, on a busy machine, is run alone."""
        has_failed = any(line.startswith((f"FAILED {name}", f"ERROR {name}")) for line in self.output.splitlines())
        return not has_failed or self.test(name).returncode == PASSED

    def generate(self) -> None:
        done = self.run("scripts/generate.py")
        assert done.returncode == 0, done.stdout + done.stderr

    def restore(self, file: Path, text: str) -> None:
        file.write_text(text, "utf-8")
        for path, content in self._generated.items():
            if not path.exists() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)


@pytest.fixture(scope="module")
def scratch(
    request: pytest.FixtureRequest, root: Path, files: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Copy:
    """A copy without defects, in which the tests that are to fail have been run once."""
    copy = Copy(root, files, tmp_path_factory.mktemp("defects"))
    parameters = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    chosen = {parameter["defect"]["test"] for parameter in parameters if "defect" in parameter}
    done = copy.test("-rfE", *sorted(chosen))
    assert done.returncode in (PASSED, FAILED), done.stdout + done.stderr
    copy.output = done.stdout
    return copy


def test_every_defect_can_still_be_put_in_its_place(root: Path) -> None:
    """Its text is in its file once, and its test exists."""
    places = {entry["name"]: (root / entry["file"]).read_text("utf-8").count(entry["old"]) for entry in DEFECTS}
    assert {name: count for name, count in places.items() if count != 1} == {}
    missing = []
    for entry in DEFECTS:
        file, _, name = entry["test"].partition("::")
        if not (root / file).exists() or f"def {name}" not in (root / file).read_text("utf-8"):
            missing.append(entry["test"])
    assert missing == []
    assert len(DEFECTS) >= 40
    assert max(Counter(entry["name"] for entry in DEFECTS).values()) == 1


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("defect", drawn(), ids=lambda entry: entry["name"])
def test_a_defect_is_found(scratch: Copy, defect: dict[str, Any]) -> None:
    """The named test fails with it, and passes without it."""
    file = scratch.folder / defect["file"]
    text = file.read_text("utf-8")
    assert scratch.passes(defect["test"]), scratch.output
    try:
        file.write_text(text.replace(defect["old"], defect["new"]), "utf-8")
        if defect.get("generate"):
            scratch.generate()
        broken = scratch.test("-x", "--timeout=100", defect["test"])  # it may wait in vain
    finally:
        scratch.restore(file, text)

    assert broken.returncode == FAILED, broken.stdout + broken.stderr
