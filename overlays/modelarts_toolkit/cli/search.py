"""`modelarts search`: hyperparameter searches."""

from typing import TYPE_CHECKING, Any

import click

from . import completion_values
from .groups import Command, Group
from .job_choice import chosen_by_argument, find_job
from .options import with_terminal
from .terminal import Terminal

if TYPE_CHECKING:
    from modelarts_toolkit import Job


@click.group(cls=Group, examples=("modelarts search trials JOB", "modelarts search best --last"))
def search() -> None:
    """Hyperparameter searches: their trials, and the best of them."""


@search.command(cls=Command, examples=("modelarts search algorithms",))
@with_terminal
def algorithms(terminal: Terminal) -> None:
    """List the search algorithms that the service has."""
    found = terminal.connect().v2.hyperparameter_searches.show_search_algorithms().search_algo_list
    rows = [{"name": each.name, "description": each.description} for each in found]
    terminal.show_rows(rows, [each.to_dict() for each in found], "There are none.")


@search.command(cls=Command, examples=("modelarts search trials JOB -o json",))
@chosen_by_argument
@with_terminal
def trials(terminal: Terminal, job: str | None, last: bool) -> None:
    """List the trials of a job that searches hyperparameters."""
    rows = find_job(terminal.connect(), job, last=last).trials()
    terminal.show_rows(rows, list(rows), "There are no trials yet.")


@search.command(cls=Command, examples=("modelarts search best JOB", "modelarts search best --last --metric accuracy"))
@chosen_by_argument
@click.option("--metric", metavar="NAME", help="Column that decides.  [default: the metric of the search]")
@click.option("--smallest/--largest", default=None, help="Which value is best.  [default: as the search says]")
@with_terminal
def best(terminal: Terminal, job: str | None, last: bool, metric: str | None, smallest: bool | None) -> None:
    """Show the best trial."""
    found = find_job(terminal.connect(), job, last=last)
    name, is_smallest = reward_of(found)
    name, is_smallest = metric or name, is_smallest if smallest is None else smallest
    rows = found.trials()
    if name is None:
        raise click.UsageError("this job names no metric: give --metric")
    if rows and name not in rows[0]:
        raise click.UsageError(f"the trials have no column {name}: there are {', '.join(rows[0])}")
    valued = [row for row in rows if _number(row.get(name)) is not None]
    if not valued:
        raise click.ClickException(f"no trial has a value of {name} yet")
    row = (min if is_smallest else max)(valued, key=lambda row: _number(row[name]) or 0.0)
    terminal.show_fields(row, row)


@search.command(cls=Command, examples=("modelarts search stop JOB TRIAL",))
@click.argument("job", shell_complete=completion_values.jobs)
@click.argument("trial")
@with_terminal
def stop(terminal: Terminal, job: str, trial: str) -> None:
    """Stop one trial; `modelarts job stop` stops the whole search."""
    ma = terminal.connect()
    found = find_job(ma, job, last=False)
    ma.v2.hyperparameter_searches.stop_auto_search_trial(found.id, trial)
    terminal.note(f"Stopped trial {trial} of {found.name}.")


def reward_of(job: "Job") -> tuple[str | None, bool]:
    """The metric of the search, and whether its smallest value is best."""
    from modelarts_toolkit.job_state import models_at, value_at

    rewards = models_at(job.details, "algorithm", "policies", "auto_search", "reward_attrs")
    return (value_at(rewards[0], "name"), value_at(rewards[0], "mode") == "min") if rewards else (None, False)


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
