"""`modelarts job metrics`: the use of nodes as charts in the terminal, or as a page, and what the job reports."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from .groups import Command
from .job_choice import chosen_by_argument, find_job
from .options import with_terminal
from .terminal import Terminal

BARS = " ▁▂▃▄▅▆▇█"
WIDTH = 60  # characters of a chart, at most
NOTHING = "Nothing was measured yet: there is a value for each minute."

Series = dict[tuple[str, str], list[float | None]]


@click.command(
    cls=Command,
    examples=("modelarts job metrics digits", "modelarts job metrics --last --html use.html"),
)
@chosen_by_argument
@click.option("--task", metavar="TASK", help="Only this task, such as worker-1.  [default: all]")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page that needs no network.")
@click.option("--own", is_flag=True, help="The job's own metrics, such as its loss, where the service has them.")
@with_terminal
def metrics(terminal: Terminal, job: str | None, last: bool, task: str | None, html: Path | None, own: bool) -> None:
    """Draw how a job uses its nodes, in percent, a value for each minute; or the metrics that the job reports."""
    if own and (task or html):
        raise click.UsageError("--own shows the job's own metrics, without --task and --html")
    ma = terminal.connect()
    found = find_job(ma, job, last=last)
    if own:
        show_own(terminal, ma.v2.fine_tuning.show_ft_metrics(found.key).to_dict())
        return
    rows = found.metrics(task)
    series = series_of(rows)
    if html is not None:
        html.write_text(as_page(found.name, series), encoding="utf-8")
        terminal.note(f"Wrote {html}.")
    else:
        shown = [
            {"task": name, "metric": metric, "chart": chart(values), **_numbers(values)}
            for (name, metric), values in series.items()
        ]
        terminal.show_rows(shown, list(rows), NOTHING)


def show_own(terminal: Terminal, reported: Mapping[str, Any]) -> None:
    """Print the curves that a job reports, each drawn up to its own highest value."""
    from modelarts_toolkit.jobs.curves import reported_series

    rows = [
        {"chart": name, "metric": metric, "curve": chart(values, most=max(*values, 0) or 1), **_numbers(values, 6)}
        for (name, metric), values in reported_series(reported).items()
    ]
    terminal.show_rows(rows, reported, "The job has reported no curves.")


def series_of(rows: Sequence[Mapping[str, Any]]) -> Series:
    """The values over time by task and metric; those that were never measured are left out."""
    series: Series = {}
    for row in rows:
        for metric, value in row.items():
            if metric not in ("task", "minute"):
                series.setdefault((row["task"], metric), []).append(value)
    return {key: values for key, values in series.items() if any(value is not None for value in values)}


def chart(values: Sequence[float | None], width: int = WIDTH, *, most: float = 100) -> str:
    """The values up to `most` as a line of bars; of longer series the highest value of each part."""
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


def as_page(title: str, series: Series) -> str:
    """A page with a curve of each metric of each task."""
    sections = "".join(_section(f"{task} {metric}", values) for (task, metric), values in series.items())
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>\n'
        f"<body><h1>{escape(title)}</h1>{sections or f'<p>{NOTHING}</p>'}</body></html>\n"
    )


def _section(title: str, values: Sequence[float | None]) -> str:
    """A curve from 0 to 100 percent over the minutes; what was not measured leaves a gap."""
    text = ", ".join(f"{name} {number:g} %" for name, number in _numbers(values).items())
    curves = "".join(
        f'<polyline vector-effect="non-scaling-stroke" points="{" ".join(part)}"/>' for part in _without_gaps(values)
    )
    return (
        f"<h2>{escape(title)}</h2><p>{text} in {len(values)} minutes</p>\n"
        f'<svg viewBox="0 0 {max(len(values) - 1, 1)} 100" width="100%" height="200" preserveAspectRatio="none" '
        'fill="none" stroke="#0b6bcb" stroke-width="2" style="border:1px solid">'
        f"{curves}</svg>\n"
    )


def _without_gaps(values: Sequence[float | None]) -> Iterator[list[str]]:
    """The points of the curve in parts, between which nothing was measured."""
    for is_measured, part in groupby(enumerate(values), key=lambda pair: pair[1] is not None):
        if is_measured:
            yield [f"{minute},{100 - min(value or 0, 100):.1f}" for minute, value in part]
