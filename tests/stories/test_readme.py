"""What the README shows runs as it stands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from modelarts_emulator.server import Emulator

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def block_after(text: str, language: str) -> str:
    """The first block of this language after a text."""
    return README.partition(text)[2].partition(f"```{language}\n")[2].partition("```")[0]


def test_the_first_use_prints_what_the_readme_says(tmp_path: Path) -> None:
    """On a new emulator."""
    with Emulator(executor="simulated") as emulator:
        environment = {**os.environ, **emulator.environment()}
        done = subprocess.run(
            [sys.executable, "-c", block_after("## 1.", "python")],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 0, done.stderr
    assert done.stdout == block_after("A new emulator has no jobs", "text")


def test_the_second_use_shows_what_breaks(tmp_path: Path) -> None:
    """In a clone: the commands as printed, then what the type checker says."""
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", ROOT, clone, cwd=tmp_path)
    (clone / ".venv").symlink_to(sys.prefix)
    if (ROOT / ".mypy_cache").exists():  # so that the libraries need not be read again
        shutil.copytree(ROOT / ".mypy_cache", clone / ".mypy_cache")
    commands = block_after("## 2.", "sh").replace("make ", "make -o .venv/dev.installed ")
    done = run("bash", "-c", commands, cwd=clone)
    types = run(sys.executable, "-m", "mypy", "overlays/modelarts_toolkit/jobs/_async/jobs.py", cwd=clone)

    assert block_after("## 2.", "text") in done.stdout, done.stderr
    (expected,) = re.findall(r"`(\"StageList\" has .*)`", README)
    assert expected in types.stdout


def test_the_third_use_passes_and_finds_a_request_that_no_document_allows(tmp_path: Path) -> None:
    program = block_after("## 3.", "python")
    (tmp_path / "test_right.py").write_text(program)
    (tmp_path / "test_wrong.py").write_text(program.replace('"node_count": 1', '"node_count": 1, "nodes": 2'))

    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path, cwd=tmp_path)

    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "FAILED test_wrong.py" in done.stdout


def test_the_readme_is_read_in_one_go() -> None:
    assert len(README.splitlines()) < 150


def test_the_first_command_trains_a_model(tmp_path: Path) -> None:
    """`modelarts run` as the README shows it, from the folder of the example, with fewer epochs."""
    (block,) = (block for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "modelarts run" in block)
    folder, command = block.splitlines()
    shutil.copytree(ROOT / folder.removeprefix("cd "), tmp_path / "here")
    (script,) = (tmp_path / "here").glob("code/*.py")
    script.write_text(script.read_text("utf-8").replace("default=40", "default=2"), "utf-8")
    environment = {**os.environ, "VIRTUAL_ENV": sys.prefix, "XDG_DATA_HOME": str(tmp_path / "no-emulator")}
    environment.pop("MODELARTS_EMULATOR_DATA_DIR", None)

    done = subprocess.run(
        [Path(sys.executable).with_name("modelarts"), *shlex.split(command)[1:]],
        cwd=tmp_path / "here",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "epoch 2/2" in done.stdout
    assert (tmp_path / "here" / "outputs" / "model.npz").stat().st_size > 0


@pytest.mark.soak
def test_the_install_line_installs_what_the_programs_need(tmp_path: Path) -> None:
    """In a new environment, the README's install line brings the command, the emulator and object storage."""
    (line,) = re.findall(r"^pip install '\.(\[[\w,]+\])' numpy", README, re.MULTILINE)
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / "bin"

    done = run(*shlex.split(f"{scripts}/pip install --quiet"), f"{ROOT}{line}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr

    assert run(scripts / "modelarts", "emulator", "--help", cwd=tmp_path).returncode == 0
    done = run(
        scripts / "python",
        "-c",
        "import modelarts_toolkit.storage.transfers, obstore, modelarts_emulator.server",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
