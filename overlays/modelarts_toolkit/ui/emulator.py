"""What only an emulator has: its clock, the calls that it recorded, faults and plans, through its control API."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from modelarts_toolkit.errors import ConnectionFailed, ToolkitError
from modelarts_toolkit.local_emulator import LocalEmulator, local_emulator
from modelarts_toolkit.settings.values import all_stripped
from modelarts_toolkit.urls import is_loopback, is_same_service

MOST_CALLS = 200
TOKEN = "MODELARTS_EMULATOR_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(slots=True)
class EmulatorControl:
    """The control API of an emulator on this machine, whose variables are the environment."""

    _emulator: LocalEmulator
    _environment: Mapping[str, str] = field(repr=False)
    is_frozen: bool = field(default=False, init=False)
    """Whether its clock stood when it was last asked."""

    async def show(self) -> dict[str, Any]:
        """Health, clock, faults, plans and the newest calls, the newest first; None for what it does not keep."""
        calls = await self._optional("calls")
        return {
            "health": await self.call("GET", "health"),
            "clock": await self.call("GET", "clock"),
            "faults": await self._optional("faults"),
            "plans": await self._optional("plans"),
            "calls": None if calls is None else calls[-MOST_CALLS:][::-1],
        }

    async def _optional(self, what: str) -> Any:
        with suppress(ToolkitError):
            return (await self.call("GET", what))[what]
        return None

    async def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Call the control API; raises ConnectionFailed with what it says."""
        try:
            found = await asyncio.to_thread(self._emulator.call_control, self._environment, method, path, body)
            if path == "clock":
                self.is_frozen = found["frozen"]
        except Exception as error:  # its class is the emulator's own
            raise ConnectionFailed(str(error)) from error
        return found


async def control_of(endpoint: str, environment: Mapping[str, str]) -> EmulatorControl | None:
    """The control of the emulator that serves this endpoint; None for any other service.

    Its token is in the variables that `modelarts emulator env` prints, or in the emulator's data folder. A variable
    proves nothing, because it may be left from another emulator: the service itself must take the token.
    """
    emulator = local_emulator()
    if emulator is None or not is_loopback(urlsplit(endpoint).hostname or ""):
        return None
    for each in (all_stripped(environment), emulator.running_environment() or {}):
        if is_same_service(each.get("MODELARTS_ENDPOINT", ""), endpoint) and each.get(TOKEN):
            control = EmulatorControl(emulator, each)
            with suppress(ToolkitError):  # not an emulator, or another one
                if "now" in await control.call("GET", "clock"):
                    return control
    return None
