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

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PLAIN = "allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls"  # mypy without settings
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_first_program_trains_a_model_as_often_as_it_is_run(environment: dict[str, str], tmp_path: Path) -> None:
    """The program ends with a model in outputs/, the second time as well as the first."""
    program = next(program for program in PROGRAMS if "JobRequest" in program)
    (tmp_path / "examples").symlink_to(ROOT / "examples")

    for _ in range(2):
        done = run(sys.executable, "-c", program, cwd=tmp_path)

        assert done.returncode == 0, done.stderr
        assert "epoch 40/40" in done.stdout
        model = tmp_path / "outputs" / "model.npz"
        assert model.stat().st_size > 0
        model.unlink()


def test_the_first_command_trains_a_model(tmp_path: Path) -> None:
    """`modelarts run` as the README shows it, from the folder of the example."""
    (block,) = (block for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "modelarts run" in block)
    folder, command = block.splitlines()
    shutil.copytree(ROOT / folder.removeprefix("cd "), tmp_path / "here")
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
    assert "epoch 40/40" in done.stdout
    assert (tmp_path / "here" / "outputs" / "model.npz").stat().st_size > 0


def test_the_programs_pass_a_type_checker(tmp_path: Path) -> None:
    """A user's mypy finds no error in what they copy from the README."""
    for number, program in enumerate(PROGRAMS):
        (tmp_path / f"program_{number}.py").write_text(f"# mypy: {PLAIN}\n{program}")

    done = run(sys.executable, "-m", "mypy", *tmp_path.glob("*.py"), cwd=ROOT)  # whose cache knows the libraries

    assert done.returncode == 0, done.stdout


@pytest.mark.soak
def test_the_install_line_installs_what_the_programs_need(tmp_path: Path) -> None:
    """In a new environment, the README's install line brings the command, the emulator and object storage."""
    (line,) = re.findall(r"^pip install '/path/to/modelarts-toolkit(\[\w+\])' numpy pytest", README, re.MULTILINE)
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
