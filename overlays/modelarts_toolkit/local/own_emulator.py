"""Jobs that go to an emulator of this user, which runs scripts on this machine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from modelarts_toolkit.job_requests.job_request import JobRequest
from modelarts_toolkit.local.resources import given_devices
from modelarts_toolkit.local.script_python import OF_JOB, ScriptPython, python_for, python_in, with_python
from modelarts_toolkit.local_emulator import PYTHON, LocalEmulator, local_emulator
from modelarts_toolkit.reading import part, read
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.urls import is_loopback


class OwnEmulator(NamedTuple):
    """An emulator of this user that runs scripts on this machine, its variables, and what it says of its engines."""

    emulator: LocalEmulator
    environment: Mapping[str, str]
    devices: Mapping[str, Any]


def own_emulator(config: Config) -> OwnEmulator | None:
    """Return the emulator that the settings lead to, if it is this user's and runs scripts on this machine."""
    endpoint, emulator = config.endpoint or "", local_emulator()
    if emulator is None or not is_loopback(urlsplit(endpoint).hostname or ""):
        return None
    environment = emulator.own_environment()
    if environment is None or environment["MODELARTS_ENDPOINT"].rstrip("/") != endpoint.rstrip("/"):
        return None
    return OwnEmulator(emulator, environment, given_devices(emulator, environment))


def with_own_python(config: Config, request: JobRequest, folder: Path) -> tuple[JobRequest, ScriptPython | None]:
    """Return the request with the Python that the caller means for the code of this folder, and that Python.

    The request for any other service than an emulator of this user has none; a Python that it names itself is kept.
    """
    if (own := own_emulator(config)) is None:
        return with_python(request, {}, None), None
    named = read(lambda: request["metadata"]["annotations"][PYTHON], str)
    wanted = ScriptPython(named, OF_JOB) if named else python_for(own.emulator, folder)
    python = python_in(own.devices, part(lambda: request["algorithm"]["engine"]) or {}, wanted)
    return with_python(request, own.devices, python), python
