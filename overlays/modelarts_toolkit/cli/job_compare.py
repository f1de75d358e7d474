"""`modelarts job compare`: compare jobs side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.job_choice import find_handle, jobs_of
from modelarts_toolkit.cli.options import with_terminal
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.texts import lasted, when

if TYPE_CHECKING:
    from modelarts_toolkit.jobs.comparison import Comparison


@click.command(cls=Command)
@click.argument("jobs", nargs=-1, required=True, metavar="JOB JOB...")
@with_terminal
def compare(terminal: Terminal, jobs: tuple[str, ...]) -> None:
    """Compare jobs: hyperparameters and settings that differ, metrics, phase, duration and result.

    The service supplies the metrics that a job reports. Without them, the command reads numbers in the log of the
    first task, such as loss: 0.31. The best value of a loss or an error is the smallest; of other metrics, the largest.
    """
    if len(jobs) < 2:
        raise click.UsageError("name two jobs or more, such as: compare digits-1 digits-2")
    ma = terminal.connect()
    found: list[Any] = [find_handle(ma, job, last=False) for job in jobs]
    comparison = jobs_of(ma).compare(found)
    terminal.show_rows(rows_of(comparison), comparison.to_dict(), "")
    if terminal.format == "table" and not comparison.parameters:
        terminal.note("The hyperparameters are the same.")


def rows_of(comparison: "Comparison") -> list[dict[str, Any]]:
    """Return the rows of the table; each job has a column."""
    jobs = comparison.jobs
    lines: dict[str, Sequence[Any]] = {
        "name": [job.name for job in jobs],
        "id": [job.id[:8] for job in jobs],
        "phase": [job.phase for job in jobs],
        "created": [when(job.created_at) for job in jobs],
        "ran": [lasted(job.running_time) for job in jobs],
        "result": comparison.results,
        **{name.replace("_", " "): values for name, values in comparison.settings.items()},
        **{f"parameter {name}": values for name, values in comparison.parameters.items()},
    }
    for name, curves in comparison.metrics.items():
        if any(curve and curve.has_best for curve in curves):
            lines[f"best {name}"] = [curve and (f"{curve.best:.4g}" if curve.has_best else "") for curve in curves]
        lines[f"last {name}"] = [curve and f"{curve.last:.4g}" for curve in curves]
    return [
        {"of": what, **{f"job {number}": value for number, value in enumerate(values, 1)}}
        for what, values in lines.items()
    ]
