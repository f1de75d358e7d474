"""scripts/ci.py: what counts as a success, what runs once more, and the table at the end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ci
from ci import PASSED, STEPS, Row, close, step

LISTED = "tests/x.py: there is no shop: make shop"
SKIPPED = "SKIPPED [1] tests/x.py:3: there is no shop: make shop"
# As the steps run their tests, in a folder of the test's own.
PYTEST = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -ra -p xdist -n 2 --dist loadfile $PYTEST_ARGS"
# Two tests that pass when they run again, and one that does at once.
LATER = """
import os, pytest
@pytest.fixture
def shop():
    yield
    if not os.path.exists("open"):
        os.mkdir("open")
        raise LookupError("the shop is closed")
@pytest.mark.parametrize("what", ["a - b [c] $x"])
def test_opening(what, subtests):
    with subtests.test("first"):
        assert os.path.exists("open"), "it opens late"
def test_closing(shop): pass
def test_other(): pass
"""


@pytest.fixture(autouse=True)
def numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One step has 12 tests and a skip, one has 3 tests; folders of theirs lie in the current one."""
    monkeypatch.setattr(ci, "PASSED", {"test-x": 12, "few": 3})
    monkeypatch.setattr(ci, "SKIPPED", {"test-x": {LISTED: 1}})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")


def printing(*lines: str) -> str:
    return f"printf '%s\\n' {' '.join(repr(line) for line in lines)}"


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([SKIPPED, "12 passed, 1 skipped in 381.02s (0:06:21)"], ""),
        ([SKIPPED, "== 12 passed, 1 skipped, 3 subtests passed in 3.10s =="], ""),
        ([SKIPPED, "11 passed, 1 skipped in 3.10s"], "11 tests passed, scripts/ci.toml says 12: write 11 there if"),
        ([SKIPPED, "13 passed, 1 skipped in 3.10s"], "13 tests passed, scripts/ci.toml says 12: write 13 there if"),
        (["13 passed in 3.10s"], f"0 tests were skipped, scripts/ci.toml says 1: {LISTED}"),
        ([SKIPPED.replace("1", "2"), "12 passed, 2 skipped in 3s"], "2 tests were skipped, scripts/ci.toml says 1: "),
        ([SKIPPED.replace("x.py", "y.py"), "12 passed, 1 skipped in 3s"], "0 tests were skipped, scripts/ci.toml"),
        ([f"{SKIPPED} soon", "12 passed, 1 skipped in 3s"], "0 tests were skipped, scripts/ci.toml says 1"),
        ([SKIPPED, "296 skipped in 3.10s"], "296 tests were skipped without a reason"),
        ([SKIPPED, "12 passed, 1 skipped, 1 xfailed in 3.10s"], "1 tests are expected to fail"),
    ],
)
def test_a_step_is_a_success_if_exactly_its_tests_passed_and_only_those_of_its_list_were_skipped(
    lines: list[str], problem: str
) -> None:
    row = step("test-x", printing(*lines))

    assert row.problem.startswith(problem)
    assert bool(row.problem) == bool(problem)


def test_a_row_of_the_table_has_counts_and_reasons() -> None:
    row = step("test-x", printing(SKIPPED, "12 passed, 1 skipped, 3 deselected in 3.10s"))

    assert " ".join(str(row).split()) == f"test-x 12 1 0 ok 1 {LISTED}"
    assert step("few", f"{printing('3 passed in 3.10s')}; exit 3").problem == "exit status 3"


def test_a_test_that_fails_once_is_flaky_with_both_outputs_and_counts_as_passed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """So is one that fails when its fixture ends, or in a subtest, whatever its name. Three in all are too many."""
    Path("test_a.py").write_text(LATER)

    row = step("few", PYTEST)

    assert (row.problem, row.counts["passed"]) == ("", 3)
    assert row.flaky == ["test_a.py::test_closing", "test_a.py::test_opening[a - b [c] $x]"]
    assert close([row]) == 0
    before, _, table = capsys.readouterr().out.rpartition("\nstep ")
    first, _, second = before.rpartition("=== few, first")[2].partition("=== few, once more")
    assert "LookupError: the shop is closed" in first
    assert "it opens late" in first
    assert "2 passed" in second
    assert "FLAKY test_a.py::test_opening[a - b [c] $x]" in table
    assert close([row, Row("other", flaky=["c"])]) == 1
    assert "FAILED: 3 tests are FLAKY, 2 may be: repair them" in capsys.readouterr().out


def test_a_test_that_fails_again_fails_its_step() -> None:
    Path("test_a.py").write_text(LATER)
    Path("test_b.py").write_text("def test_wrong(): assert 1 == 2\n")

    row = step("few", PYTEST)

    assert row.problem == "1 tests failed twice: test_b.py::test_wrong"
    assert len(row.flaky) == 2
    assert close([row]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import nothing\n",
        "import os\ndef test_x(): os._exit(3)\n",
        LATER.replace("[c]", '[c]", *"0123456789'),
    ],
    ids=["a file that cannot be read", "a worker that ends", "many tests"],
)
def test_nothing_runs_again_if_more_fell_than_a_few_tests(text: str) -> None:
    Path("test_a.py").write_text(text)
    Path("test_b.py").write_text("def test_other(): pass\n")

    row = step("few", PYTEST)

    assert (row.problem, row.flaky, row.outputs) == ("exit status 1", [], "")


@pytest.mark.parametrize("name", PASSED)
def test_every_step_with_tests_gives_pytest_the_options_of_a_second_run(name: str) -> None:
    """In its own environment and with its own options, and without the other processes."""
    (target, *_) = re.findall(r"[a-z][a-z-]*", STEPS[name].removeprefix("make "))
    make = ["make", "--dry-run", "--assume-old=.venv/dev.installed", "--assume-old=lint", target]
    environment = {**os.environ, "PYTEST_ARGS": "--lf -n0"}
    done = subprocess.run(make, cwd=ci.ROOT, env=environment, capture_output=True, text=True, check=True)

    (command,) = [line for line in done.stdout.splitlines() if "pytest" in line or "test_lowest.sh" in line]
    assert re.search(r"--lf -n0$|--lf -n0 (?!.*--numprocesses)", command)
