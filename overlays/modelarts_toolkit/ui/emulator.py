"""What only an emulator has: its clock, the calls that it recorded, faults and plans, through its control API."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from modelarts_toolkit.errors import ConnectionFailed, ToolkitError
from modelarts_toolkit.http.urls import is_loopback
from modelarts_toolkit.local_emulator import local_emulator

from .problems import PROBLEMS

TIMEOUT_S = 10.0
MOST_CALLS = 200
TOKEN = "MODELARTS_EMULATOR_TOKEN"  # noqa: S105 - the name of a variable


class EmulatorControl:
    """The control API of an emulator on this machine."""

    def __init__(self, endpoint: str, token: str) -> None:
        self._client = httpx.AsyncClient(
            base_url=f"{endpoint}/_emulator/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=TIMEOUT_S,
            trust_env=False,
        )

    async def is_taken(self) -> bool:
        """Whether the service has a control API and takes the token."""
        try:
            return "now" in await self.call("GET", "clock")
        except PROBLEMS:  # not an emulator, or another one
            return False

    async def show(self) -> dict[str, Any]:
        """Health, clock, faults, plans and the newest calls, the newest first; None for what it does not keep."""
        calls = await self._optional("calls", "calls")
        return {
            "health": await self.call("GET", "health"),
            "clock": await self.call("GET", "clock"),
            "faults": await self._optional("faults", "faults"),
            "plans": await self._optional("plans", "plans"),
            "calls": None if calls is None else calls[-MOST_CALLS:][::-1],
        }

    async def _optional(self, path: str, member: str) -> Any:
        response = await self._send("GET", path)
        return response.json()[member] if response.is_success else None

    async def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Call the control API; raises ToolkitError with what it says."""
        response = await self._send(method, path, body)
        if response.is_success:
            return response.json() if response.content else None
        raise ToolkitError(str(response.json().get("error_msg", response.status_code)))

    async def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        try:
            return await self._client.request(method, path, json=body)
        except httpx.TransportError as error:
            raise ConnectionFailed(f"the emulator does not respond ({error}): start it again") from error

    async def close(self) -> None:
        await self._client.aclose()


async def control_of(endpoint: str, environment: Mapping[str, str]) -> EmulatorControl | None:
    """The control of the emulator that serves this endpoint; None for any other service.

    Its token is in the variables that `modelarts emulator env` prints, or in the emulator's data folder. A variable
    proves nothing, because it may be left from another emulator: the service itself must take the token.
    """
    if not is_loopback(urlsplit(endpoint).hostname or ""):
        return None
    found = [environment]
    if (emulator := local_emulator()) is not None and (running := emulator.running_environment()) is not None:
        found.append(running)
    for each in found:
        if each.get("MODELARTS_ENDPOINT", "").rstrip("/") == endpoint.rstrip("/") and (token := each.get(TOKEN)):
            control = EmulatorControl(endpoint.rstrip("/"), token)
            if await control.is_taken():
                return control
            await control.close()
    return None
