"""`modelarts v1 engine`, `flavor` and `algorithm`: what jobs of version 1 can be made of."""

import click

from modelarts_toolkit.cli.groups import Command, Group
from modelarts_toolkit.cli.options import with_terminal
from modelarts_toolkit.cli.terminal import Terminal, size_text


@click.group(cls=Group, examples=("modelarts v1 engine list",))
def engine() -> None:
    """Engines of this version, which have numbers."""


@engine.command("list", cls=Command, examples=("modelarts v1 engine list", "modelarts v1 engine list tf -o yaml"))
@click.argument("name", required=False)
@with_terminal
def list_engines(terminal: Terminal, name: str | None) -> None:
    """List the engines; with NAME those whose name or version contains it."""
    found = [
        each
        for each in terminal.connect().v1.engines.list_job_engines().engines
        if not name or name.lower() in f"{each.engine_name} {each.engine_version}".lower()
    ]
    rows = [{"id": each.engine_id, "name": each.engine_name, "version": each.engine_version} for each in found]
    terminal.show_rows(rows, [each.to_dict() for each in found], "No engines found.")


@click.group(cls=Group, examples=("modelarts v1 flavor list",))
def flavor() -> None:
    """Kinds of nodes of this version."""


@flavor.command("list", cls=Command, examples=("modelarts v1 flavor list", "modelarts v1 flavor list -o json"))
@with_terminal
def list_flavors(terminal: Terminal) -> None:
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


@click.group(cls=Group, examples=("modelarts v1 algorithm list",))
def algorithm() -> None:
    """Built-in algorithms, which jobs name by model_id."""


@algorithm.command("list", cls=Command, examples=("modelarts v1 algorithm list", "... image -o json"))
@click.argument("name", required=False)
@with_terminal
def list_algorithms(terminal: Terminal, name: str | None) -> None:
    """List the built-in algorithms; with NAME those that a search for it finds."""
    from modelarts_api.types import UNSET

    found = list(terminal.connect().v1.built_in_algorithms.iter_built_in_algorithms(search_content=name or UNSET))
    rows = [
        {
            "id": each.model_id,
            "name": each.model_name,
            "engine": each.engine_version,
            "precision": each.model_precision,
            "size": size_text(each.model_size or 0),
        }
        for each in found
    ]
    terminal.show_rows(rows, [each.to_dict() for each in found], "No algorithms found.")
