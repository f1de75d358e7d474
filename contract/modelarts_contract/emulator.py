"""The emulator that a run starts for itself, as a process: its addresses, its clock, and what its jobs do."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from modelarts_contract import login
from modelarts_toolkit.install import install_command
from modelarts_toolkit.local_emulator import LocalEmulator, local_emulator

__all__ = ["Emulator", "EmulatorError", "identity", "login_of", "serving"]

# Jobs are simulated, and a response that no document allows is 500.
OPTIONS = ("--executor", "simulated", "--check-responses", "--quiet")


class EmulatorError(Exception):
    """The emulator did not start; the message has its own words."""


@dataclass(frozen=True)
class Emulator:
    """A running emulator; `environment` leads clients to it as the first of its users."""

    environment: dict[str, str] = field(repr=False)
    local: LocalEmulator

    @property
    def endpoint(self) -> str:
        return self.environment["MODELARTS_ENDPOINT"]

    def control(self, what: str, body: dict[str, Any]) -> None:
        """Set the `plans` of simulated jobs, or move the `clock` through everything that happens meanwhile."""
        self.local.call_control(self.environment, "POST", what, body)


@contextlib.contextmanager
def serving(folder: Path, *identities: dict[str, str]) -> Iterator[Emulator]:
    """Serve an emulator for these users, whose credentials are written into the folder; raises EmulatorError."""
    local = local_emulator()
    if local is None:
        raise EmulatorError(f"no emulator is installed: {install_command('emulator')}")
    file = folder / "credentials.toml"
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as output:
        output.write("\n".join(f"[[identity]]\n{lines(each)}" for each in identities or [identity("owner")]))
    with local.temporary(["--credentials", str(file), *OPTIONS]) as ready:
        try:
            environment = dict(ready())
        except Exception as error:  # of the emulator's own class
            raise EmulatorError(": ".join(str(error).splitlines())) from None
        yield Emulator(environment, local)


def identity(name: str) -> dict[str, str]:
    """A user with an account and a project of its own and random secrets, as a table of the emulator's credentials."""
    names = {what: f"{what}-of-{name}" for what in ("user", "account", "project")}
    random = ("project_id", "domain_id", "user_id", "password", "secret_key")
    return {**names, **{what: secrets.token_hex(16) for what in random}, "access_key": secrets.token_hex(10).upper()}


def login_of(environment: Mapping[str, str]) -> dict[str, Any]:
    """The right login at an emulator."""
    names = ("OS_USERNAME", "OS_PASSWORD", "OS_USER_DOMAIN_NAME")
    return login.body(*(environment[name] for name in names), name=environment["OS_PROJECT_NAME"])


def lines(values: dict[str, str]) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
