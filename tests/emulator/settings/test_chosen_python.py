"""Which Python runs a script: every combination of environments, folders and PATH, with real environments."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

import pytest

from modelarts_emulator.settings.chosen_python import OWN, choose_python

BASE = Path(sys._base_executable)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Pythons, by their names; the code is in `project/src/code`."""
    root = tmp_path_factory.mktemp("pythons").resolve()
    for name in ("active", "conda", "path", "other", "project/.venv"):
        venv.create(root / name, with_pip=False, symlinks=True)
    (root / "conda" / "pyvenv.cfg").unlink()  # an environment of conda has none
    (root / "project" / "src" / "code").mkdir(parents=True)
    (root / "project" / "src" / ".venv" / "bin").mkdir(parents=True)  # a broken one, nearer than that of the project
    (root / "project" / "src" / ".venv" / "bin" / "python").symlink_to(root / "gone" / "python3.9")
    (root / "base").mkdir()
    (root / "base" / "python3").symlink_to(BASE)
    (root / "own").symlink_to(Path(sys.executable).parent)
    (root / "directory" / "python3").mkdir(parents=True)
    (root / "plain").mkdir()
    (root / "plain" / "python3").write_text("not executable")
    shim(root / "works", f'exec {root / "other" / "bin" / "python3"} "$@"')
    shim(root / "shows-base", f'exec {BASE} "$@"')
    shim(root / "chatty", f'echo "switching"; exec {root / "other" / "bin" / "python3"} "$@"')
    shim(root / "fails", 'echo "pyenv: python3: command not found" >&2; exit 127')
    shim(root / "silent", "exit 0")
    shim(root / "liar", f"echo {root}/gone/python3")
    shim(root / "text", "", first="this is not a program\n")
    shim(root / "empty", "", first="")
    (root / "manager").mkdir()  # a program that is started by the name of python3, like mise and rye
    (root / "manager" / "python3").symlink_to("/bin/false")
    return root


def shim(folder: Path, body: str, first: str = "#!/bin/sh\n") -> None:
    """Make a script that is called python3."""
    folder.mkdir()
    (folder / "python3").write_text(f"{first}{body}\n" if first else "")
    (folder / "python3").chmod(0o755)


# What is set, in the words of the test, and which Python it gives.
VARIABLES: dict[str, dict[str, str]] = {"": {}, "venv": {"VIRTUAL_ENV": "active"}, "conda": {"CONDA_PREFIX": "conda"}}
VARIABLES["both"] = VARIABLES["venv"] | VARIABLES["conda"]
VARIABLES["stale"] = {"VIRTUAL_ENV": "gone"}
VARIABLES["stale venv, conda"] = VARIABLES["stale"] | VARIABLES["conda"]
VARIABLES["empty"] = {"VIRTUAL_ENV": "", "CONDA_PREFIX": ""}
OF_VARIABLES = {"venv": "active", "conda": "conda", "both": "active", "stale venv, conda": "conda"}
FOLDERS = {"project/src/code": "project/.venv", "project": "project/.venv", "project/src": "project/.venv", "": None}
PATHS = {
    None: None,
    "": None,
    "path/bin": "path",
    "path/bin:other/bin": "path",
    "other/bin:path/bin": "other",
    "base:other/bin": "other",
    "base": None,
    "own": None,
    "own:path/bin": "path",
    "base:/usr/bin": None,
    "own:/usr/bin:/bin:path/bin": "path",
    "gone:directory:plain:path/bin": "path",
    "works": "other",
    "chatty": "other",
    "shows-base:path/bin": "path",
    "shows-base": None,
    "fails:silent:liar:text:empty:manager:path/bin": "path",
    "fails": None,
}


def at(root: Path, folder: str) -> str:
    return str(root / folder)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("variables", VARIABLES)
def test_the_first_source_that_gives_a_python_wins(made: Path, variables: str, folder: str, path: str | None) -> None:
    """VIRTUAL_ENV, then CONDA_PREFIX, then .venv of the folder or above, then PATH, then the toolkit's own."""
    environ = {name: at(made, value) if value else "" for name, value in VARIABLES[variables].items()}
    if path is not None:
        environ["PATH"] = ":".join(at(made, entry) for entry in path.split(":")) if path else ""
    expected, why = Path(sys.executable), OWN
    for chosen, source in ((PATHS[path], "PATH"), (FOLDERS[folder], ".venv")):
        if chosen:
            expected, why = made / chosen / "bin" / ("python3" if source == "PATH" else "python"), source
    if of_variables := OF_VARIABLES.get(variables):
        expected = made / of_variables / "bin" / "python"
        why = "CONDA_PREFIX" if of_variables == "conda" else "VIRTUAL_ENV"

    assert (expected, why) == choose_python(made / folder, environ)
