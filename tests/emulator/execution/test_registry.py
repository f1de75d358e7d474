"""Executors of other packages: found by entry point, named when they do not work."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelarts_emulator.execution.registry import (
    ExecutorContext,
    check_executor_name,
    create_executor,
    executor_names,
)
from modelarts_emulator.http.errors import EmulatorError

MODULE = """
from modelarts_emulator.execution.protocol import Executor

class Good(Executor):
    def __init__(self, context):
        self.context = context
    def submit(self, spec): return spec.job_id
    def poll(self, handles): return {}
    def cancel(self, handle): pass
    def delete(self, handle): pass
    def logs(self, handle, task, offset=0, max_bytes=0): return b""

def broken(context):
    raise RuntimeError("the cluster is gone")

def empty(context):
    return object()
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package `acme` with four entry points."""
    (tmp_path / "acme_executors.py").write_text(MODULE)
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    points = {"good": "Good", "broken": "broken", "empty": "empty", "absent": "absent"}
    lines = [f"{name} = acme_executors:{attribute}" for name, attribute in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[modelarts.executors]", *lines]))
    monkeypatch.syspath_prepend(tmp_path)


@pytest.fixture
def context(tmp_path: Path) -> ExecutorContext:
    return ExecutorContext(tmp_path, "file:///objects", lambda: 0.0)


@pytest.mark.usefixtures("package")
def test_an_executor_of_another_package_is_found_by_its_name(context: ExecutorContext) -> None:
    """It gets what it needs to know."""
    assert executor_names() == ["absent", "broken", "empty", "good", "process", "simulated"]
    assert create_executor("good", context).context is context  # type: ignore[attr-defined]


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(("name", "message"), [
    ("broken", r"'broken' \(acme_executors:broken of acme\) cannot be loaded: RuntimeError: the cluster is gone;"),
    ("absent", r"'absent' \(acme_executors:absent of acme\) cannot be loaded: AttributeError"),
    ("empty", r"'empty' \(acme_executors:empty of acme\) lacks the methods submit, poll, cancel"),
])  # fmt: skip
def test_an_executor_that_does_not_work_is_named(context: ExecutorContext, name: str, message: str) -> None:
    """With its package, and what it raised."""
    with pytest.raises(EmulatorError, match=message):
        create_executor(name, context)


@pytest.mark.usefixtures("package")
def test_an_unknown_name_gets_the_known_ones_and_the_nearest() -> None:
    """Nothing is imported for that."""
    with pytest.raises(EmulatorError, match=r"no executor 'proces': there are absent, .*; did you mean 'process'"):
        check_executor_name("proces")
