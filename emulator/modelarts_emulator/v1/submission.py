"""The submission of a version: settings, checked against object storage, become what is stored and run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modelarts_emulator.engine.obs_paths import inspect_code, require_bucket, require_content
from modelarts_emulator.engine.runs import Run, new_id
from modelarts_emulator.settings.accounts import Identity
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import Store
from modelarts_emulator.v1 import builtin
from modelarts_emulator.v1.errors import invalid
from modelarts_emulator.v1.run_spec import describe_run
from modelarts_emulator.v1.training_settings import read_settings

__all__ = ["make_run", "output_place", "read_submission"]

OWN_CODE = ("app_url", "boot_file_url")
IMAGE = ("user_image_url", "user_command")


def read_submission(catalogue: Catalogue, store: Store, account_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a version that can run; raises ServiceError for the first thing that keeps it from running."""
    settings = read_settings(catalogue, given)
    _check_program(catalogue, store, account_id, settings)
    if settings["data_url"] is None:
        raise invalid("data_url", "the training data is missing: give data_url or data_source")
    require_content(store, account_id, "data_url", settings["data_url"])
    for name in ("train_url", "log_url"):
        if settings[name]:
            require_bucket(store, account_id, name, settings[name])
    return settings


def make_run(catalogue: Catalogue, identity: Identity, job_name: str, settings: Mapping[str, Any], now: int) -> Run:
    """The run of a new version; its id is also the resource id that the version is charged under."""
    run_id = f"job{new_id().replace('-', '')}"
    return Run(
        id=run_id,
        project_id=identity.project_id,
        node_count=settings["worker_server_num"],
        create_time=now,
        spec=describe_run(catalogue, run_id, job_name, settings) | {"account_id": identity.domain_id},
        flavor_id=settings["spec"]["spec_code"],
    )


def output_place(settings: Mapping[str, Any]) -> str:
    """Bucket and key of the results, the same for every way to write them; empty for none."""
    if not settings["train_url"]:
        return ""
    bucket, key = parse_obs_url(settings["train_url"])
    return f"/{bucket}/{key.rstrip('/')}".rstrip("/") + "/"


def _check_program(catalogue: Catalogue, store: Store, account_id: str, settings: Mapping[str, Any]) -> None:
    """Raise ServiceError unless the settings name one program: a built-in algorithm, a custom image, or own code."""
    given = {name for name in (*OWN_CODE, *IMAGE) if settings[name]}
    if settings["model_id"] is not None:
        if given:
            raise invalid(min(given), "a built-in algorithm (model_id) runs instead: give one of the two")
        _check_built_in(settings)
    elif given & set(IMAGE):
        if "boot_file_url" in given:
            raise invalid("boot_file_url", "a custom image (user_image_url) runs user_command instead")
        for name in IMAGE:
            if name not in given:
                raise invalid(name, "a custom image needs user_image_url and user_command")
        if any(character in settings["user_command"] for character in "\n\r"):
            raise invalid("user_command", "it must be one line")
        if settings["app_url"]:
            inspect_code(store, account_id, settings["app_url"], None, catalogue.limits, OWN_CODE)
    else:
        for name in OWN_CODE:
            if name not in given:
                raise invalid(name, "it is missing: give app_url and boot_file_url, model_id, or user_image_url")
        inspect_code(store, account_id, settings["app_url"], settings["boot_file_url"], catalogue.limits, OWN_CODE)


def _check_built_in(settings: Mapping[str, Any]) -> None:
    algorithm = builtin.every()[settings["model_id"]]
    given = {entry["label"]: entry["value"] for entry in settings["parameter"]}
    known = {entry.label for entry in algorithm.parameters}
    if unknown := sorted(given.keys() - known):
        raise invalid("parameter.label", f"{algorithm.model_name} has no {unknown[0]}: use {', '.join(sorted(known))}")
    for entry in algorithm.parameters:
        if entry.required and not given.get(entry.label, entry.value):
            raise invalid("parameter", f"{algorithm.model_name} needs a value for {entry.label}")
    if not settings["train_url"]:
        raise invalid("train_url", f"it is missing: {algorithm.model_name} writes its model there")
    if settings["worker_server_num"] > 1:
        raise invalid("worker_server_num", f"{algorithm.model_name} runs on one node")
