"""The pytest plugin: a fixture `emulator`, one server per run, as good as new in every test.

Nothing of the emulator is imported before a test asks for it, because every run of pytest loads this file.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from modelarts_emulator.server import Emulator

EXECUTORS = ("simulated", "process")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Each setting is a line of the configuration and an option that overrules it."""
    group = parser.getgroup("modelarts emulator")
    group.addoption("--emulator-executor", choices=EXECUTORS, help="how the emulator runs jobs [simulated]")
    group.addoption("--emulator-seeds", metavar="DIR", help="what exists at the begin of every test")
    group.addoption("--emulator-data-dir", metavar="DIR", help="folder of the emulator's data [a temporary one]")
    parser.addini("emulator_executor", "how the emulator runs jobs: simulated or process", default="simulated")
    parser.addini("emulator_seeds", "folder of what exists at the begin of every test", default="")
    parser.addini("emulator_data_dir", "folder that the emulator keeps its data in", default="")


@pytest.fixture(scope="session")
def emulator_server(pytestconfig: pytest.Config) -> Iterator[Emulator]:
    """The emulator of this run, with whatever earlier tests left in it; tests want `emulator`."""
    # Tests fail outside of the `except` blocks, because pytest would print the error in them, too.
    missing = None
    try:
        from modelarts_emulator.http.errors import EmulatorError
        from modelarts_emulator.server import Emulator
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("modelarts_"):
            raise
        missing = error.name
    if missing is not None:
        install = "pip install 'modelarts-toolkit[emulator]'"
        pytest.fail(f"the fixtures of the emulator need more libraries ({missing}): {install}", pytrace=False)

    executor = pytestconfig.getoption("--emulator-executor") or pytestconfig.getini("emulator_executor")
    if executor not in EXECUTORS:
        pytest.fail(f"emulator_executor is {executor!r}: use {' or '.join(EXECUTORS)}", pytrace=False)
    data_dir = _folder(pytestconfig, "data_dir")
    if data_dir is not None:
        # Processes of one parallel run need a folder each, and none is one that something else is kept in.
        data_dir /= os.environ.get("PYTEST_XDIST_WORKER", "main")
    with contextlib.ExitStack() as stack:
        problem = ""
        running: Emulator | None = None
        try:
            options = {"executor": executor, "seeds": _folder(pytestconfig, "seeds"), "forget": True}
            running = stack.enter_context(Emulator(data_dir, **options))
        except EmulatorError as error:
            problem = str(error)
        if running is None:
            pytest.fail(problem, pytrace=False)
        yield running


@pytest.fixture
def emulator(emulator_server: Emulator) -> Emulator:
    """A running emulator that holds the seeds and nothing else."""
    emulator_server.reset()
    return emulator_server


@pytest.fixture
def emulator_environment(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment variables that lead clients to the emulator, set for this test."""
    from modelarts_emulator.settings.client_env import FOREIGN

    variables = emulator.environment()
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


def _folder(config: pytest.Config, name: str) -> Path | None:
    """An option is relative to where pytest was started, a line of the configuration to its file."""
    given: str = config.getoption(f"--emulator-{name.replace('_', '-')}") or ""
    written: str = config.getini(f"emulator_{name}")
    if given:
        return Path(config.invocation_params.dir, given)
    return Path(config.inipath.parent if config.inipath else config.rootpath, written) if written else None
