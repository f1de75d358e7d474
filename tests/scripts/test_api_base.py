"""scripts/api_base.sh: the revision with which CI compares the documents."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "api_base.sh"


class Clone:
    """A repository with the script, whose documents have been changed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "scripts").mkdir(parents=True)
        shutil.copy(SCRIPT, folder / "scripts")
        self.git("init", "--quiet", "--initial-branch=main")
        self.before = self.commit("README.md")
        self.changed = self.commit("generated/modelarts_openapi/v2.json")
        self.commit("README.md")

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, name: str) -> str:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as output:
            output.write("changed\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"Change {name}")
        return self.git("rev-parse", "HEAD")

    def base(self) -> subprocess.CompletedProcess[str]:
        script = self.folder / "scripts" / "api_base.sh"
        return subprocess.run([script], capture_output=True, text=True, check=False)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path / "clone")


def test_without_a_tag_it_is_the_one_before_the_last_change_of_the_documents(clone: Clone) -> None:
    assert clone.base().stdout.strip() == clone.before


def test_on_a_branch_it_is_where_the_branch_begins(clone: Clone) -> None:
    begin = clone.git("rev-parse", "HEAD")
    clone.git("update-ref", "refs/remotes/origin/main", begin)
    clone.commit("generated/modelarts_openapi/v2.json")
    clone.commit("generated/modelarts_openapi/v2.json")

    assert clone.base().stdout.strip() == begin


def test_after_a_release_it_is_its_tag(clone: Clone) -> None:
    clone.git("tag", "v0.1.0", clone.changed)

    assert clone.base().stdout.strip() == "v0.1.0"


def test_a_clone_without_history_is_a_failure(clone: Clone, tmp_path: Path) -> None:
    """Nothing to compare with is no success."""
    clone.folder = tmp_path / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{tmp_path}/clone", clone.folder], check=True)

    done = clone.base()

    assert (done.returncode, done.stdout) == (2, "")
    assert "fetch it" in done.stderr
