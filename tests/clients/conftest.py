"""Published clients in environments of their own, and an emulator for them on real ports.

A program in `programs/` runs in a client's environment; each of its functions is a check, and a test here.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from modelarts_emulator.server import Emulator

sys.path.append(str(Path(__file__).parents[2] / "scripts"))
import install_clients

PROGRAMS = Path(__file__).parent / "programs"
TIMEOUT_S = 300

Outcomes = Mapping[str, str | None]
"""The traceback of each check that failed, None of each that did not."""


def checks(program: str) -> list[str]:
    """The names of a program's checks."""
    tree = ast.parse((PROGRAMS / f"{program}.py").read_text("utf-8"))
    return [entry.name for entry in tree.body if isinstance(entry, ast.FunctionDef) and entry.name[0] != "_"]


def python_of(environment: str) -> str:
    """The Python of a client's environment; skips the test if the environment is not installed, or out of date."""
    if not install_clients.is_current(environment):
        pytest.skip(f"the clients of requirements/clients-{environment}.txt are not installed: make clients")
    return str(install_clients.python(environment))


def output_of(*command: str | Path, variables: dict[str, str]) -> str:
    """What a command prints that must succeed."""
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def emulator() -> Iterator[Emulator]:
    with Emulator(executor="simulated") as running:
        yield running


@pytest.fixture(scope="session")
def client_variables(emulator: Emulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of `modelarts emulator env`, and a home folder without anyone's settings."""
    home = str(tmp_path_factory.mktemp("home"))
    own = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
    return {**own, **emulator.environment(), "HOME": home, "PYTHONUTF8": "1"}


@pytest.fixture(scope="session")
def run_program(client_variables: dict[str, str]) -> Callable[[str, str], Outcomes]:
    """Runs all checks of a program in an environment, once, in one process."""
    finished: dict[str, Outcomes] = {}

    def run(environment: str, program: str) -> Outcomes:
        if program not in finished:
            printed = output_of(python_of(environment), PROGRAMS / f"{program}.py", variables=client_variables)
            finished[program] = json.loads(printed.splitlines()[-1])
        return finished[program]

    return run
