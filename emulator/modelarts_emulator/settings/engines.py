"""Interpreters: which Python runs the boot files and commands of which engine.

The service has an image for each engine; here a pattern of `--engine`, or the member `python` of the catalogue's
engine, names a Python of this machine. Without either it is the emulator's own.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from modelarts_emulator.http.errors import EmulatorError
from modelarts_emulator.settings.catalogue import Catalogue

__all__ = ["Interpreters", "load"]

log = logging.getLogger(__name__)

MATCHED = ("engine_name", "engine_version", "engine_id", "image_url")
VERSION_TIMEOUT_S = 30  # for an interpreter to print its version


@dataclass(frozen=True, slots=True)
class Interpreters:
    """The Python of every engine: of the first pattern that fits, of the engine's entry, or `default`."""

    patterns: Mapping[str, str]
    entries: Mapping[str, str]
    default: str = sys.executable

    def find(self, engine: Mapping[str, str] | None) -> str:
        """The Python for the engine of a job: its name, version and id, or the address of its image."""
        engine = engine or {}
        for pattern, python in self.patterns.items():
            if _fits(pattern, engine):
                return python
        return self.entries.get(engine.get("engine_id", ""), self.default)


def load(patterns: Mapping[str, Path], catalogue: Catalogue) -> Interpreters:
    """The interpreters that these patterns and this catalogue name; raises EmulatorError for what is no Python.

    Paths are relative to the working folder, those of a catalogue to its file; `~` is the user's home.
    """
    engines = [*catalogue.engines.values(), *catalogue.v1_engines.values()]
    for pattern in patterns:
        if not any(_fits(pattern, engine) for engine in engines):
            log.warning("--engine %s fits no engine of the catalogue: only images whose address it fits", pattern)
    return Interpreters(
        {pattern: _python(f"--engine {pattern}", path) for pattern, path in patterns.items()},
        {engine_id: _python(f"python of engine {engine_id}", path) for engine_id, path in catalogue.pythons.items()},
    )


def _fits(pattern: str, engine: Mapping[str, Any]) -> bool:
    return any(fnmatchcase(str(engine[name]).lower(), pattern.lower()) for name in MATCHED if engine.get(name))


def _python(what: str, path: Path) -> str:
    # Links stay as they are: the Python of an environment is one, and finds the environment by its own place.
    python = str(Path(os.path.abspath(path.expanduser())))  # noqa: PTH100 - as above
    try:
        # -E -S: whatever is installed there, and whatever the variables say, this starts.
        command = [python, "-E", "-S", "-c", "print('Python')"]
        response = subprocess.run(command, capture_output=True, text=True, timeout=VERSION_TIMEOUT_S, check=False)  # noqa: S603
        problem = None if (response.returncode, response.stdout.strip()) == (0, "Python") else "it is no Python"
    except subprocess.TimeoutExpired:
        problem = f"it did not print its version within {VERSION_TIMEOUT_S} s"
    except OSError as error:
        problem = str(error.strerror)
    if problem is not None:
        raise EmulatorError(f"{what}: {python} cannot be used ({problem}): name a Python, like .venv/bin/python")
    return python
