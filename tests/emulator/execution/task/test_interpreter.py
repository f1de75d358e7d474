"""Packages that a script installs by itself: for itself alone where the system has namespaces."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pip
from tests.emulator.execution.conftest import Bench, wait_for
from tests.emulator.execution.task.test_requirements import wheel

from modelarts_emulator.execution.protocol import Channel
from modelarts_emulator.execution.task.interpreter import changeable

CHANGES = """
import importlib.util, os, subprocess, sys

def pip(*words):
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)

def child():
    return subprocess.run([sys.executable, "-c", "import asked; print(asked.VALUE)"], capture_output=True).stdout

before = child()
pip("install", "--no-index", "--disable-pip-version-check", "--find-links", os.environ["WHEELS"], "asked==1.0")
import asked
after = child()
for name in ("bin/tool", "share-of-tool"):
    open(os.path.join(sys.prefix, name), "w").close()
pip("uninstall", "-y", "asked")
print("saw", before, asked.VALUE, after, child(), flush=True)
open(os.environ["OUT"] + "/model", "w").close()
"""
SEEN = "saw b'2.0\\n' 1.0 b'1.0\\n' b''"


def make_environment(folder: Path) -> str:
    """An environment with pip and with version 2.0 of a package of which there is also a 1.0; returns its Python."""
    venv.create(folder)
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "pip.pth").write_text(f"{Path(pip.__file__).parents[1]}\n")
    (folder / "wheels").mkdir()
    for version in ("1.0", "2.0"):
        made = wheel(folder / "wheels", "asked", version)
    python = str(folder / "bin" / "python")
    options = ["--no-index", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([python, "-m", "pip", "install", "-q", *options, made], check=True)
    return python


def contents(folder: Path) -> dict[str, bytes | str]:
    """All files and links of an environment, except what Python caches and where the tests keep their jobs."""
    found = {}
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("jobs", "objects", "__pycache__")]
        for path in (Path(top, name) for name in names):
            found[path.relative_to(folder).as_posix()] = (
                str(path.readlink()) if path.is_symlink() else path.read_bytes()
            )
    return found


def run_changes(bench: Bench, folder: Path, paths: str) -> None:
    """Let two tasks of a job change the environment, each for itself; all they deliver arrives."""
    python = make_environment(folder)
    before = contents(folder)
    bench.executor = bench.new_executor(lambda _: python, paths=paths)
    variables = {"WHEELS": str(folder / "wheels"), "OUT": "/home/ma-user/out"}
    outputs = (Channel("out", "/data/out/", "/home/ma-user/out"),)
    report = bench.run(CHANGES, environments=variables, node_count=2, outputs=outputs)

    assert report.exit_code == 0, bench.log()
    assert [SEEN in bench.log(task=task) for task in ("worker-0", "worker-1")] == [True, True], bench.log()
    assert contents(folder) == before
    assert (bench.folder / "objects" / "data" / "out" / "model").exists()
    wait_for(lambda: not list(bench.place().container.parent.glob("*worker-?*/")))


def test_what_a_script_installs_and_removes_is_there_for_its_own_processes_alone(isolated: Bench) -> None:
    """Another task sees nothing of it at the same time, and the environment is afterwards as it was."""
    run_changes(isolated, isolated.folder.with_name("environment, \\ and \t in its name"), "namespace")


def test_the_folder_of_the_jobs_may_lie_in_the_environment(isolated: Bench) -> None:
    """What a task delivers arrives all the same; packages are then installed into memory."""
    run_changes(isolated, isolated.folder, "namespace")


REFUSED = """
import errno, os, sys
from modelarts_emulator.execution.task import namespaces

def refuse(*_):
    raise OSError(errno.EPERM, "no overlays here")

namespaces._overlay = refuse
folder, program = sys.argv[1:]
for name in ("root", "changes", "home", "covered"):
    os.mkdir(f"{folder}/{name}")
plan = namespaces.Launch(
    "/", [(f"{folder}/home", "/home/ma-user")], f"{folder}/root", [f"{folder}/covered"], f"{folder}/changes", folder
)
os.waitpid(namespaces.start(plan, ["/bin/sh", "-c", program], os.environ, 2), 0)
"""


def test_where_the_system_has_no_overlays_packages_cannot_be_changed_and_the_log_says_what_to_do(
    isolated: Bench, tmp_path: Path
) -> None:
    folder = tmp_path / "refused"
    folder.mkdir()
    program = f"touch {folder}/covered/x || touch {folder}/beside"
    done = subprocess.run([sys.executable, "-c", REFUSED, folder, program], capture_output=True, text=True, check=True)

    assert f"{folder}/covered is read-only here (no overlays here): name packages in pip-requirements" in done.stderr
    assert "Read-only file system" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["beside", "changes", "covered", "home", "root"]
    assert not list((folder / "covered").iterdir())


def test_without_namespaces_the_log_names_the_packages_that_changed(bench: Bench, tmp_path: Path) -> None:
    """They stay so; a job that changes none says nothing."""
    folder = tmp_path / "environment"
    python = make_environment(folder)
    bench.executor = bench.new_executor(lambda _: python)
    bench.run("import asked")
    assert "packages" not in bench.log()

    bench.run(CHANGES, environments={"WHEELS": str(folder / "wheels"), "OUT": str(tmp_path)})
    (packages,) = folder.glob("lib/python3*/site-packages")
    line = next(line for line in bench.log().splitlines() if "own packages changed" in line)
    assert "[WARNING]" in line
    assert f"{packages}/asked-2.0.dist-info" in line


def test_every_python_that_a_script_finds_is_covered_and_nothing_else(tmp_path: Path) -> None:
    """Environments wholly, folders of the user's home in part; a link and a wrapper lead to the Python behind them."""

    def make(name: str, *others: str) -> Path:
        for each in (f"{name}/bin", f"{name}/lib/python3.12/site-packages", *others):
            (tmp_path / each).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / "bin" / "python").touch(0o755)
        return tmp_path / name

    home, real, other, conda = make("home"), make("real"), make("other"), make("conda")
    local = make("home/.local", "home/.local/share/modelarts-emulator")
    (tmp_path / "links" / "bin").mkdir(parents=True)
    link, wrapper = tmp_path / "links" / "bin" / "python", tmp_path / "links" / "python"
    link.symlink_to(real / "bin" / "python")
    wrapper.write_text(f"#!/bin/sh\necho {other}/bin/python\n")
    wrapper.chmod(0o755)
    path = f"{home}/bin:{local}/bin:{conda}/condabin:{conda}/bin:{tmp_path}/none/bin:/usr/bin:relative"
    variables = {"HOME": str(home), "PATH": path}
    parts = [home / "bin", home / "lib" / "python3.12", local / "bin", local / "lib"]
    seen = [str(each) for each in (*parts, conda)]

    assert sorted(changeable(str(link), variables)) == sorted([*seen, str(real)])
    assert sorted(changeable(str(wrapper), variables)) == sorted([*seen, str(other)])
    (conda / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    alone = {"HOME": str(tmp_path / "new"), "PATH": f"{conda}/bin"}
    (tmp_path / "new").mkdir()
    assert changeable(f"{conda}/bin/python", alone) == [str(conda)]
    assert not list((tmp_path / "new").iterdir())
