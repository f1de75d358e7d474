"""`modelarts experiment` and `modelarts job tag`: group jobs and find them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from modelarts_toolkit.cli.groups import Command, Group
from modelarts_toolkit.cli.job_choice import find_job
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, with_terminal
from modelarts_toolkit.texts import when

if TYPE_CHECKING:
    from modelarts_api.v2.models import Experiment, JobTagRequestDict
    from modelarts_toolkit import ModelArts


def tags_of(texts: Iterable[str]) -> dict[str, str | None]:
    """Parse tags such as KEY=VALUE, or KEY for any value; raises UsageError."""
    found: dict[str, str | None] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or key in found:
            raise click.UsageError(f"{text!r} is not a tag: write KEY=VALUE, each key once")
        found[key] = value if equals else None
    return found


@click.command(cls=Command)
@click.argument("job")
@click.argument("tags", nargs=-1, metavar="[KEY=VALUE]...")
@with_options("job tag")
@with_terminal
def tag(terminal: Terminal, job: str, tags: tuple[str, ...], remove: tuple[str, ...]) -> None:
    """Set or remove tags of a job, and show all its tags; a key has one value."""
    given: list[JobTagRequestDict] = [{"key": key, "value": value or ""} for key, value in tags_of(tags).items()]
    ma = terminal.connect()
    key, api = find_job(ma, job, last=False).key, ma.v2.tags
    if remove:
        api.delete_train_job_tags(key, {"tags": [{"key": each} for each in remove]})
    if given:
        api.create_train_job_tags(key, {"tags": given})
    found = api.show_train_job_tags(key).tags or []
    rows = [{"key": each.key, "value": each.value} for each in found]
    terminal.show_rows(rows, [each.to_dict() for each in found], "The job has no tags.")


@click.group(cls=Group)
def experiment() -> None:
    """Experiments: a job joins one when it is created, by metadata.training_experiment_reference."""


@experiment.command("list")
@with_terminal
def list_experiments(terminal: Terminal) -> None:
    """List the experiments of the project, the newest first."""
    found = list(_experiments(terminal.connect()))
    rows = [_fields(each) for each in found]
    terminal.show_rows(rows, [each.to_dict() for each in found], "The project has no experiments.")


@experiment.command("create")
@click.argument("name")
@click.option("--description", default="", help="Description of the experiment.")
@with_terminal
def create(terminal: Terminal, name: str, description: str) -> None:
    """Create an experiment."""
    body: Any = {"metadata": {"name": name} | ({"description": description} if description else {})}
    _show(terminal, terminal.connect().v2.experiments.create_training_experiment(body))


@experiment.command("show")
@click.argument("name", metavar="NAME|ID")
@with_terminal
def show(terminal: Terminal, name: str) -> None:
    """Show an experiment."""
    ma = terminal.connect()
    _show(terminal, ma.v2.experiments.show_training_experiment_details(_id(ma, name)))


@experiment.command("delete")
@click.argument("name", metavar="NAME|ID")
@with_options("deletion")
@with_terminal
def delete(terminal: Terminal, name: str, yes: bool) -> None:
    """Delete an experiment."""
    ma = terminal.connect()
    key = _id(ma, name)
    if not yes:
        click.confirm(f"Delete experiment {name}?", abort=True, err=True)
    ma.v2.experiments.delete_training_experiment(key)
    terminal.note(f"Deleted {name}.")


def _experiments(ma: "ModelArts") -> "Iterable[Experiment]":
    return ma.v2.experiments.iter_training_experiments(sort_by="create_time", order="desc")


def _id(ma: "ModelArts", name: str) -> str:
    """Return the id of the experiment with this name; any other text counts as an id."""
    return next((each.metadata.id for each in _experiments(ma) if each.metadata.name == name), name)


def _show(terminal: Terminal, experiment: "Experiment") -> None:
    terminal.show_fields(
        {name.capitalize(): value for name, value in _fields(experiment).items()}, experiment.to_dict()
    )


def _fields(experiment: "Experiment") -> dict[str, Any]:
    data = experiment.metadata
    return {
        "name": data.name,
        "id": data.id,
        "jobs": None if experiment.statistic is None else experiment.statistic.job_count,
        "created": when(data.created_at),
        "description": data.description,
    }
