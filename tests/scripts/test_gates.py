"""scripts/gates.py: the numbers of gates that are others than at a revision."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scripts.conftest import git

import gates

BUDGETS = """AT_MOST = 1.25  # of the other
MOST = {"a": 1, "b": 2}
OLDEST = 3
assert len(found) >= 40
Result("speed of 4 kB", speed, 1.5, "x")
LIMITS = [3]
"""
CHANGES = {"1.25  # of the other": "9.25  # of it", '"b": 2': '"b": 99', "OLDEST = 3\n": "", "40": "4", "1.5": ".5"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with budgets, where origin/main is, and whose last release is v0."""
    for name, text in (("benchmarks/speed.py", BUDGETS), ("scripts/api_base.sh", "#!/bin/sh\necho v0\n")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    (tmp_path / "scripts" / "api_base.sh").chmod(0o755)
    monkeypatch.setattr(gates, "ROOT", tmp_path)
    monkeypatch.delenv("BASE", raising=False)
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD")
    return tmp_path


def commit(tree: Path) -> None:
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "A change")


def test_each_number_that_changed_since_the_branch_began_is_printed_beside_the_earlier_one(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other words, new numbers and what is no number are no news, a constant that went is; BASE is another base."""
    earlier = git(tree, "rev-parse", "HEAD")
    assert gates.base() == "v0"
    text = BUDGETS.replace("LIMITS = [3]", "LIMITS = [3]  # in all") + "NEW = 7\n"
    for old, new in CHANGES.items():
        text = text.replace(old, new)
    (tree / "benchmarks" / "speed.py").write_text(text)
    commit(tree)

    gates.main()

    assert capsys.readouterr().out.splitlines() == [
        "",
        f"Numbers of gates, at {earlier} -> now:",
        "  benchmarks/speed.py: AT_MOST = 1.25 -> AT_MOST = 9.25",
        '  benchmarks/speed.py: MOST = {"a": 1, "b": 2} -> MOST = {"a": 1, "b": 99}',
        "  benchmarks/speed.py: assert len(found) >= 40 -> assert len(found) >= 4",
        '  benchmarks/speed.py: Result("speed of 4 kB", speed, 1.5, "x") -> Result("speed of 4 kB", speed, .5, "x")',
        "  benchmarks/speed.py: OLDEST = 3 -> gone",
    ]
    monkeypatch.setenv("BASE", "HEAD")
    gates.main()
    assert capsys.readouterr().out == ""
