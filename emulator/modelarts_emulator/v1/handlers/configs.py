"""Training job configurations: settings that are stored under a name."""

from __future__ import annotations

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.v1 import configs
from modelarts_emulator.v1.configs import Config
from modelarts_emulator.v1.context import V1
from modelarts_emulator.v1.training_settings import read_settings
from modelarts_emulator.v1.views import config_summary, config_view, done

__all__ = [
    "create_training_job_config",
    "delete_training_job_config",
    "list_training_job_configs",
    "show_training_job_config",
    "update_training_job_config",
]

SAMPLE = "sample"


def create_training_job_config(v1: V1, call: Call) -> Response:
    """Store the settings; that their OBS paths exist is checked when a job uses them."""
    request = call.body
    settings = read_settings(v1.catalogue, request)
    config = Config(request["config_name"], request.get("config_desc", ""), v1.now(), settings)
    with v1.database.writing() as connection:
        configs.add(connection, call.project_id, config)
    return Response(200, done())


def list_training_job_configs(v1: V1, call: Call) -> Response:
    """One page of the project's own configurations, or of the samples."""
    if call.query.get("config_type") == SAMPLE:
        total, found = configs.search_samples(v1.catalogue, call.query)
    else:
        with v1.database.reading() as connection:
            total, found = configs.search(connection, call.project_id, call.query)
    return Response(200, done(config_total_count=total, configs=list(map(config_summary, found))))


def show_training_job_config(v1: V1, call: Call) -> Response:
    """The configuration with its settings."""
    name = call.path["config_name"]
    if call.query.get("config_type") == SAMPLE:
        return Response(200, config_view(configs.sample(v1.catalogue, name)))
    with v1.database.reading() as connection:
        return Response(200, config_view(configs.find(connection, call.project_id, name)))


def update_training_job_config(v1: V1, call: Call) -> Response:
    """Replace the settings and the description; name and time stay."""
    settings = read_settings(v1.catalogue, call.body)
    description = call.body.get("config_desc", "")
    with v1.database.writing() as connection:
        configs.replace_settings(connection, call.project_id, call.path["config_name"], description, settings)
    return Response(200, done())


def delete_training_job_config(v1: V1, call: Call) -> Response:
    """Remove the configuration; jobs do not depend on it."""
    with v1.database.writing() as connection:
        configs.remove(connection, call.project_id, call.path["config_name"])
    return Response(200, done())
