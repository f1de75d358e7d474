"""`modelarts job metrics`: the use of nodes as charts in the terminal, and what the job reports."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .groups import Command
from .job_choice import chosen_by_argument, find_job
from .options import with_terminal
from .terminal import Terminal

if TYPE_CHECKING:
    from modelarts_api.v2.models import FineTuningMetrics

BARS = " ▁▂▃▄▅▆▇█"
WIDTH = 60  # characters of a chart, at most
NOTHING = "No measurements yet: the service measures once a minute."

Series = dict[tuple[str, str], list[float | None]]


@click.command(
    cls=Command,
    examples=("modelarts job metrics digits", "modelarts job metrics --last --own"),
)
@chosen_by_argument
@click.option("--task", metavar="TASK", help="Only this task, such as worker-1.  [default: all]")
@click.option("--own", is_flag=True, help="The job's own metrics, such as its loss, if the service has them.")
@with_terminal
def metrics(terminal: Terminal, job: str | None, last: bool, task: str | None, own: bool) -> None:
    """Draw how a job uses its nodes, in percent per minute, or the metrics that the job reports."""
    if own and task:
        raise click.UsageError("--own shows metrics of the whole job: leave --task out")
    ma = terminal.connect()
    found = find_job(ma, job, last=last)
    if own:
        show_own(terminal, ma.v2.fine_tuning.show_ft_metrics(found.key))
        return
    rows = found.metrics(task)
    series = series_of(rows)
    shown = [
        {"task": name, "metric": metric, "chart": chart(values), **_numbers(values)}
        for (name, metric), values in series.items()
    ]
    terminal.show_rows(shown, list(rows), NOTHING)


def show_own(terminal: Terminal, reported: "FineTuningMetrics") -> None:
    """Print the curves that a job reports, each scaled to its own highest value."""
    from modelarts_toolkit.jobs.curves import reported_series

    rows = [
        {"chart": name, "metric": metric, "curve": chart(values, most=max(*values, 0) or 1), **_numbers(values, 6)}
        for (name, metric), values in reported_series(reported).items()
    ]
    terminal.show_rows(rows, reported.to_dict(), "The job has reported no curves.")


def series_of(rows: Sequence[Mapping[str, Any]]) -> Series:
    """Group the values over time by task and metric; metrics without any value are left out."""
    series: Series = {}
    for row in rows:
        for metric, value in row.items():
            if metric not in ("task", "minute"):
                series.setdefault((row["task"], metric), []).append(value)
    return {key: values for key, values in series.items() if any(value is not None for value in values)}


def chart(values: Sequence[float | None], width: int = WIDTH, *, most: float = 100) -> str:
    """Draw the values from 0 to `most` as bars; a long series is reduced to the highest value of each part."""
    step = -(-len(values) // width)
    parts = [values[start : start + step] for start in range(0, len(values), step)]
    return "".join(
        BARS[min(max(round(max(known) / most * (len(BARS) - 1)), 0), len(BARS) - 1)] if known else "·"
        for known in ([value for value in part if value is not None] for part in parts)
    )


def _numbers(values: Sequence[float | None], digits: int = 1) -> dict[str, float]:
    known = [value for value in values if value is not None]
    return {
        name: round(value, digits)
        for name, value in (("mean", sum(known) / len(known)), ("max", max(known)), ("last", known[-1]))
    }
