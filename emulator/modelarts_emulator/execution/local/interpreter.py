"""The Python of a task: with what its code requires, and by the names `python` and `python3` on its path."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from modelarts_emulator.execution.container import Container
from modelarts_emulator.execution.local import requirements
from modelarts_emulator.execution.local.task_log import TaskLog

NAMES = ("python", "python3")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """`python` runs the boot file; `folders` come first on the path."""

    python: str
    folders: tuple[str, ...]


def prepare(
    container: Container, python: str, environments: Path | None, environ: Mapping[str, str], log: TaskLog
) -> Interpreter:
    """The interpreter of the task, once its code has been fetched; raises StagingError if it lacks what that requires.

    `environments` is the folder of environments with what code requires; None: nothing is installed.
    """
    python = requirements.ensure_environment(container, python, environments, environ, log)
    folder = Path(python).parent
    if all(_is_same(folder / name, Path(python)) for name in NAMES):
        return Interpreter(python, (str(folder),))
    return Interpreter(python, (str(_shim_folder(container.map("/usr/local/bin"), python)), str(folder)))


def _is_same(path: Path, python: Path) -> bool:
    return path.exists() and path.samefile(python)


def _shim_folder(folder: Path, python: str) -> Path:
    """A folder in which the names stand for this Python: as scripts, because a link would lose its environment."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(python)} "$@"\n')
        script.chmod(0o755)
    return folder
