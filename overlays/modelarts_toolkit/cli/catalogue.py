"""`modelarts flavor`, `engine` and `algorithm`, also of `modelarts v1`: list what jobs can use."""

from typing import TYPE_CHECKING, Any

import click

from modelarts_toolkit.cli.escapes import escaped
from modelarts_toolkit.cli.groups import Group
from modelarts_toolkit.cli.job_choice import is_v1
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, with_terminal
from modelarts_toolkit.reading import entries, part, present, read
from modelarts_toolkit.texts import when

if TYPE_CHECKING:
    from modelarts_api.v2.models import Flavor


@click.group(cls=Group)
def flavor() -> None:
    """Kinds of nodes."""


@flavor.command("list")
@click.option("--type", "flavor_type", type=click.Choice(["CPU", "GPU", "Ascend"], case_sensitive=False), default=None)
@with_terminal
def list_flavors(terminal: Terminal, flavor_type: Any) -> None:
    """List the flavors that jobs can use."""
    from modelarts_api.types import UNSET

    found = terminal.connect().v2.flavors.show_training_job_flavors(flavor_type=flavor_type or UNSET).flavors
    terminal.show_rows([_flavor_row(each) for each in found], [each.to_dict() for each in found], "No flavors found.")


def _flavor_row(flavor: "Flavor") -> dict[str, Any]:
    info = flavor.flavor_info
    gpu, npu, memory = part(lambda: info.gpu), part(lambda: info.npu), part(lambda: info.memory)
    chips = gpu or npu
    return {
        "flavor": flavor.flavor_id,
        "type": flavor.flavor_type,
        "cores": read(lambda: info.cpu.core_num, int),
        "memory": f"{memory.size or ''} {memory.unit or ''}".strip() if memory else "",
        "accelerators": f"{chips.unit_num} {chips.product_name or ''}".strip() if chips else "",
        "nodes": read(lambda: info.max_num, int),
    }


@click.group(cls=Group)
def engine() -> None:
    """Engines: frameworks with their versions."""


@engine.command("list")
@click.argument("name", required=False)
@with_terminal
def list_engines(terminal: Terminal, name: str | None) -> None:
    """List the engines; with NAME, only those whose name, version or id contains it. Ids of version 1 are numbers."""
    ma = terminal.connect()
    known = ma.v1.engines.list_job_engines().engines if is_v1() else ma.v2.engines.show_training_job_engines().items
    found = [
        each
        for each in known
        if not name or name.lower() in f"{each.engine_id} {each.engine_name} {each.engine_version}".lower()
    ]
    rows = [{"name": each.engine_name, "id": each.engine_id, "version": each.engine_version} for each in found]
    terminal.show_rows(rows, [each.to_dict() for each in found], "No engines found.")


@click.group(cls=Group)
def algorithm() -> None:
    """Stored algorithms."""


@algorithm.command("list")
@with_terminal
def list_algorithms(terminal: Terminal) -> None:
    """List the algorithms of the project, the newest first."""
    found = list(terminal.connect().v2.algorithms.iter_algorithms(sort_by="create_time", order="desc"))
    rows = [
        {"name": each.metadata.name, "id": each.metadata.id, "created": when(each.metadata.created_at)}
        for each in found
    ]
    terminal.show_rows(rows, [each.to_dict() for each in found], "The project has no algorithms.")


@algorithm.command("create")
@click.argument("file", type=click.Path(allow_dash=True))
@with_terminal
def create_algorithm(terminal: Terminal, file: str) -> None:
    """Create an algorithm, and print its id.

    FILE is YAML or JSON with the fields of the request (metadata, job_config, ...); - is standard input.
    """
    from modelarts_toolkit.jobfiles.file import read_job_file

    body: Any = read_job_file(file).document
    created = terminal.connect().v2.algorithms.create_algorithm(body)
    if not terminal.show_document(created.to_dict()):
        click.echo(escaped(str(created.metadata.id)))
    terminal.note(f"Created algorithm {created.metadata.name}.")


@algorithm.command("get")
@click.argument("algorithm_id", metavar="ID")
@with_terminal
def get_algorithm(terminal: Terminal, algorithm_id: str) -> None:
    """Show an algorithm."""
    found = terminal.connect().v2.algorithms.show_algorithm_by_uuid(algorithm_id)
    config = found.job_config
    fields = {
        "Name": found.metadata.name,
        "Id": found.metadata.id,
        "Created": when(found.metadata.created_at),
        "Description": found.metadata.description,
        "Code": read(lambda: config.code_dir, str),
        "Boot file": read(lambda: config.boot_file, str),
        "Engine": read(lambda: present(config.engine).engine_version or present(config.engine).engine_id, str),
        "Inputs": [each.name for each in entries(lambda: config.inputs)],
        "Outputs": [each.name for each in entries(lambda: config.outputs)],
        "Parameters": [each.name for each in entries(lambda: config.parameters)],
    }
    terminal.show_fields(fields, found.to_dict())


@algorithm.command("delete")
@click.argument("algorithm_id", metavar="ID")
@with_options("deletion")
@with_terminal
def delete_algorithm(terminal: Terminal, algorithm_id: str, yes: bool) -> None:
    """Delete an algorithm; jobs created from it keep their settings."""
    if not yes:
        click.confirm(f"Delete algorithm {algorithm_id}?", abort=True, err=True)
    terminal.connect().v2.algorithms.delete_algorithm(algorithm_id)
    terminal.note(f"Deleted {algorithm_id}.")


@click.group("flavor", cls=Group)
def v1_flavor() -> None:
    """Kinds of nodes of version 1."""


@v1_flavor.command("list")
@with_terminal
def list_v1_flavors(terminal: Terminal) -> None:
    """List the resource specifications that jobs can use."""
    found = terminal.connect().v1.resource_specs.list_job_resource_specs().specs
    rows = [
        {
            "flavor": each.spec_code,
            "id": each.spec_id,
            "cores": each.core,
            "memory": f"{each.cpu} GB",
            "accelerators": f"{each.gpu_num} {each.gpu_type or ''}".strip() if each.gpu_num else "",
            "nodes": each.max_num,
        }
        for each in found
    ]
    terminal.show_rows(rows, [each.to_dict() for each in found], "No flavors found.")
