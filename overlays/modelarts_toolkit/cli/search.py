"""`modelarts search`: hyperparameter searches."""

from typing import TYPE_CHECKING

import click

from modelarts_toolkit.cli.groups import Group
from modelarts_toolkit.cli.job_choice import chosen_by_argument, find_job
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, with_terminal
from modelarts_toolkit.jobs.trials import Ranking, is_search

if TYPE_CHECKING:
    from modelarts_toolkit import Job


@click.group(cls=Group)
def search() -> None:
    """Hyperparameter searches: trials, and the best trial."""


@search.command()
@chosen_by_argument
@with_terminal
def trials(terminal: Terminal, job: str | None, last: bool) -> None:
    """List the trials of a job that searches hyperparameters, the best one first.

    -o json prints all columns.
    """
    found = find_search(terminal, job, last=last)
    rows = found.trials()
    ranking = Ranking.of(found.details, rows)
    shown = [{"best": "*" if row is ranking.best else "", **ranking.summary(row)} for row in ranking.rows]
    terminal.show_rows(shown, list(rows), "No trials yet.")
    if terminal.format == "table" and any(row.get("status") == "TERMINATED" for row in rows):
        terminal.note("TERMINATED is the service's word for a trial that has ended without an error.")


@search.command()
@chosen_by_argument
@with_options("search best")
@with_terminal
def best(terminal: Terminal, job: str | None, last: bool, metric: str | None, smallest: bool | None) -> None:
    """Show the best trial, and the command that trains with its hyperparameters."""
    found = find_search(terminal, job, last=last)
    rows = found.trials()
    ranking = Ranking.of(found.details, rows, metric=metric, is_smallest=smallest)
    if not ranking.metrics:
        raise click.UsageError("this job names no metric: give --metric")
    name = ranking.metrics[0]
    if rows and name not in rows[0]:
        raise click.UsageError(f"the trials have no column {name}: use one of {', '.join(rows[0])}")
    if (row := ranking.best) is None:
        raise click.ClickException(f"no trial has a value of {name} yet")
    terminal.show_fields(ranking.summary(row), row)
    terminal.note(f"Train with it: modelarts job rerun {found.name} --trial {row.get('trial_id')}")


def find_search(terminal: Terminal, job: str | None, *, last: bool) -> "Job":
    """Find the job; raises ClickException if it is not a search."""
    found = find_job(terminal.connect(), job, last=last)
    if not is_search(found.details):
        raise click.ClickException(f"{found.name} is not a search: its request has no policies.auto_search")
    return found


@search.command()
@click.argument("job")
@click.argument("trial")
@with_terminal
def stop(terminal: Terminal, job: str, trial: str) -> None:
    """Stop one trial; `modelarts job stop` stops the whole search."""
    ma = terminal.connect()
    found = find_job(ma, job, last=False)
    ma.v2.hyperparameter_searches.stop_auto_search_trial(found.id, trial)
    terminal.note(f"Stopped trial {trial} of {found.name}.")
