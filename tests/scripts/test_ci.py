"""scripts/ci.py: what counts as a success, and the table at the end."""

from __future__ import annotations

import pytest

from ci import step

SKIPPED = "SKIPPED [52] tests/clients/conftest.py:39: the clients are not installed: make clients"
LINUX = "SKIPPED [1] tests/x.py:3: only Linux makes a pipe larger on demand"


def printing(*lines: str) -> str:
    return f"printf '%s\\n' {' '.join(repr(line) for line in lines)}"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (printing("=== 12 passed in 3.10s ==="), ""),
        (printing(LINUX, "12 passed, 1 skipped in 381.02s (0:06:21)"), ""),
        (printing(LINUX.replace("only", "TensorFlow is not installed:"), "12 passed in 3.10s"), ""),
        (printing(SKIPPED, "12 passed, 52 skipped in 3.10s"), "skipped, because something is missing"),
        (printing("296 skipped in 3.10s"), "no test passed"),
        (printing("nothing"), "no test passed"),
        (printing("1 failed, 12 passed in 3.10s") + "; exit 1", "exit status 1"),
    ],
)
def test_a_step_of_tests_is_a_success_if_some_passed_and_none_lacked_anything(command: str, problem: str) -> None:
    assert step("test-x", command).problem.startswith(problem)
    assert bool(step("test-x", command).problem) == bool(problem)


def test_a_row_of_the_table_has_counts_and_reasons() -> None:
    row = step("test-x", printing(LINUX, "12 passed, 1 skipped, 3 deselected in 3.10s"))

    assert (row.counts, row.reasons) == (
        {"passed": 12, "skipped": 1},
        {"only Linux makes a pipe larger on demand": 1},
    )
    assert " ".join(str(row).split()) == "test-x 12 1 0 ok 1 only Linux makes a pipe larger on demand"
