"""Settings stored under a name: those of users in a table, and samples that are made of the built-in algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from modelarts_emulator.engine.database import contains, ordered
from modelarts_emulator.engine.tables import v1_configs
from modelarts_emulator.http.errors import ServiceError
from modelarts_emulator.settings.catalogue import Catalogue
from modelarts_emulator.v1 import builtin
from modelarts_emulator.v1.errors import FAILED, invalid
from modelarts_emulator.v1.paging import read_page
from modelarts_emulator.v1.training_settings import read_settings

__all__ = ["Config", "add", "find", "remove", "replace_settings", "sample", "samples", "search", "search_samples"]


@dataclass(frozen=True, slots=True)
class Config:
    """Settings, as `training_settings` reads them, with their name; `create_time` in milliseconds."""

    name: str
    description: str
    create_time: int
    document: dict[str, Any]


COLUMNS = tuple(v1_configs.c[entry.name] for entry in fields(Config))
SORTS = {
    "config_name": v1_configs.c.name,
    "config_desc": v1_configs.c.description,
    "create_time": v1_configs.c.create_time,
}
SAMPLE_SORTS = {"config_name": "name", "config_desc": "description"}
SAMPLE_SPEC_ID = 7


def find(connection: Connection, project_id: str, name: str) -> Config:
    """The project's configuration of this name; raises ServiceError (0105) if the project has none."""
    row = connection.execute(select(*COLUMNS).where(*_is(project_id, name))).one_or_none()
    if row is None:
        raise _unknown(name)
    return Config(**row._mapping)


def search(connection: Connection, project_id: str, query: Mapping[str, Any]) -> tuple[int, list[Config]]:
    """How many of the project's configurations meet the conditions, and those on the page."""
    found = select(*COLUMNS).where(
        v1_configs.c.project_id == project_id, contains(connection, v1_configs.c.name, query.get("search_content", ""))
    )
    columns = [SORTS[query.get("sortBy", "config_name")], v1_configs.c.name]
    rank = ordered(columns, query.get("order", "desc") != "desc")
    total = len(connection.execute(found.with_only_columns(v1_configs.c.name)).all())
    offset, limit = read_page(query)
    rows = connection.execute(found.order_by(*rank).offset(offset).limit(limit))
    return total, [Config(**row._mapping) for row in rows]


def add(connection: Connection, project_id: str, config: Config) -> None:
    """Store a configuration; raises ServiceError (0105) if the project has one of this name."""
    values = {entry.name: getattr(config, entry.name) for entry in fields(Config)}
    try:
        connection.execute(insert(v1_configs), values | {"project_id": project_id})
    except IntegrityError:
        raise ServiceError(FAILED, f"Config name:{config.name} is existed") from None


def replace_settings(
    connection: Connection, project_id: str, name: str, description: str, document: dict[str, Any]
) -> None:
    """Replace everything but the name and the time; raises ServiceError (0105) if there is no such configuration."""
    changed = update(v1_configs).where(*_is(project_id, name)).values(description=description, document=document)
    if not connection.execute(changed).rowcount:
        raise _unknown(name)


def remove(connection: Connection, project_id: str, name: str) -> None:
    """Delete a configuration; raises ServiceError (0105) if there is none of this name."""
    if not connection.execute(delete(v1_configs).where(*_is(project_id, name))).rowcount:
        raise _unknown(name)


def samples(catalogue: Catalogue) -> list[Config]:
    """A configuration for each built-in algorithm, with the algorithm's own hyperparameters."""
    return [
        Config(
            name=f"sample-{algorithm.model_name}",
            description=f"Trains {algorithm.model_name} on one node.",
            create_time=algorithm.shown["create_time"],
            document=read_settings(
                catalogue,
                {
                    "worker_server_num": 1,
                    "spec_id": SAMPLE_SPEC_ID,
                    "model_id": algorithm.model_id,
                    "parameter": [{"label": entry.label, "value": entry.value} for entry in algorithm.parameters],
                },
            ),
        )
        for algorithm in builtin.every().values()
    ]


def sample(catalogue: Catalogue, name: str) -> Config:
    """The sample of this name; raises ServiceError (0105) if there is none."""
    for config in samples(catalogue):
        if config.name == name:
            return config
    raise _unknown(name)


def search_samples(catalogue: Catalogue, query: Mapping[str, Any]) -> tuple[int, list[Config]]:
    """As `search`, of the samples; raises ServiceError (0104) for an order by time, which samples do not have."""
    sort_by = query.get("sortBy", "config_name")
    if sort_by not in SAMPLE_SORTS:
        raise invalid("sortBy", f"samples are not sorted by {sort_by}: use {' or '.join(SAMPLE_SORTS)}")
    text = query.get("search_content", "").lower()
    found = [config for config in samples(catalogue) if text in config.name.lower()]
    found.sort(key=lambda config: str(getattr(config, SAMPLE_SORTS[sort_by])), reverse=query.get("order") != "asc")
    offset, limit = read_page(query)
    return len(found), found[offset : offset + limit]


def _is(project_id: str, name: str) -> tuple[Any, Any]:
    return v1_configs.c.project_id == project_id, v1_configs.c.name == name


def _unknown(name: str) -> ServiceError:
    return ServiceError(FAILED, f"Training job configuration {name} does not exist.")
