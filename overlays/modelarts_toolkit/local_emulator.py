"""The emulator of this machine, if it is installed, by the name of its module: the toolkit does not depend on it."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

MODULE = "modelarts_emulator.cli.background"
PYTHON = "emulator/python"  # the annotation by which a job says with which Python of this machine it trains
PYTHON_CHOSEN_BY = "modelarts-toolkit/python-chosen-by"  # the annotation that says that not the job named it

_SETTINGS = ("endpoint", "iam_endpoint", "obs_endpoint", "project_id", "access_key", "secret_key")


def settings_of(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings of a client, from the variables of an emulator."""
    return {name: environment[f"MODELARTS_{name.upper()}"] for name in _SETTINGS}


class LocalEmulator(Protocol):
    """What the module has: how emulators are found and started. Environments are variables for clients."""

    def running_environment(self) -> Mapping[str, str] | None:
        """The environment of this user's running emulator; None if none runs."""

    def not_served(self) -> str:
        """Say that it does not run, and how to start it."""

    def own_environment(self) -> Mapping[str, str] | None:
        """The same, of an emulator that proves to be this user's and to run scripts on this machine."""

    def call_control(self, environment: Mapping[str, str], method: str, path: str, body: Any = None) -> Any:
        """Call the control API of the emulator of these variables, such as `POST faults`; raises EmulatorError."""

    def choose_python(self, folder: Path) -> tuple[Path, str]:
        """The Python that runs the code of this folder unless an option names one; and what led to it, such as PATH."""

    def named_python(self, program: Path, what: str) -> Path:
        """The Python that a path or the name of a command is or starts; raises EmulatorError; `what` names it."""

    def temporary(self, arguments: Sequence[str]) -> AbstractContextManager[Callable[[], Mapping[str, str]]]:
        """Start an emulator with these options; yields a function that waits until it serves, for its environment.

        It ends with the block or with this process, however that ends, and leaves nothing behind; only where its folder
        has a file jobs/.undelivered, because a message has promised it, the folders jobs and objects remain.
        """


def local_emulator() -> LocalEmulator | None:
    """The emulator that is installed; None if none is, or if its libraries are missing."""
    try:
        found: Any = importlib.import_module(MODULE)
    except ModuleNotFoundError:
        return None
    emulator: LocalEmulator = found
    return emulator
