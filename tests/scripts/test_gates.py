"""scripts/gates.py: the numbers of gates that are others than at a revision."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import gates

BUDGETS = """AT_MOST = 1.25  # of the other
MOST = {"a": 1, "b": 2}
OLDEST = 3
assert len(found) >= 40
Result("speed of 4 kB", speed, 1.5, "x")
LIMITS = [3]
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a file of budgets, at a branch that begins at origin/main."""
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "speed.py").write_text(BUDGETS)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "ci.toml").write_text("[passed]\ntest = 3_575\nother = 2\n")
    monkeypatch.setattr(gates, "ROOT", tmp_path)
    monkeypatch.delenv("BASE", raising=False)
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD")
    return tmp_path


def git(tree: Path, *arguments: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *who, *arguments], cwd=tree, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(tree: Path) -> None:
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "A change")


def test_each_number_that_changed_since_the_branch_began_is_printed_beside_the_earlier_one(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Committed or not; other words, new numbers and what is no number are no news, a constant that went is."""
    earlier = git(tree, "rev-parse", "HEAD")
    changes = {"1.25  # of the other": "9.25  # of it", '"b": 2': '"b": 99', "OLDEST = 3\n": "", "40": "4", "1.5": ".5"}
    text = BUDGETS
    for old, new in changes.items():
        text = text.replace(old, new)
    (tree / "benchmarks" / "speed.py").write_text(text.replace("LIMITS = [3]", "LIMITS = [3]  # in all") + "NEW = 7\n")
    commit(tree)
    (tree / "scripts" / "ci.toml").write_text("[passed]\ntest = 3_000\nother = 2\n")

    gates.main()

    assert capsys.readouterr().out.splitlines() == [
        "",
        f"Numbers of gates, at {earlier} -> now:",
        "  benchmarks/speed.py: AT_MOST = 1.25 -> AT_MOST = 9.25",
        '  benchmarks/speed.py: MOST = {"a": 1, "b": 2} -> MOST = {"a": 1, "b": 99}',
        "  benchmarks/speed.py: assert len(found) >= 40 -> assert len(found) >= 4",
        '  benchmarks/speed.py: Result("speed of 4 kB", speed, 1.5, "x") -> Result("speed of 4 kB", speed, .5, "x")',
        "  scripts/ci.toml: test = 3_575 -> test = 3_000",
        "  benchmarks/speed.py: OLDEST = 3 -> gone",
    ]


def test_the_base_is_what_is_said_else_where_the_branch_began_else_the_last_release(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = tree / "scripts" / "api_base.sh"
    release.write_text("#!/bin/sh\necho v0\n")
    release.chmod(0o755)
    began = git(tree, "rev-parse", "HEAD")
    assert gates.base() == "v0"
    commit(tree)
    assert gates.base() == began
    monkeypatch.setenv("BASE", "main~3")
    assert gates.base() == "main~3"
    gates.main()
    assert capsys.readouterr().out == ""
