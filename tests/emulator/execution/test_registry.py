"""Executors of other packages: found by entry point, named when they do not work."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.emulator.conftest import Api, eventually

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.registry import (
    ExecutorContext,
    create_executor,
    executor_names,
)
from modelarts_emulator.server import Emulator

MODULE = """
from modelarts_emulator.execution.protocol import Executor

class Good(Executor):
    def __init__(self, context):
        self.context = context
    def submit(self, spec): return spec.job_id
    def poll(self, handles): return {}
    def cancel(self, handle): pass
    def delete(self, handles): return {}
    def logs(self, handle, task, offset=0, max_bytes=0): return b""

def broken(context):
    raise RuntimeError("the cluster is gone")

class Idle(Executor):
    def __init__(self, context):
        pass

def empty(context):
    return object()
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package `acme` with entry points that work and others that do not."""
    (tmp_path / "acme_executors.py").write_text(MODULE)
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (tmp_path / "acme_old.py").write_text("import acme_scheduler_client\n")
    points = {"good": "Good", "broken": "broken", "empty": "empty", "absent": "absent", "idle": "Idle"}
    lines = [f"{name} = acme_executors:{attribute}" for name, attribute in points.items()]
    lines.append("old = acme_old:create")
    (info / "entry_points.txt").write_text("\n".join(["[modelarts.executors]", *lines]))
    monkeypatch.syspath_prepend(tmp_path)


@pytest.fixture
def context(tmp_path: Path) -> ExecutorContext:
    return ExecutorContext(tmp_path, "file:///objects", lambda: 0.0)


@pytest.mark.usefixtures("package")
def test_an_executor_of_another_package_is_found_by_its_name(context: ExecutorContext) -> None:
    """It gets what it needs to know."""
    assert executor_names() == [
        "absent",
        "broken",
        "empty",
        "good",
        "idle",
        "old",
        "process",
        "simulated",
        "slurm",
    ]
    assert create_executor("good", context).context is context  # type: ignore[attr-defined]


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(("name", "message"), [
    ("broken", r"'broken' \(acme_executors:broken of acme\) cannot be loaded: RuntimeError: the cluster is gone;"),
    ("absent", r"'absent' \(acme_executors:absent of acme\) cannot be loaded: AttributeError"),
    ("old", r"'old' \(acme_old:create of acme\) cannot be loaded: ModuleNotFoundError: .*; repair or remove"),
    ("idle", r"'idle' \(acme_executors:Idle of acme\) cannot be loaded: TypeError: .* cancel, delete, poll, submit"),
    ("empty", r"'empty' \(acme_executors:empty of acme\) cannot be loaded: TypeError: .* is not an Executor"),
])  # fmt: skip
def test_an_executor_that_does_not_work_is_named(context: ExecutorContext, name: str, message: str) -> None:
    """With its package, and what it raised."""
    with pytest.raises(EmulatorError, match=message):
        create_executor(name, context)


FAILING = """
from modelarts_emulator.execution.protocol import Executor, TaskReport

class Failing(Executor):
    fails, starts = "", {}
    def __init__(self, context):
        Failing.context = context
    def check(self, method):
        if self.fails == method:
            raise ConnectionError(f"the scheduler does not take {method}")
    def submit(self, spec):
        self.check("submit")
        self.starts[spec.job_id] = 1.0
        return spec.job_id
    def poll(self, handles):
        self.check("poll")
        return {job: [self.report(end)] for job in handles if (end := self.starts.get(job))}
    def report(self, end):
        if end == 1.0:
            return TaskReport("worker-0", "running", 1.0)
        return TaskReport("worker-0", "ended", 1.0, end, 143)
    def cancel(self, handle):
        self.check("cancel")
        self.starts[handle] = 2.0
    def delete(self, handles):
        for handle in handles:
            self.starts.pop(handle, None)
        return {}
    def logs(self, handle, task, offset=0, max_bytes=0):
        return b""
"""


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The class of an installed executor that fails where a test says so, and the emulator that uses it."""
    (tmp_path / "acme_failing.py").write_text(FAILING)
    info = tmp_path / "failing-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: failing\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[modelarts.executors]\nfailing = acme_failing:Failing\n")
    monkeypatch.syspath_prepend(tmp_path)
    catalogue = tmp_path / "catalogue.toml"
    catalogue.write_text(
        '[[flavor]]\nflavor_id = "lab"\nflavor_type = "CPU"\nexecutor = { failing = { host = "gpu-1" } }\n'
    )
    with Emulator(tmp_path / "data", executor="failing", catalogue=catalogue) as emulator:
        api = Api(emulator)
        yield SimpleNamespace(api=api, executor=importlib.import_module("acme_failing").Failing)
        api.close()
    del sys.modules["acme_failing"]


def test_an_executor_that_raises_for_a_while_loses_no_job(failing: Any, caplog: pytest.LogCaptureFixture) -> None:
    """What it raises is logged, and the call is repeated."""
    job_id = failing.api.create_job()["metadata"]["id"]
    failing.api.wait_for_phase(job_id, "Running")
    failing.executor.fails = "poll"
    eventually(lambda: "its state cannot be read: the scheduler does not take poll" in caplog.text)
    failing.executor.fails = "cancel"
    failing.api.call("POST", f"/training-jobs/{job_id}/actions", json={"action_type": "terminate"})
    eventually(lambda: f"job {job_id} cannot be stopped: the scheduler does not take cancel" in caplog.text)
    failing.executor.fails = ""

    assert failing.api.wait_for_phase(job_id, "Terminated", "Failed")["status"]["phase"] == "Terminated"


def test_an_executor_gets_its_part_of_the_catalogue_and_the_pythons_of_engines(failing: Any) -> None:
    """Clients of the API do not see that part."""
    context = failing.executor.context
    flavors = failing.api.call("GET", "/training-job-flavors").json()["flavors"]

    assert (context.flavors["lab"], context.flavors["modelarts.vm.cpu.8u"]) == ({"host": "gpu-1"}, {})
    assert context.find_python(None) == sys.executable
    assert all("executor" not in flavor for flavor in flavors)
