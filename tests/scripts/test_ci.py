"""scripts/ci.py: what counts as a success, and the table at the end."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import ci
from ci import PROGRAMS, SKIPS, step

ROOT = Path(__file__).parents[2]
LISTED = f"SKIPPED [1] tests/x.py:3: {SKIPS[0]}: make it"
# Programs that every system has, and those that the environments of the tests bring along.
ANYWHERE = {"git", "make", "npm", "java", "python3.9", "modelarts", "uv", "sh"}


@pytest.fixture(autouse=True)
def least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ci.PASSED, "test-x", 12)


def printing(*lines: str) -> str:
    return f"printf '%s\\n' {' '.join(repr(line) for line in lines)}"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (printing("=== 12 passed in 3.10s ==="), ""),
        (printing(LISTED, "12 passed, 1 skipped in 381.02s (0:06:21)"), ""),
        (printing("=== 11 passed in 3.10s ==="), "11 tests passed, PASSED says at least 12"),
        (printing("296 skipped in 3.10s"), "296 tests were skipped without a reason"),
        (printing("nothing"), "0 tests passed"),
        (printing("SKIPPED [1] tests/x.py:9: flaky", "12 passed, 1 skipped in 3.10s"), "skipped for a reason"),
        (printing("SKIPPED [1] t.py:9: could not import 'optuna'", "12 passed, 1 skipped in 3s"), "skipped for a"),
        (printing("12 passed, 1 xfailed in 3.10s"), "1 tests are expected to fail"),
        (printing("1 failed, 12 passed in 3.10s") + "; exit 1", "exit status 1"),
    ],
)
def test_a_step_is_a_success_if_as_many_tests_passed_as_it_has_and_none_was_skipped_for_a_new_reason(
    command: str, problem: str
) -> None:
    assert step("test-x", command).problem.startswith(problem)
    assert bool(step("test-x", command).problem) == bool(problem)


def test_a_row_of_the_table_has_counts_and_reasons() -> None:
    row = step("test-x", printing(LISTED, "12 passed, 1 skipped, 3 deselected in 3.10s"))

    assert (row.counts, row.reasons) == ({"passed": 12, "skipped": 1}, {f"{SKIPS[0]}: make it": 1})
    assert " ".join(str(row).split()) == f"test-x 12 1 0 ok 1 {SKIPS[0]}: make it"


def test_a_row_says_when_a_step_has_many_more_tests_than_its_number() -> None:
    assert str(step("test-x", printing("20 passed in 3.10s"))).endswith("ok; PASSED still says 12")


def test_every_program_that_tests_look_for_is_installed_by_continuous_integration() -> None:
    """Otherwise its tests are skipped, and on a machine that has it by chance nobody notices."""
    looked_for = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"which", "shutil.which"}:
                looked_for |= {part.value for part in node.args[:1] if isinstance(part, ast.Constant)}

    assert {"node", "curl", "openssl"} <= looked_for
    assert looked_for - set(PROGRAMS) - ANYWHERE == set()


def test_every_skip_of_a_test_gives_a_reason() -> None:
    """pytest prints the reason, and the list in scripts/ci.py is compared with it."""
    bare = [
        str(path)
        for path in (ROOT / "tests").rglob("*.py")
        if re.search(r"pytest\.skip\(\)|mark\.skip\b(?!if)", path.read_text("utf-8")) and path != Path(__file__)
    ]

    assert bare == []
