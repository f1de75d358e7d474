"""`modelarts search`: hyperparameter searches."""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from . import completion_values
from .groups import Command, Group
from .job import lasted
from .job_choice import chosen_by_argument, find_job
from .options import with_terminal
from .terminal import Terminal

if TYPE_CHECKING:
    from modelarts_toolkit import Job

Row = Mapping[str, Any]

_NUMBER = re.compile(
    r"(?:tensor\()?([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(?:$|[,)])"
)  # also as PyTorch prints it
_REPEATED = ("trial_index", "param/")  # what the service says twice of a trial's configuration


@click.group(cls=Group, examples=("modelarts search trials JOB", "modelarts search best --last"))
def search() -> None:
    """Hyperparameter searches: their trials, and the best of them."""


@search.command(cls=Command, examples=("modelarts search algorithms",))
@with_terminal
def algorithms(terminal: Terminal) -> None:
    """List the search algorithms that the service has."""
    found = terminal.connect().v2.hyperparameter_searches.show_search_algorithms().search_algo_list
    rows = [{"name": each.name, "description": each.description} for each in found]
    terminal.show_rows(rows, [each.to_dict() for each in found], "No search algorithms found.")


@search.command(cls=Command, examples=("modelarts search trials JOB -o json",))
@chosen_by_argument
@with_terminal
def trials(terminal: Terminal, job: str | None, last: bool) -> None:
    """List the trials of a job that searches hyperparameters, the best one first.

    -o json prints every column that the service has.
    """
    found = find_job(terminal.connect(), job, last=last)
    rows = found.trials()
    metrics, is_smallest = rewards_of(found)
    ranking = ranked(rows, metrics[0], is_smallest=is_smallest) if metrics else list(rows)
    best = ranking[0] if metrics and ranking and number_in(ranking[0].get(metrics[0])) is not None else None
    shown = [{"best": "*" if row is best else "", **summary(row, metrics)} for row in ranking]
    terminal.show_rows(shown, list(rows), "There are no trials yet.")


@search.command(cls=Command, examples=("modelarts search best JOB", "modelarts search best --last --metric accuracy"))
@chosen_by_argument
@click.option("--metric", metavar="NAME", help="Column that decides.  [default: the metric of the search]")
@click.option("--smallest/--largest", default=None, help="Which value is best.  [default: as the search says]")
@with_terminal
def best(terminal: Terminal, job: str | None, last: bool, metric: str | None, smallest: bool | None) -> None:
    """Show the best trial, and the command that trains with its hyperparameters."""
    found = find_job(terminal.connect(), job, last=last)
    metrics, is_smallest = rewards_of(found)
    name = metric or next(iter(metrics), None)
    rows = found.trials()
    if name is None:
        raise click.UsageError("this job names no metric: give --metric")
    if rows and name not in rows[0]:
        raise click.UsageError(f"the trials have no column {name}: there are {', '.join(rows[0])}")
    ranking = ranked(rows, name, is_smallest=is_smallest if smallest is None else smallest)
    if not ranking or number_in(ranking[0].get(name)) is None:
        raise click.ClickException(f"no trial has a value of {name} yet")
    row = ranking[0]
    terminal.show_fields(summary(row, [name, *(each for each in metrics if each != name)]), row)
    terminal.note(f"Train with it: modelarts job rerun {found.name} --trial {row.get('trial_id')}")


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


def rewards_of(job: "Job") -> tuple[list[str], bool]:
    """The metrics of the search, the one that decides first, and whether its smallest value is best."""
    from modelarts_toolkit.jobs.state import models_at, value_at

    rewards = models_at(job.details, "algorithm", "policies", "auto_search", "reward_attrs")
    names = [str(name) for each in rewards if (name := value_at(each, "name"))]
    return names, bool(rewards) and value_at(rewards[0], "mode") == "min"


def ranked(rows: Sequence[Row], metric: str, *, is_smallest: bool) -> list[Row]:
    """The trials, the best one first; those without a value of the metric come last."""

    def key(row: Row) -> float:
        value = number_in(row.get(metric))
        return math.inf if value is None else value if is_smallest else -value

    return sorted(rows, key=key)


def summary(row: Row, metrics: Sequence[str]) -> dict[str, Any]:
    """What people look for in a trial: metrics with four digits, hyperparameters, and how it ended."""
    seconds = number_in(row.get("time_total_s"))
    return {
        **{name: _short(row.get(name)) for name in metrics},
        **{name: _short(value) for name, value in configuration(row).items()},
        "status": row.get("status"),
        "time": "" if seconds is None else lasted(timedelta(seconds=seconds)),
        "trial": row.get("trial_id"),
        "number": row.get("number"),
    }


def configuration(row: Row) -> dict[str, Any]:
    """The hyperparameters of a trial."""
    config = row.get("config")
    found = config if isinstance(config, Mapping) else {}
    return {name: value for name, value in found.items() if not name.startswith(_REPEATED)}


def number_in(value: Any) -> float | None:
    """The number that a cell holds as text; None for anything else."""
    found = _NUMBER.match(str(value))
    return None if found is None else float(found[1])


def _short(value: Any) -> Any:
    number = number_in(value)
    return value if number is None else f"{number:.4g}"
