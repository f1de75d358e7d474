"""The generated client is installed without the toolkit, with the libraries that it declares and no other ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
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


def test_the_program_of_the_page_runs_without_the_toolkit(python: Path, tmp_path: Path) -> None:
    """It logs in and lists; the packages of the wheel import nothing that is not there."""
    first = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)[0]
    look = "import importlib.util as i\nassert not [n for n in ('modelarts_toolkit', 'yaml') if i.find_spec(n)]\n"
    with Emulator(data_dir=tmp_path / "data", executor="simulated") as emulator:
        environ = {"PATH": os.environ["PATH"], **emulator.environment()}
        done = subprocess.run(
            [python, "-I", "-c", look + first], env=environ, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    assert (done.returncode, done.stderr) == (0, "")
    assert "modelarts.vm.cpu.2u" in done.stdout


def test_every_module_of_the_client_can_be_imported(python: Path, tmp_path: Path) -> None:
    """Also those that only some calls load: it declares all libraries that it imports."""
    code = "import pkgutil, importlib\nfor name in ('modelarts_api', 'modelarts_openapi', 'modelarts_runtime'):\n"
    code += "    for each in pkgutil.walk_packages(importlib.import_module(name).__path__, name + '.'):\n"
    code += "        importlib.import_module(each.name)"
    done = subprocess.run([python, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
