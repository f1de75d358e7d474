"""Training job configurations: settings stored under a name; there are no samples, as they use built-in algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Column, false, select

from modelarts_emulator.engine.database import contains
from modelarts_emulator.engine.tables import TEXT, table_of
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.resources import Resource
from modelarts_emulator.service import ModelArts
from modelarts_emulator.v1.conventions import FAILED, MEMBERS, done, page_of
from modelarts_emulator.v1.specifications import ENGINE
from modelarts_emulator.v1.submission import read_settings

SAMPLE = "sample"


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
    """One page of the project's own configurations; none of the samples."""
    page = page_of(call.query, "config_name", "desc")
    with service.database.reading() as connection:
        conditions = [contains(connection, v1_configs.c.name, call.query.get("search_content", ""))]
        if call.query.get("config_type") == SAMPLE:
            conditions.append(false())
        total, found = CONFIGS.page(connection, call.project_id, page, conditions)
    return Response(200, done(config_total_count=total, configs=list(map(_summary, found))))


def show_training_job_config(service: ModelArts, call: Call) -> Response:
    """The configuration with its settings."""
    if call.query.get("config_type") == SAMPLE:
        raise CONFIGS.missing(call.path["config_name"])
    config = CONFIGS.of_path(service.database, call, "config_name")
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
    shown = {name: settings[name] for name in MEMBERS["settings"]}
    of_spec = {name: settings["spec"][name] for name in MEMBERS["spec"]}
    return shown | of_spec | _engine_members(settings) | dict.fromkeys(MEMBERS["lacking"])


def _summary(config: Config) -> dict[str, Any]:
    """An entry of the list of configurations."""
    image = {name: config.document[name] for name in ("user_image_url", "user_command")}
    return {**_described(config), **_engine_members(config.document), **image}


def _described(config: Config) -> dict[str, Any]:
    return {"config_name": config.name, "config_desc": config.description, "create_time": config.create_time}


def _engine_members(settings: Mapping[str, Any]) -> dict[str, Any]:
    engine = settings["engine"] or dict.fromkeys(ENGINE)
    return {name: engine[name] for name in ENGINE}
