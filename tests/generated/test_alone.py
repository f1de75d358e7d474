"""The generated client is installed without the toolkit, with the libraries that it declares and no other ones."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from modelarts_emulator.server import Emulator

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "generated-client.md"
LIBRARIES = ("attrs", "httpx", "typing-extensions")


def needed(names: Iterable[str], seen: dict[str, Distribution]) -> dict[str, Distribution]:
    """The distributions of this Python with these names, and those that they need."""
    for name in map(canonicalize_name, names):
        if name not in seen:
            seen[name] = distribution(name)
            required = map(Requirement, seen[name].requires or ())
            needed((each.name for each in required if not each.marker or each.marker.evaluate({"extra": ""})), seen)
    return seen


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the libraries and the client; pip asks no index."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder / "env", with_pip=False)
    (places,) = (folder / "env" / "lib").glob("python*/site-packages")
    for found in needed(LIBRARIES, {}).values():
        for name in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
            (places / name).symlink_to(Path(str(found.locate_file(name))))
    python = folder / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "-q"]
    build: list[str | Path] = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, ROOT / "generated"]
    subprocess.run(build, cwd=folder, check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "--python", python, "install", "--no-index", wheel], cwd=folder, check=True)
    return python


# Beyond the program of the page: what is searched and read only when a call is rejected.
LOOK = "import importlib.util as i\nassert not [n for n in ('modelarts_toolkit', 'yaml') if i.find_spec(n)]\n"
REJECTION = """
try:
    api.training_jobs.show_training_job_details("absent")
except NotFound as error:
    print(error.error_code)
"""


def test_the_program_of_the_page_runs_without_the_toolkit(python: Path, tmp_path: Path) -> None:
    """It logs in and lists; a rejection has its class and code."""
    first = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)[0]
    command = [python, "-I", "-c", LOOK + first + REJECTION]
    with Emulator(data_dir=tmp_path / "data", executor="simulated") as emulator:
        environ = {"PATH": os.environ["PATH"], **emulator.environment()}
        done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert "modelarts.vm.cpu.2u" in done.stdout
    assert done.stdout.endswith("ModelArts.2775\n")


def test_it_declares_each_library_that_its_modules_import(python: Path) -> None:
    """Also those that others bring along today, and no other ones."""
    (places,) = (python.parents[1] / "lib").glob("python*/site-packages")
    files = [file for folder in places.glob("modelarts_*") for file in folder.rglob("*.py")]
    found: set[str] = set()
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        found |= {name.partition(".")[0] for name in names}
    others = {name for name in found - sys.stdlib_module_names if not name.startswith("modelarts_")}
    project = tomllib.loads((ROOT / "generated" / "pyproject.toml").read_text("utf-8"))["project"]

    assert len(files) > 500
    assert {Requirement(each).name for each in project["dependencies"]} == {each.replace("_", "-") for each in others}
