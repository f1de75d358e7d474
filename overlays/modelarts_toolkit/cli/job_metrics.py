"""`modelarts job metrics`: the use of nodes as charts in the terminal, and what the job reports."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.job_choice import chosen_by_argument, find_job
from modelarts_toolkit.cli.terminal import Terminal, sparkline, with_terminal

if TYPE_CHECKING:
    from modelarts_toolkit.jobs.curves import Curve

WIDTH = 60  # characters of a chart, at most
NOTHING = "No measurements yet: the service measures once a minute."


@click.command(cls=Command)
@chosen_by_argument
@click.option("--task", metavar="TASK", help="Only this task, such as worker-1.  [default: all]")
@click.option("--own", is_flag=True, help="Curves of the job itself, such as its loss.")
@with_terminal
def metrics(terminal: Terminal, job: str | None, last: bool, task: str | None, own: bool) -> None:
    """Draw how a job uses its nodes, in percent per minute, or the job's own curves.

    Its own curves are those that it reports, if the service has them, else the numbers in the log of its first task.
    """
    from modelarts_toolkit.jobs.tables import usage_series

    if own and task:
        raise click.UsageError("--own shows metrics of the whole job: leave --task out")
    found = find_job(terminal.connect(), job, last=last)
    if own:
        show_own(terminal, found.curves())
        return
    rows, shown = found.metrics(task), []
    for (name, metric), values in usage_series(rows).items():
        drawn = sparkline([math.nan if value is None else value for value in values], WIDTH, (0, 100))
        known = [value for value in values if value is not None]
        numbers = {"mean": sum(known) / len(known), "max": max(known), "last": known[-1]}
        rounded = {what: round(number, 1) for what, number in numbers.items()}
        shown.append({"task": name, "metric": metric, "chart": drawn, **rounded})
    terminal.show_rows(shown, list(rows), NOTHING)


def show_own(terminal: Terminal, curves: Mapping[str, "Curve"]) -> None:
    """Print the curves of a job, each from its smallest to its largest value."""
    rows = [
        {
            "metric": name,
            "curve": sparkline(curve.values, WIDTH),
            "first": f"{curve.first:.6g}",
            "best": f"{curve.best:.6g}" if curve.has_best else "",
            "last": f"{curve.last:.6g}",
            "values": curve.count,
        }
        for name, curve in curves.items()
    ]
    documents = [
        {"metric": name, **curve.to_dict(), "values": curve.values, "x_name": curve.x_name, "x": curve.x}
        for name, curve in curves.items()
    ]
    terminal.show_rows(rows, documents, "The job has no curves: it neither reports numbers nor prints any.")
