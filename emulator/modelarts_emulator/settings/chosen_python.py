"""Which Python runs the code of a folder, where no option and no catalogue names one."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

OWN = "the toolkit's own"
SHIM_TIMEOUT_S = 10.0

_IN_ENVIRONMENT = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
_ON_PATH = ("python.exe", "python3.exe") if os.name == "nt" else ("python3",)
_VARIABLES = ("VIRTUAL_ENV", "CONDA_PREFIX")
_OF_SYSTEM = ("/usr/bin", "/bin")


class ChosenPython(NamedTuple):
    """The absolute path of a Python, and what led to it: VIRTUAL_ENV, CONDA_PREFIX, .venv, PATH or `OWN`."""

    path: Path
    why: str

    def __str__(self) -> str:
        return f"{self.path} ({self.why})"


def choose_python(folder: Path, environ: Mapping[str, str] = os.environ) -> ChosenPython:
    """The Python that the caller means for the code of this folder.

    It is that of VIRTUAL_ENV, of CONDA_PREFIX, of `.venv` in the folder or the nearest one above it, the first
    `python3` on PATH that is not the toolkit's own, else the toolkit's. What is not a program is passed over,
    and so is a script that starts no Python; a binary that is called python is not tried. The toolkit's own are the
    Python of this process and the one that its environment was made from. If one of these two comes first on PATH, the
    system's `/usr/bin/python3` behind it is passed over, too. Variables that name no environment stand in the reason.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - links stay as they are
    path, why = next(_candidates(folder, environ), (Path(sys.executable), OWN))
    wrong = takewhile(lambda name: name != why, _VARIABLES)
    facts = [f"{name}={shlex.quote(environ[name])} has no Python" for name in wrong if environ.get(name)]
    return ChosenPython(path, "; ".join([why, *facts]))


def is_program(path: Path | str) -> bool:
    """Whether this file can be executed; links are followed."""
    return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113 - Path.is_file raises PermissionError


def _candidates(folder: Path, environ: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    environments = [(name, Path(environ[name])) for name in _VARIABLES if environ.get(name)]
    # One above that belongs to somebody else, such as /tmp/.venv, is not the caller's.
    owners = {0, os.getuid(), _owner(folder)}
    above = [parent / ".venv" for parent in (folder, *folder.parents)]
    environments += [(".venv", environment) for environment in above if _owner(environment) in owners]
    for why, environment in environments:
        for name in _IN_ENVIRONMENT:
            if python := interpreter_of(environment / name, environ):
                yield python, why
    is_own_passed = False
    entries = environ["PATH"].split(os.pathsep) if environ.get("PATH") else ()
    found = (interpreter_of(Path(entry, name), environ) for entry in entries for name in _ON_PATH)
    for python in filter(None, found):
        if _is_own(python):
            is_own_passed = True
        elif not (is_own_passed and os.path.realpath(python.parent) in _OF_SYSTEM):
            yield python, "PATH"


def _owner(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except OSError:
        return None


def interpreter_of(program: Path, environ: Mapping[str, str]) -> Path | None:
    """The Python that this program is or starts, such as a shim of pyenv does; None if it is not one that runs."""
    program = Path(os.path.abspath(program))  # noqa: PTH100 - the Python of an environment is a link and stays one
    if not is_program(program):
        return None
    try:
        with program.open("rb") as stream:
            is_binary = b"\0" in stream.read(16)
        if is_binary and Path(os.path.realpath(program)).name.startswith(("python", "pypy")):
            return program
        command = [str(program), "-I", "-c", "import sys; print(sys.executable)"]
        done = subprocess.run(  # noqa: S603 - what the user calls python3
            command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=SHIM_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError):
        return None
    path = Path(os.fsdecode(done.stdout).rstrip("\n").rpartition("\n")[2])
    return path if path.is_absolute() and is_program(path) else None


def named_python(program: Path, what: str) -> Path:
    """The Python that this path, or else the command of this name, is or starts; `~` is the user's home.

    Raises EmulatorError if it is none; `what` names it.
    """
    path, why = Path(os.path.abspath(program.expanduser())), "is not a program"  # noqa: PTH100 - links stay as they are
    if not is_program(path) and program.name == str(program):
        path, why = Path(shutil.which(program) or program), "is neither a program nor a command"
    if python := interpreter_of(path, os.environ):
        return python
    from modelarts_emulator.errors import EmulatorError  # tasks have no need of it

    why = "is not a Python that runs here" if is_program(path) else why
    raise EmulatorError(f"{what}: {path} {why}: name a Python, like .venv/bin/python")


def _is_own(python: Path) -> bool:
    """Whether it is the Python of this process, or the one that the environment of this process was made from."""
    own: tuple[str, ...] = (sys.executable, getattr(sys, "_base_executable", sys.executable))
    # In a virtual environment only the folder says which one it is: its Python is a link to that of others.
    if prefix := next((folder for folder in python.parents[:2] if (folder / "pyvenv.cfg").exists()), None):
        python, own = prefix, (sys.prefix,)
    return os.path.realpath(python) in map(os.path.realpath, own)
