"""The modules that a job passes from its request to its log, as ARCHITECTURE.md lists them."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.emulator.conftest import Api, eventually

import modelarts_emulator
from modelarts_emulator.server import Emulator

PYTHON = Path(sys.executable)
PACKAGE = f"{Path(modelarts_emulator.__file__).parent}/"
DOCUMENT = Path(__file__).parents[2] / "ARCHITECTURE.md"
MAX_MODULES = {"every request": 21, "a job": 22, "simulated": 3, "process": 6, "controller": 12}
"""How many modules each part of the walk may have; to be lowered, not raised."""
SHARED = (
    "http/", "iam/", "control/", "settings/", "storage/", "visualization/", "runtime", "clock",
)  # fmt: skip
"""What knows no jobs: listed by folder, because other changes than those of jobs' way change it."""

# What runs instead of a controller: the same, with its modules written to a file.
TRACED = """
import runpy, sys, threading
found = set()
def profile(frame, event, argument):
    if event == "call" and frame.f_code.co_name != "<module>":
        found.add(frame.f_code.co_filename)
del sys.argv[:2]
sys.setprofile(profile)
threading.setprofile(profile)
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
finally:
    sys.setprofile(None)
    with open({path!r}, "w") as stream:
        stream.write("\\n".join(found))
"""


def _modules(files: set[str]) -> set[str]:
    return {name.removeprefix(PACKAGE).removesuffix(".py") for name in files if name.startswith(PACKAGE)}


def _run_job(api: Api, is_simulated: bool) -> None:
    job = api.submit({"emulator/duration": "0"} if is_simulated else {})
    api.wait_for_phase(job, "Completed")
    path = f"/training-jobs/{job}/tasks/worker-0/logs/preview"
    eventually(lambda: "exit with 0" in api.call("GET", path).text)


def _walk(executor: str) -> set[str]:
    """The modules of the emulator's process for one job, after another one: what is done once is left out."""
    files: set[str] = set()

    def trace(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    threading.setprofile(trace)
    try:
        with Emulator(executor=executor, paths="mapping", engines={"*": PYTHON}) as emulator:
            api = Api(emulator)
            _run_job(api, executor == "simulated")
            files.clear()
            _run_job(api, executor == "simulated")
            found = _modules(files)
            api.close()
    finally:
        threading.setprofile(None)
    return found


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The parts of the walk."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "traced.py").write_text(TRACED.format(path=str(folder / "controller")))
    wrapper = folder / "python"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} {folder}/traced.py "$@"\n')
    wrapper.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        simulated = _walk("simulated")
        patch.setattr(sys, "executable", str(wrapper))
        process = _walk("process")
    both = simulated & process
    shared = {name for name in both if name.startswith(SHARED)}
    return {
        "every request": shared,
        "a job": _without_shared(both),
        "simulated": _without_shared(simulated - both),
        "process": _without_shared(process - both),
        "controller": _without_shared(_modules(set((folder / "controller").read_text().split("\n")))),
    }


def _without_shared(modules: set[str]) -> set[str]:
    return {name for name in modules if not name.startswith(SHARED)}


def _documented(part: str) -> set[str]:
    rows = re.findall(rf"^\| {part}\b[^|]*\| (.*) \|$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    return set(re.findall(r"`([^`]+)`", rows[0])) if rows else set()


@pytest.mark.parametrize("part", MAX_MODULES)
def test_a_job_passes_the_modules_that_the_architecture_lists(walked: dict[str, set[str]], part: str) -> None:
    """No others, and no more than are allowed."""
    found = walked[part]

    listed = found if part != "every request" else {name.rpartition("/")[0] + "/" for name in found if "/" in name}
    assert listed == _documented(part), " ".join(f"`{name}`" for name in sorted(listed))
    assert len(found) <= MAX_MODULES[part]
