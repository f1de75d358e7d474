"""`modelarts v1`: the first version of the API, and `modelarts v1 version`."""

from typing import Any

import click

from modelarts_toolkit.cli.groups import MENUS, Group
from modelarts_toolkit.cli.job_choice import chosen_by_argument, find_version
from modelarts_toolkit.cli.job_submit import follow, note_shared
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, with_terminal
from modelarts_toolkit.texts import lasted, when


@click.group(cls=Group, lazy=MENUS["v1"])
def v1() -> None:
    """The first version of the training API, which the service keeps for old clients."""


@click.group(cls=Group)
def version() -> None:
    """Versions of a training job; each has its own settings, status and log."""


@version.command("list")
@chosen_by_argument
@with_terminal
def list_versions(terminal: Terminal, job: str | None, last: bool) -> None:
    """List the versions of a job, the oldest first."""
    ma = terminal.connect()
    found = ma.v1_jobs.versions(find_version(ma, job, last=last))
    rows = [
        {
            "version": each.details.version_name,
            "id": each.version_id,
            "status": each.phase,
            "created": when(each.created_at),
            "ran": lasted(each.running_time),
            "parameters": [f"{one.label}={one.value}" for one in each.details.parameter],
        }
        for each in found
    ]
    terminal.show_rows(rows, [each.details.to_dict() for each in found], "The job has no versions.")


@version.command()
@chosen_by_argument
@with_options("v1 version create")
@with_terminal
def create(
    terminal: Terminal,
    job: str | None,
    last: bool,
    parameters: tuple[str, ...],
    nodes: int | None,
    flavor: str | None,
    train_url: str | None,
    detach: bool,
) -> None:
    """Run a job again as a new version, and follow it; options change settings of the earlier version."""
    from modelarts_toolkit.jobfiles.settings import by_name

    ma = terminal.connect()
    before = find_version(ma, job, last=last)
    given = {"worker_server_num": nodes, "train_url": train_url, "flavor": flavor and {"code": flavor}}
    changes: Any = {name: value for name, value in given.items() if value is not None}
    created = ma.v1_jobs.submit_version(before, changes, parameters=by_name("parameters", parameters))
    terminal.note(f"Created {created.name}, with the settings of {before.details.version_name}.")
    note_shared(terminal, before, created, () if train_url else before.outputs().values())
    follow(terminal, created, detach=detach)


@version.command()
@chosen_by_argument
@with_options("deletion")
@with_terminal
def delete(terminal: Terminal, job: str | None, last: bool, yes: bool) -> None:
    """Delete a version; its job stays."""
    found = find_version(terminal.connect(), job, last=last)
    if not yes:
        click.confirm(f"Delete {found.name}?", abort=True, err=True)
    found.delete_version()
    terminal.note(f"Deleted {found.name}.")
