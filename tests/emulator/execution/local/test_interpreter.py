"""The Python of a task runs the boot file and is what `python` and `python3` run in a command."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.emulator.execution.conftest import Bench

ASK = "import sys; print('prefix', sys.prefix)"


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment of its own, as an engine would have it."""
    folder = tmp_path / "engine with a space"
    venv.create(folder, with_pip=False, symlinks=True)
    return folder


def test_the_boot_file_runs_with_the_engine_s_python(bench: Bench, environment: Path) -> None:
    pythons = {"PyTorch": str(environment / "bin/python")}
    bench.executor = bench.new_executor(
        interpreter=lambda engine: pythons.get((engine or {}).get("engine_name", ""), sys.executable)
    )

    assert bench.run(ASK, engine={"engine_name": "PyTorch"}).exit_code == 0
    assert f"prefix {environment}\n" in bench.log()
    assert bench.run(ASK, engine={"engine_name": "TensorFlow"}).exit_code == 0
    assert f"prefix {sys.prefix}\n" in bench.log()


@pytest.mark.parametrize("name", ["python", "other-name"])
def test_a_command_finds_it_by_both_names_whatever_its_own(bench: Bench, environment: Path, name: str) -> None:
    """A Python that is called otherwise, or lies beside another one, is not mistaken for that."""
    python = environment / "bin/python"
    if name != "python":
        for other in ("python", "python3"):
            (environment / "bin" / other).unlink()
            (environment / "bin" / other).write_text("#!/bin/sh\necho another Python\n")
            (environment / "bin" / other).chmod(0o755)
        python = environment / "bin" / name
        python.symlink_to(Path(sys.executable).resolve())
    bench.executor = bench.new_executor(interpreter=lambda _: str(python))

    command = f'python -c "{ASK}" && python3 -c "{ASK}"'
    assert bench.run(command=command).exit_code == 0, bench.log()
    assert bench.log().count(f"prefix {environment}\n") == 2


def test_nothing_stands_before_an_interpreter_that_has_both_names(bench: Bench, environment: Path) -> None:
    bench.executor = bench.new_executor(interpreter=lambda _: str(environment / "bin/python"))

    assert bench.run(command="echo path $PATH").exit_code == 0
    assert f"path {environment / 'bin'}{os.pathsep}" in bench.log()
