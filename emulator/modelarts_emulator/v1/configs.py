"""Training job configurations: settings stored under a name.

Those of users are in a table; samples are made of the built-in algorithms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Column, select

from modelarts_emulator.engine.database import contains
from modelarts_emulator.engine.tables import TEXT, table_of
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.resources import Resource
from modelarts_emulator.service import ModelArts
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.v1 import builtin
from modelarts_emulator.v1.conventions import FAILED, done, page_of
from modelarts_emulator.v1.specifications import ENGINE
from modelarts_emulator.v1.submission import read_settings

SAMPLE = "sample"
SAMPLE_SPEC_ID = 7

SETTINGS = (
    "worker_server_num",
    "app_url",
    "boot_file_url",
    "model_id",
    "parameter",
    "data_url",
    "data_source",
    "train_url",
    "log_url",
    "user_image_url",
    "user_command",
)
OF_SPEC = ("spec_id", "spec_code", "core", "cpu", "gpu_num", "gpu_type")
# Members of the examples that stand for what the emulator does not have: datasets, volumes, NPUs, searches, ...
LACKING = (
    "dataset_id",
    "dataset_name",
    "dataset_version_id",
    "dataset_version_name",
    "volumes",
    "nas_type",
    "nas_share_addr",
    "nas_mount_path",
)


@dataclass(frozen=True, slots=True)
class Config:
    """Settings, as `read_settings` reads them, with their name; `create_time` in milliseconds."""

    name: str
    description: str
    create_time: int
    document: dict[str, Any]


v1_configs = table_of(Config, "v1_configs", Column("project_id", TEXT, primary_key=True), key=("name",))
CONFIGS: Resource[Config] = Resource(
    key=v1_configs.c.name,
    scope=v1_configs.c.project_id,
    rows=select(*(v1_configs.c[entry.name] for entry in fields(Config))),
    read=lambda row: Config(**row._mapping),
    missing=lambda name: ServiceError(FAILED, f"Training job configuration {name} does not exist."),
    in_use=lambda name: ServiceError(FAILED, f"Config name:{name} is existed"),
    sorts={
        "config_name": v1_configs.c.name,
        "config_desc": v1_configs.c.description,
        "create_time": v1_configs.c.create_time,
    },
)


def create_training_job_config(service: ModelArts, call: Call) -> Response:
    """Store the settings; that their OBS paths exist is checked when a job uses them."""
    values = {
        "project_id": call.project_id,
        "name": call.body["config_name"],
        "description": call.body.get("config_desc", ""),
        "create_time": service.now(),
        "document": read_settings(service.catalogue, call.body),
    }
    with service.database.writing() as connection:
        CONFIGS.add(connection, values)
    return Response(200, done())


def list_training_job_configs(service: ModelArts, call: Call) -> Response:
    """One page of the project's own configurations, or of the samples."""
    query = call.query
    text = query.get("search_content", "")
    page = page_of(query, "config_name", "desc")
    if query.get("config_type") == SAMPLE:
        samples = [config for config in _samples(service.catalogue) if text.lower() in config.name.lower()]
        total, found = len(samples), samples[page.start : page.start + page.limit]
    else:
        with service.database.reading() as connection:
            condition = contains(connection, v1_configs.c.name, text)
            total, found = CONFIGS.page(connection, call.project_id, page, [condition])
    return Response(200, done(config_total_count=total, configs=list(map(_summary, found))))


def show_training_job_config(service: ModelArts, call: Call) -> Response:
    """The configuration with its settings."""
    if call.query.get("config_type") == SAMPLE:
        config = _sample(service, call)
    else:
        with service.database.reading() as connection:
            config = CONFIGS.find(connection, call.project_id, call.path["config_name"])
    shown = {**_described(config), **settings_members(config.document)}
    return Response(200, done(**shown, pool_id=None, pool_name=None))


def update_training_job_config(service: ModelArts, call: Call) -> Response:
    """Replace the settings and the description; name and time stay."""
    settings = read_settings(service.catalogue, call.body)
    changed = {"description": call.body.get("config_desc", ""), "document": settings}
    with service.database.writing() as connection:
        CONFIGS.change(connection, call.project_id, call.path["config_name"], **changed)
    return Response(200, done())


def delete_training_job_config(service: ModelArts, call: Call) -> Response:
    """Remove the configuration; jobs do not depend on it."""
    with service.database.writing() as connection:
        CONFIGS.remove(connection, call.project_id, call.path["config_name"])
    return Response(200, done())


def settings_members(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings, as responses have them; what the emulator does not have is null."""
    shown = {name: settings[name] for name in SETTINGS} | {name: settings["spec"][name] for name in OF_SPEC}
    return shown | _engine_members(settings) | dict.fromkeys(LACKING)


def _sample(service: ModelArts, call: Call) -> Config:
    for config in _samples(service.catalogue):
        if config.name == call.path["config_name"]:
            return config
    raise CONFIGS.missing(call.path["config_name"])


def _samples(catalogue: Catalogue) -> list[Config]:
    """A configuration for each built-in algorithm, with the algorithm's own hyperparameters."""
    samples = []
    for algorithm in builtin.every().values():
        name, parameters = algorithm["model_name"], algorithm["parameter"]
        given = {"worker_server_num": 1, "spec_id": SAMPLE_SPEC_ID, "model_id": algorithm["model_id"]}
        given["parameter"] = [{"label": entry["label"], "value": entry["value"]} for entry in parameters]
        settings = read_settings(catalogue, given)
        samples.append(Config(f"sample-{name}", f"Trains {name} on one node.", algorithm["create_time"], settings))
    return samples


def _summary(config: Config) -> dict[str, Any]:
    """An entry of the list of configurations."""
    image = {name: config.document[name] for name in ("user_image_url", "user_command")}
    return {**_described(config), **_engine_members(config.document), **image}


def _described(config: Config) -> dict[str, Any]:
    return {"config_name": config.name, "config_desc": config.description, "create_time": config.create_time}


def _engine_members(settings: Mapping[str, Any]) -> dict[str, Any]:
    engine = settings["engine"] or dict.fromkeys(ENGINE)
    return {name: engine[name] for name in ENGINE}
