"""Packages that a script installs by itself: for itself alone where the system has namespaces."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pip
import pytest
from tests.emulator.execution.conftest import Bench, small_disk, wait_for
from tests.emulator.execution.task.test_requirements import wheel

from modelarts_emulator.execution.protocol import PYTHON, Channel

CHANGES = """
import os, subprocess, sys
def run(*words):
    return subprocess.run([sys.executable, *words], capture_output=True).stdout
def version():
    return run("-c", "import asked; print(asked.VALUE)")
pip, options = ("-m", "pip", "--disable-pip-version-check"), ("--no-index", "--find-links", os.environ["WHEELS"])
seen = [version(), run(*pip, "install", *options, "asked==1.0") and version()]
open(os.path.join(sys.prefix, "bin", "tool"), "w").close()
print("saw", *seen, run(*pip, "uninstall", "-y", "asked") and version(), flush=True)
open(os.environ["OUT"] + "/model", "w").close()
"""
SEEN = "saw b'2.0\\n' b'1.0\\n' b''"


def make_environment(folder: Path) -> str:
    """An environment with pip and with version 2.0 of a package of which there is also a 1.0; returns its Python."""
    venv.create(folder)
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "pip.pth").write_text(f"{Path(pip.__file__).parents[1]}\n")
    (folder / "wheels").mkdir()
    wheels = [wheel(folder / "wheels", "asked", version) for version in ("1.0", "2.0")]
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheels[1]], check=True)
    return str(python)


def contents(folder: Path) -> dict[Path, bytes]:
    """All files of an environment, except what Python caches and where the tests keep their jobs."""
    found: dict[Path, bytes] = {}
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("jobs", "objects", "__pycache__")]
        found |= {Path(top, name): Path(top, name).read_bytes() for name in names}
    return found


@pytest.mark.parametrize("place", ["../environment, \\ and \t in its name", "."])
def test_what_a_script_installs_and_removes_is_so_for_its_own_processes_alone(isolated: Bench, place: str) -> None:
    """Another task sees nothing of it at the same time; what they deliver arrives, also if the jobs lie in there."""
    folder = (isolated.folder / place).resolve()
    python = make_environment(folder)
    before = contents(folder)
    isolated.executor = isolated.new_executor(lambda _: python, paths="namespace")
    variables = {"WHEELS": str(folder / "wheels"), "OUT": "/home/ma-user/out"}
    outputs = (Channel("out", "/data/out/", "/home/ma-user/out"),)
    report = isolated.run(CHANGES, environments=variables, node_count=2, outputs=outputs)

    assert report.exit_code == 0, isolated.log()
    assert [SEEN in isolated.log(task=task) for task in ("worker-0", "worker-1")] == [True, True], isolated.log()
    assert contents(folder) == before
    assert (isolated.folder / "objects" / "data" / "out" / "model").exists()
    wait_for(lambda: not list(isolated.place().container.parent.glob("*worker-?*/")))


def test_what_is_mounted_in_an_environment_is_no_part_of_it(isolated: Bench, tmp_path: Path) -> None:
    venv.create(tmp_path / "environment")
    python = str(tmp_path / "environment" / "bin" / "python")
    isolated.executor = isolated.new_executor(lambda _: python, paths="namespace")
    with small_disk(tmp_path / "environment" / "a disk") as disk:
        isolated.run("import sys; open(sys.prefix + '/a disk/kept', 'w'), open(sys.prefix + '/lost', 'w')")
        assert [path.name for path in (*disk.iterdir(), *disk.parent.glob("lost"))] == ["kept"]


def test_without_namespaces_the_log_names_the_packages_that_changed(bench: Bench, tmp_path: Path) -> None:
    """They stay so; a job that changes none says nothing."""
    python = make_environment(tmp_path / "environment")
    bench.executor = bench.new_executor(lambda _: python)
    for script, count in (("import asked", 0), (CHANGES, 1)):
        variables = {"WHEELS": str(tmp_path / "environment" / "wheels"), "OUT": str(tmp_path)}
        bench.run(script, environments=variables)
        warnings = [line for line in bench.log().splitlines() if "own packages changed" in line]
        assert len(warnings) == count, bench.log()
    assert "/site-packages/asked-2.0.dist-info)" in warnings[0]


@pytest.mark.parametrize("named", ["base/bin/python", "link"])
def test_a_python_that_is_gone_when_the_task_starts_is_named(bench: Bench, tmp_path: Path, named: str) -> None:
    """Its file, or the one to which it leads."""
    venv.create(tmp_path / "base")
    (tmp_path / "link").symlink_to(tmp_path / "base" / "bin" / "python")
    job = bench.spec("print('never')", annotations={PYTHON: str(tmp_path / named)})
    (tmp_path / "base" / "bin" / "python").unlink()
    bench.executor.submit(job)
    report = bench.end(job.job_id)

    assert (report.exit_code, report.started_at) == (1, None)
    assert (report.message or "").startswith(f"the Python of this job, {tmp_path / named}, is not there: ")


def test_a_python_that_the_directories_of_a_task_hide_is_named(isolated: Bench, tmp_path: Path) -> None:
    """It is a link of an environment, or what the link leads to; beside them it runs."""
    for hidden in ("environment", "base", "neither"):
        outputs = (Channel("out", "/data/out/", str(tmp_path / hidden)),)
        (tmp_path / hidden).mkdir()
        venv.create(tmp_path / hidden / "own")
        python = str(tmp_path / hidden / "own" / "bin" / "python")
        if hidden == "base":
            (tmp_path / "link").symlink_to(shutil.copy(os.path.realpath(python), tmp_path / "base" / "python3"))
            python = str(tmp_path / "link")
        elif hidden == "neither":
            python = sys.executable
        report = isolated.run("print('ran')", annotations={PYTHON: python}, outputs=outputs)

        assert (report.message is None) == (hidden == "neither"), report.message
        hiding = f"lies behind the {tmp_path / hidden} that the task has of its own: use --paths mapping"
        assert report.message is None or hiding in report.message, hidden
