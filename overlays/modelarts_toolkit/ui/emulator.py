"""What only an emulator has: its clock, the calls that it recorded, faults and plans, through its control API."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from modelarts_toolkit.errors import ConnectionFailed, ToolkitError
from modelarts_toolkit.http import transport
from modelarts_toolkit.local_emulator import LocalEmulator, local_emulator
from modelarts_toolkit.settings.values import all_stripped
from modelarts_toolkit.texts import counted, lasted, shortened
from modelarts_toolkit.urls import NO_EMULATOR, is_loopback, is_same_service

MOST_CALLS = 200
_SEARCHED = ("operation", "path", "status")
LONGEST_LOG = 200  # characters of a plan's log
USER_AGENT = f"{transport.USER_AGENT} (page)"  # of the calls of the page itself
TOKEN = "MODELARTS_EMULATOR_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(slots=True)
class EmulatorControl:
    """The control API of an emulator on this machine, whose variables are the environment."""

    _emulator: LocalEmulator
    _environment: Mapping[str, str] = field(repr=False)
    is_frozen: bool = field(default=False, init=False)
    """Whether its clock stood when it was last asked."""

    async def show(self, wanted: str = "", *, has_own: bool = False) -> dict[str, Any]:
        """Health, clock, faults, plans and the newest calls, the newest first; None for what it does not keep.

        Of the calls those whose operation, path or status has the text `wanted`; those of the page if `has_own`.
        """
        kept = (await self.kept("calls")).get("calls")
        calls = [call for call in kept or () if has_own or call["request_headers"].get("user-agent") != USER_AGENT]
        for call in calls:
            call["started_at"] = datetime.fromtimestamp(call["started_at_s"], UTC)
            call["status"] = call["status"] or "closed"
        found = [call for call in calls if any(wanted.casefold() in str(call[name]).casefold() for name in _SEARCHED)]
        faults, plans = [(await self.kept(what)).get(what) for what in ("faults", "plans")]
        return {
            "health": await self.call("GET", "health"),
            "clock": await self.call("GET", "clock"),
            "faults": None if faults is None else [fault_text(each) for each in faults],
            "plans": None if plans is None else [plan_text(each) for each in plans],
            "calls": None if kept is None else found[-MOST_CALLS:][::-1],
            "count": len(found),
            "hidden": len(kept or ()) - len(calls),
        }

    async def kept(self, path: str) -> Any:
        """What the control API says; empty if it has nothing there."""
        with suppress(ToolkitError):
            return await self.call("GET", path)
        return {}

    async def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Call the control API; raises ConnectionFailed with what it says."""
        try:
            found = await asyncio.to_thread(self._emulator.call_control, self._environment, method, path, body)
            if path == "clock":
                self.is_frozen = found["frozen"]
        except Exception as error:  # its class is the emulator's own
            is_down = isinstance(error.__context__, ConnectionError)
            where = self._environment["MODELARTS_ENDPOINT"]
            raise ConnectionFailed(f"no response from {where}: {NO_EMULATOR}" if is_down else str(error)) from error
        return found


def fault_text(fault: Mapping[str, Any]) -> str:
    """On which calls a fault does what, and how often it has."""
    names = [name for name in fault["operations"] if name != "*"]
    where = f"On {' or '.join(names) or 'every call'}" + (f" of {fault['document']}" if "document" in fault else "")
    often = [counted(fault["count"], "time")] if "count" in fault else []
    later = [f"after {counted(fault['after'], 'other call')}"] if fault["after"] else []
    happens = {
        "status": f"response {fault.get('status', '')} {fault.get('code', '')} {fault.get('message', '')}",
        "latency": f"the response comes {fault.get('seconds')} s later",
        "drop": f"the connection is closed {_MOMENTS.get(fault.get('moment', ''), '')}",
        "html": f"the error page of a proxy, {fault.get('status')}",
        "first_form": "objects are listed in the first form",
    }.get(fault["kind"], fault["kind"])
    wait = f", Retry-After {fault['retry_after']} s" if "retry_after" in fault else ""
    so_far = f"{fault['applied']} of {counted(fault['calls'], 'call')} so far"
    return f"{', '.join([where, *often, *later])}: {' '.join(happens.split())}{wait} ({so_far})"


_MOMENTS = {"before": "before anything is done", "after": "after all is done", "body": "in the middle of the response"}


def plan_text(plan: Mapping[str, Any]) -> str:
    """What a plan says, or a part of it; of several values each is of one attempt."""
    parts = []
    for name, value in plan.items():
        values = value if isinstance(value, list) else [value]
        if isinstance(value, Mapping):
            text = f": {plan_text(value)}"
        elif name == "log":
            text = f" of {counted(len(values), 'line')}: {shortened(' / '.join(values), LONGEST_LOG)}"
        elif name in _SECONDS:
            text = f" {', then '.join(lasted(timedelta(seconds=each)) or '0 s' for each in values)}"
        else:
            text = f" {', then '.join(str(each) or 'none' for each in values)}"
        parts.append(f"{name.replace('_', ' ')}{text}")
    return "; ".join(parts)


_SECONDS = ("preparation", "duration", "stop_duration")


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
            if "now" in await control.kept("clock"):  # else it is no emulator, or another one
                return control
    return None
