"""Jobs that go to an emulator of this user, which runs scripts on this machine."""

from pathlib import Path
from urllib.parse import urlsplit

from modelarts_toolkit.job_requests.job_request import JobRequest
from modelarts_toolkit.local.resources import given_devices
from modelarts_toolkit.local.script_python import OF_JOB, ScriptPython, python_for, python_in, with_python
from modelarts_toolkit.local_emulator import PYTHON, local_emulator
from modelarts_toolkit.reading import part, read
from modelarts_toolkit.settings.config import Config
from modelarts_toolkit.urls import is_loopback


def with_own_python(config: Config, request: JobRequest, folder: Path) -> tuple[JobRequest, ScriptPython | None]:
    """Return the request with the Python that the caller means for the code of this folder, and that Python.

    The request for any other service than an emulator of this user has none; a Python that it names itself is kept.
    """
    endpoint, emulator = config.endpoint or "", local_emulator()
    own = emulator and is_loopback(urlsplit(endpoint).hostname or "") and emulator.own_environment()
    if emulator is None or not own or own["MODELARTS_ENDPOINT"].rstrip("/") != endpoint.rstrip("/"):
        return with_python(request, {}, None), None
    devices = given_devices(emulator, own)
    named = read(lambda: request["metadata"]["annotations"][PYTHON], str)
    wanted = ScriptPython(named, OF_JOB) if named else python_for(emulator, folder)
    python = python_in(devices, part(lambda: request["algorithm"]["engine"]) or {}, wanted)
    return with_python(request, devices, python), python
