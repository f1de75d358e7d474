"""`modelarts v1 config`: stored settings of training jobs."""

from typing import Any

import click

from modelarts_toolkit.cli.groups import Command, Group
from modelarts_toolkit.cli.job import when
from modelarts_toolkit.cli.job_options import describing_a_job, settings_of_options
from modelarts_toolkit.cli.job_submit import locally_checked, prepared, read_plan
from modelarts_toolkit.cli.options import with_sources, with_terminal
from modelarts_toolkit.cli.terminal import Terminal


@click.group(cls=Group, examples=("modelarts v1 config list", "modelarts v1 job submit --config digits"))
def config() -> None:
    """Stored settings of training jobs: configurations."""


@config.command("list", cls=Command, examples=("modelarts v1 config list", "modelarts v1 config list digits -o json"))
@click.argument("name", required=False)
@click.option("--sample", is_flag=True, help="The examples of the service, instead of the project's own.")
@with_terminal
def list_configs(terminal: Terminal, name: str | None, sample: bool) -> None:
    """List configurations; with NAME those that a search for it finds."""
    from modelarts_api.types import UNSET

    found = list(
        terminal.connect().v1.training_job_configs.iter_training_job_configs(
            search_content=name or UNSET, config_type="sample" if sample else "custom"
        )
    )
    rows = [
        {
            "name": each.config_name,
            "created": when(each.created_at),
            "engine": each.engine_version or each.user_image_url,
            "description": each.config_desc,
        }
        for each in found
    ]
    terminal.show_rows(rows, [each.to_dict() for each in found], "No configurations found.")


@config.command(cls=Command, examples=("modelarts v1 config get digits -o yaml",))
@click.argument("name")
@click.option("--sample", is_flag=True, help="An example of the service, instead of one of the project.")
@with_terminal
def get(terminal: Terminal, name: str, sample: bool) -> None:
    """Show a configuration."""
    found = terminal.connect().v1.training_job_configs.show_training_job_config(
        name, config_type="sample" if sample else "custom"
    )
    fields = {
        "Name": found.config_name,
        "Created": when(found.created_at),
        "Description": found.config_desc,
        "Flavor": found.spec_code,
        "Nodes": found.worker_server_num,
        "Engine": found.engine_version,
        "Algorithm": found.model_id,
        "Image": found.user_image_url,
        "Code": found.app_url,
        "Boot file": found.boot_file_url,
        "Parameters": [f"{each.label}={each.value}" for each in found.parameter],
        "Data": found.data_url,
        "Results": found.train_url,
    }
    terminal.show_fields(fields, found.to_dict())


@config.command(
    cls=Command,
    examples=("modelarts v1 config create digits job.yaml", "modelarts v1 config create digits job.yaml --nodes 2"),
)
@click.argument("config_name", metavar="NAME")
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@describing_a_job
@click.option("--replace", is_flag=True, help="Replace the settings of a configuration that there is.")
@with_sources
def create(terminal: Terminal, config_name: str, file: str | None, replace: bool, **given: Any) -> None:
    """Store the settings that a job file or options describe, under a name.

    What is local is uploaded first, as when a job is submitted.
    """
    plan, document = read_plan(file, settings_of_options(given), is_stored=True)
    locally_checked(plan, document, "the configuration was not stored")
    ma = terminal.connect()
    request = prepared(terminal, ma, plan)
    body: Any = {**request["config"], "spec_id": spec_id(ma, request["config"])}
    body.pop("flavor", None)
    if description := request.get("job_desc"):
        body["config_desc"] = description
    api = ma.v1.training_job_configs
    if replace:
        api.update_training_job_config(config_name, body)
    else:
        body["config_name"] = config_name
        api.create_training_job_config(body)
    terminal.note(f"Stored {config_name}: modelarts v1 job submit --config {config_name} runs it.")


@config.command(cls=Command, examples=("modelarts v1 config delete digits --yes",))
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@with_terminal
def delete(terminal: Terminal, name: str, yes: bool) -> None:
    """Delete a configuration."""
    if not yes:
        click.confirm(f"Delete configuration {name}?", abort=True, err=True)
    terminal.connect().v1.training_job_configs.delete_training_job_config(name)
    terminal.note(f"Deleted {name}.")


def spec_id(ma: Any, config: dict[str, Any]) -> int:
    """The number of the flavor, which configurations want instead of its name; raises UsageError for none."""
    if "spec_id" in config:
        return int(config["spec_id"])
    code = config.get("flavor", {}).get("code")
    if code is None:
        raise click.UsageError("flavor is missing: modelarts v1 flavor list shows the flavors")
    specs = {each.spec_code: each.spec_id for each in ma.v1.resource_specs.list_job_resource_specs().specs}
    if code not in specs:
        raise click.UsageError(f"there is no flavor {code}: modelarts v1 flavor list shows those that there are")
    return int(specs[code])
