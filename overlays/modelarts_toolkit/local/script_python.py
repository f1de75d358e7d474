"""Which Python runs a script on this machine, and how a job says so to an emulator that runs already."""

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from modelarts_toolkit.local_emulator import PYTHON, LocalEmulator, local_emulator

if TYPE_CHECKING:
    from modelarts_api.v2.models import JobMetadataRequestDict
    from modelarts_toolkit import Config
    from modelarts_toolkit.job_requests.job_request import JobRequest

OPTION, OF_EMULATOR, OF_JOB = "--engine", "--engine of the emulator", f"annotation {PYTHON}"


class ScriptPython(NamedTuple):
    """The path of a Python, and what led to it, such as VIRTUAL_ENV."""

    path: str
    why: str

    def __str__(self) -> str:
        return f"{self.path} ({self.why})"


def python_for(emulator: LocalEmulator, folder: Path, given: Path | None = None) -> ScriptPython:
    """Return the given Python, or the one that the caller means for the code of this folder."""
    if given is not None:
        return ScriptPython(os.path.abspath(given), OPTION)  # noqa: PTH100 - a link of an environment stays one
    path, why = emulator.choose_python(folder)
    return ScriptPython(str(path), why)


def python_in(devices: Mapping[str, Any], engine: Mapping[str, Any], wanted: ScriptPython) -> ScriptPython | None:
    """Return the Python with which a running emulator trains; None if it has not said which.

    It is the wanted one, unless the emulator was told one for this engine: only the caller's own option goes first.
    """
    name, texts = str(engine.get("engine_id")), [str(text).lower() for text in engine.values() if text]
    fits = any(fnmatchcase(text, each.lower()) for each in devices["engine_patterns"] for text in texts)
    if wanted.why in (OPTION, OF_JOB) or not (fits or name in devices["explicit_pythons"]):
        return wanted
    own = devices["pythons"].get(name)
    return own and ScriptPython(own, wanted.why if own == wanted.path else OF_EMULATOR)


def with_python(request: "JobRequest", python: ScriptPython | None) -> "JobRequest":
    """Return the request with the Python as its annotation; without one for None."""
    given = request["metadata"].get("annotations", {})
    annotations = {name: text for name, text in given.items() if name != PYTHON}
    if python is not None:
        annotations[PYTHON] = python.path
    metadata: JobMetadataRequestDict = {**request["metadata"], "annotations": annotations}
    if not annotations:
        del metadata["annotations"]
    return {**request, "metadata": metadata}


def with_own_python(config: "Config", request: "JobRequest", folder: Path) -> "tuple[JobRequest, ScriptPython | None]":
    """Return the request with the Python that the caller means for the code of this folder, and that Python.

    The request for any other service than an emulator of this user has none; a Python that it names itself is kept.
    """
    from modelarts_toolkit.reading import part, read
    from modelarts_toolkit.urls import is_loopback

    endpoint, emulator = config.endpoint or "", local_emulator()
    own = emulator and is_loopback(urlsplit(endpoint).hostname or "") and emulator.own_environment()
    if emulator is None or not own or own["MODELARTS_ENDPOINT"].rstrip("/") != endpoint.rstrip("/"):
        return with_python(request, None), None
    devices = given_devices(emulator, own)
    named = read(lambda: request["metadata"]["annotations"][PYTHON], str)
    wanted = ScriptPython(named, OF_JOB) if named else python_for(emulator, folder)
    python = python_in(devices, part(lambda: request["algorithm"]["engine"]) or {}, wanted)
    return with_python(request, python), python


def given_devices(emulator: LocalEmulator, environment: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the accelerators that an emulator gives to tasks, and its Pythons; raises ConfigError if it has ended."""
    try:
        return dict(emulator.call_control(environment, "GET", "devices"))
    except Exception as error:  # its class is the emulator's own
        from modelarts_toolkit.errors import ConfigError

        raise ConfigError(str(error)) from error
