"""scripts/api_base.sh: the revision with which CI compares the documents."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.scripts.conftest import ROOT, git

SCRIPT = Path(__file__).parents[2] / "scripts" / "api_base.sh"


class Clone:
    """A repository with the script, which names its first revision, and two changes of the documents after it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.first = self.commit("README.md")
        script = re.sub("^base=[0-9a-f]{40}$", f"base={self.first}", SCRIPT.read_text("utf-8"), flags=re.MULTILINE)
        (folder / "scripts").mkdir()
        (folder / "scripts" / SCRIPT.name).write_text(script)
        (folder / "scripts" / SCRIPT.name).chmod(0o755)
        self.commit("generated/modelarts_openapi/v2.json")
        self.changed = self.commit("generated/modelarts_openapi/v2.json")

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments)

    def commit(self, name: str) -> str:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as output:
            output.write("changed\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"Change {name}")
        return self.git("rev-parse", "HEAD")

    def base(self, **environ: str) -> subprocess.CompletedProcess[str]:
        script = self.folder / "scripts" / "api_base.sh"
        return subprocess.run([script], env={**os.environ, **environ}, capture_output=True, text=True, check=False)


def test_the_base_is_the_newest_release_and_before_the_first_one_the_revision_in_the_script(tmp_path: Path) -> None:
    """However many changes follow it: a later harmless one hides no break. A clone without history is a failure."""
    clone = Clone(tmp_path / "clone")
    assert clone.base().stdout.strip() == clone.first
    clone.git("tag", "v0.1.0", clone.changed)
    assert clone.base().stdout.strip() == "v0.1.0"
    clone.git("tag", "--delete", "v0.1.0")
    clone.folder = tmp_path / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{tmp_path}/clone", clone.folder], check=True)

    done = clone.base()

    assert (done.returncode, done.stdout) == (2, "")
    assert "fetch its history" in done.stderr


def test_git_says_why_it_reads_no_repository(tmp_path: Path) -> None:
    """As in a container whose checkout belongs to another user; the clone does not lack history then."""
    done = Clone(tmp_path / "clone").base(GIT_TEST_ASSUME_DIFFERENT_OWNER="1")

    assert done.returncode != 0
    assert done.stdout == ""
    assert "git config --global --add safe.directory" in done.stderr
    assert "history" not in done.stderr


@pytest.mark.parametrize("target", ["diff-api", "diff-names", "check", "bench-pairs"])
def test_an_empty_base_is_an_error(target: str) -> None:
    """It comes of a script that failed; a comparison with HEAD would find nothing."""
    command = ["make", "--dry-run", "--assume-old=.venv/dev.installed", "--assume-old=lint", target]

    empty = subprocess.run([*command, "BASE="], cwd=ROOT, capture_output=True, text=True, check=False)
    unset = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (empty.returncode, unset.returncode) == (2, 0)
    assert "BASE is empty: name a git revision" in empty.stderr
    assert "HEAD" in unset.stdout
