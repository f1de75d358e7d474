"""Executors of other packages: found by entry point, named when they do not work."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from tests.emulator.conftest import serve

from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.execution.registry import (
    ExecutorContext,
    create_executor,
    executor_names,
)

MODULE = """
from modelarts_emulator.execution.protocol import Executor

class Good(Executor):
    def __init__(self, context):
        Good.context = context
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
def test_an_executor_that_does_not_work_is_named(context: ExecutorContext) -> None:
    """With its package, and what it raised."""
    for name, message in (
        ("broken", r"broken of acme\) cannot be loaded: RuntimeError: the cluster is gone;"),
        ("absent", r"absent of acme\) cannot be loaded: AttributeError"),
        ("old", r"create of acme\) cannot be loaded: ModuleNotFoundError: .*; repair or remove"),
        ("idle", r"Idle of acme\) cannot be loaded: TypeError: .* cancel, delete, poll, submit"),
        ("empty", r"empty of acme\) cannot be loaded: TypeError: .* is not an Executor"),
    ):
        with pytest.raises(EmulatorError, match=rf"'{name}' \(acme_\w+:{message}"):
            create_executor(name, context)


@pytest.mark.usefixtures("package")
def test_an_executor_gets_its_part_of_the_catalogue_and_the_pythons_of_engines(tmp_path: Path) -> None:
    """Clients of the API do not see that part."""
    catalogue = tmp_path / "catalogue.toml"
    catalogue.write_text(
        '[[flavor]]\nflavor_id = "lab"\nflavor_type = "CPU"\nexecutor = { good = { host = "gpu-1" } }\n'
    )
    with serve(tmp_path / "data", executor="good", catalogue=catalogue) as api:
        flavors = api.call("GET", "/training-job-flavors").json()["flavors"]
    context = importlib.import_module("acme_executors").Good.context

    assert (context.flavors["lab"], context.flavors["modelarts.vm.cpu.8u"]) == ({"host": "gpu-1"}, {})
    assert context.find_python(None) == sys.executable
    assert all("executor" not in flavor for flavor in flavors)
