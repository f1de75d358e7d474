"""Which Python runs a script on this machine, and how a job says so to an emulator that runs already."""

from collections.abc import Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from modelarts_toolkit.local.caller import reject
from modelarts_toolkit.local_emulator import PYTHON, PYTHON_CHOSEN_BY, LocalEmulator, local_emulator

if TYPE_CHECKING:
    from modelarts_api.v2.models import JobMetadataRequestDict
    from modelarts_toolkit import Config
    from modelarts_toolkit.job_requests.job_request import JobRequest

OPTION, OF_EMULATOR, OF_JOB = "--engine", "--engine of the emulator", f"annotation {PYTHON}"
UNKNOWN = (
    "Training with the Python of the emulator at {}: nothing proves that it is yours (MODELARTS_EMULATOR_DATA_DIR)."
)


class ScriptPython(NamedTuple):
    """The path of a Python, and what led to it, such as VIRTUAL_ENV."""

    path: str
    why: str

    def __str__(self) -> str:
        return f"{self.path} ({self.why})"


def python_for(emulator: LocalEmulator, folder: Path, given: Path | None = None, why: str = OPTION) -> ScriptPython:
    """Return the given Python, or the one that the caller means for the code of this folder; `why` names the given one.

    Raises ArgumentError if the given program is no Python.
    """
    if given is None:
        path, why = emulator.choose_python(folder)
    else:
        try:
            path = emulator.named_python(given, why)
        except Exception as error:  # its class is the emulator's own
            reject(str(error))
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
    annotations = {name: text for name, text in given.items() if name not in (PYTHON, PYTHON_CHOSEN_BY)}
    if python is not None:
        annotations |= {PYTHON: python.path} | ({} if python.why == OF_JOB else {PYTHON_CHOSEN_BY: python.why})
    metadata: JobMetadataRequestDict = {**request["metadata"], "annotations": annotations}
    if not annotations:
        del metadata["annotations"]
    return {**request, "metadata": metadata}


def with_own_python(
    config: "Config", request: "JobRequest", folder: Path
) -> "tuple[JobRequest, ScriptPython | None, str]":
    """Return the request with the Python that the caller means for the code of this folder, that Python, and a line.

    The request for any other service than an emulator of this user has none; a Python that it names itself is kept.
    The line says which Python trains; it is empty for a service that runs nothing on this machine.
    Raises ArgumentError if the request names a program that is no Python.
    """
    from modelarts_toolkit.reading import part, read
    from modelarts_toolkit.urls import is_loopback, is_same_service

    endpoint, emulator = config.endpoint or "", local_emulator()
    if emulator is None or not is_loopback(urlsplit(endpoint).hostname or ""):
        return with_python(request, None), None, ""
    own = emulator.own_environment()
    if not own or not is_same_service(own["MODELARTS_ENDPOINT"], endpoint):
        return with_python(request, None), None, UNKNOWN.format(endpoint) if _trains(emulator, endpoint) else ""
    devices = given_devices(emulator, own)
    named = read(lambda: request["metadata"]["annotations"][PYTHON], str)
    wanted = python_for(emulator, folder, Path(named) if named else None, OF_JOB)
    python = python_in(devices, part(lambda: request["algorithm"]["engine"]) or {}, wanted)
    return with_python(request, python), python, f"Training with {python}." if python else ""


def _trains(emulator: LocalEmulator, endpoint: str) -> bool:
    """Whether an emulator of unknown owner really runs scripts; it need not be one."""
    with suppress(Exception):
        health = emulator.call_control(
            {"MODELARTS_ENDPOINT": endpoint, "MODELARTS_EMULATOR_TOKEN": ""}, "GET", "health"
        )
        return bool(health["capabilities"]["executor"] != "simulated")
    return False


def given_devices(emulator: LocalEmulator, environment: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the accelerators that an emulator gives to tasks, and its Pythons; raises ConfigError if it has ended."""
    try:
        return dict(emulator.call_control(environment, "GET", "devices"))
    except Exception as error:  # its class is the emulator's own
        from modelarts_toolkit.errors import ConfigError

        raise ConfigError(str(error)) from error
