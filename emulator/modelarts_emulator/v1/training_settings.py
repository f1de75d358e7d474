"""Settings of a job or a configuration: read from a request, with the engine and the specification they name.

Sources: pages "Creating a Training Job", "Creating a Version of a Training Job", "Creating a Training Job
Configuration".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.v1 import builtin
from modelarts_emulator.v1.errors import invalid
from modelarts_emulator.v1.specs import engine_view, fits, spec_view, specs_of_code

__all__ = ["DEFAULT_ENGINE_ID", "read_settings", "reject_workspace"]

DEFAULT_ENGINE_ID = 1  # by the tables of the pages
TEXTS = ("app_url", "boot_file_url", "user_image_url", "user_command", "train_url", "log_url")
CHANNELS = ("data_url", "train_url")
WHERE_SPECS = "GET /v1/{project_id}/job/resource-specs lists them"
WHERE_ENGINES = "GET /v1/{project_id}/job/ai-engines lists them"


def read_settings(catalogue: Catalogue, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the request asks for, under the names of the responses; raises ServiceError for what is wrong with it.

    `engine` and `spec` are as the lists of engines and specifications print them, `max_num` is the specification's.
    Nothing is looked up in object storage.
    """
    _reject_unsupported(given)
    settings: dict[str, Any] = {name: _text(name, given.get(name)) for name in TEXTS}
    settings["worker_server_num"] = given["worker_server_num"]
    settings["model_id"] = model_id = given.get("model_id")
    settings["engine"] = engine = _engine(catalogue, given, model_id, settings["user_image_url"])
    spec = _spec(catalogue, given)
    settings["spec"] = spec_view(catalogue, spec)
    if engine is not None and not fits(catalogue, catalogue.v1_engines[engine["engine_id"]], spec):
        raise invalid("spec_id", f"engine {engine['engine_id']} does not run on {spec['flavor_id']}, which has GPUs")
    settings["parameter"] = _parameters(given.get("parameter") or [])
    settings["data_source"] = sources = _data_sources(given)
    settings["data_url"] = sources[0]["data_url"] if sources else None
    return settings


def _reject_unsupported(given: Mapping[str, Any]) -> None:
    """Raise ServiceError for what the emulator does not have; an empty value asks for nothing."""
    if pool := given.get("pool_id"):
        raise invalid("pool_id", f"dedicated pool {pool} does not exist: give spec_id or flavor instead")
    for name in ("dataset_id", "dataset_version_id"):
        if given.get(name):
            raise invalid(name, f"dataset {given[name]} does not exist: give data_url instead")
    for volume in given.get("volumes") or []:
        kind = next((name for name in ("nfs", "host_path") if volume.get(name)), None)
        if kind is not None:
            raise invalid(f"volumes.{kind}", "volumes are for dedicated pools, and there is none")


def _text(name: str, value: Any) -> str | None:
    if value and "\0" in value:
        raise invalid(name, "it holds a NUL character")
    return value or None


def _engine(
    catalogue: Catalogue, given: Mapping[str, Any], model_id: int | None, image: str | None
) -> dict[str, Any] | None:
    """The engine that runs the code; None for a custom image."""
    engine_id = given.get("engine_id")
    if model_id is not None:
        algorithm = builtin.find(model_id)
        if algorithm is None:
            known = ", ".join(map(str, builtin.every()))
            raise invalid("model_id", f"built-in algorithm {model_id} does not exist: use {known}")
        engine_id = algorithm.engine_id if engine_id is None else engine_id
        if engine_id != algorithm.engine_id:
            raise invalid("engine_id", f"built-in algorithm {model_id} runs on engine {algorithm.engine_id}")
    elif image is not None:
        if engine_id is not None:
            raise invalid("engine_id", "a custom image (user_image_url) has no engine")
        return None
    engine_id = DEFAULT_ENGINE_ID if engine_id is None else engine_id
    found = catalogue.v1_engines.get(engine_id)
    if found is None:
        raise invalid("engine_id", f"engine {engine_id} does not exist: {WHERE_ENGINES}")
    return engine_view(found) | {"pod_version": found.get("pod_version")}


def _spec(catalogue: Catalogue, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The specification by its number or by the code of its flavor, as the catalogue has it."""
    spec_id, code = given.get("spec_id"), (given.get("flavor") or {}).get("code") or None
    nodes = given["worker_server_num"]
    if spec_id is None:
        if code is None:
            raise invalid("spec_id", "the size of the machines is missing: give spec_id or flavor.code")
        found = specs_of_code(catalogue, code)
        if not found:
            raise invalid("flavor.code", f"specification {code} does not exist: {WHERE_SPECS}")
        spec = next((entry for entry in found if entry["max_num"] >= nodes), found[-1])
    else:
        if spec_id not in catalogue.v1_specs:
            raise invalid("spec_id", f"specification {spec_id} does not exist: {WHERE_SPECS}")
        spec = catalogue.v1_specs[spec_id]
        if code not in (None, spec["flavor_id"]):
            raise invalid("flavor.code", f"specification {spec_id} is {spec['flavor_id']}: give one of the two")
    if nodes > (most := spec_view(catalogue, spec)["max_num"]):
        raise invalid("worker_server_num", f"{nodes} nodes are more than the {most} of {spec['flavor_id']}")
    return spec


def _parameters(given: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The hyperparameters, whose values are text: numbers and booleans as JSON writes them."""
    parameters: dict[str, str] = {}
    for entry in given:
        label, value = entry.get("label") or "", entry.get("value")
        if not label or any(character in label for character in "=\0"):
            raise invalid("parameter.label", f"{label!r} is not a name: use at least one character, and no '='")
        if label in parameters:
            raise invalid("parameter.label", f"{label} is given twice")
        if label in CHANNELS:
            raise invalid("parameter.label", f"{label} is set by the member of this name beside the parameters")
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        if "\0" in text:
            raise invalid("parameter.value", f"the value of {label} holds a NUL character")
        parameters[label] = text
    return [{"label": label, "value": value} for label, value in parameters.items()]


def _data_sources(given: Mapping[str, Any]) -> list[dict[str, str]]:
    """The source of the data, from `data_url` or `data_source`; empty if none is given."""
    sources: list[dict[str, str]] = []
    for entry in given.get("data_source") or []:
        kind, url = entry.get("type") or "obs", _text("data_source.data_url", entry.get("data_url"))
        dataset, version = entry.get("dataset_id"), entry.get("dataset_version")
        if kind != "obs" or dataset or version:
            raise invalid("data_source", f"dataset {dataset or ''}".rstrip() + " does not exist: give data_url instead")
        if url is None:
            raise invalid("data_source.data_url", "it is missing")
        sources.append({"type": "obs", "data_url": url})
    if len(sources) > 1:
        raise invalid("data_source", "the emulator passes one source of data to a job: give one")
    if url := _text("data_url", given.get("data_url")):
        if sources and sources[0]["data_url"] != url:
            raise invalid("data_url", "data_source names another source: give one of the two")
        sources = [{"type": "obs", "data_url": url}]
    return sources


def reject_workspace(code: str, workspace: str | None) -> None:
    """Raise ServiceError with this code unless the workspace is the only one that there is."""
    if (workspace or "0") != "0":
        raise ServiceError(code, f"Workspace {workspace} does not exist: the emulator has workspace 0 only.")
