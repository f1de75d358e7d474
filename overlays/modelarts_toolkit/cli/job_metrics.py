"""`modelarts job metrics`: the use of nodes as a chart in the terminal, as a picture, or as a page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from .groups import Command
from .job_choice import chosen_by_argument, find_job
from .metrics_page import as_page
from .options import with_terminal
from .terminal import Terminal

BARS = " ▁▂▃▄▅▆▇█"
WIDTH = 60  # characters of a chart, at most
NOTHING = "Nothing was measured yet: there is a value for each minute."

Series = dict[tuple[str, str], list[float | None]]


@click.command(
    cls=Command,
    examples=("modelarts job metrics digits", "modelarts job metrics --last --plot use.png", "... --html use.html"),
)
@chosen_by_argument
@click.option("--task", metavar="TASK", help="Only this task, such as worker-1.  [default: all]")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Write a picture (.png, .svg, .pdf).")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page that needs no network.")
@with_terminal
def metrics(
    terminal: Terminal,
    job: str | None,
    last: bool,
    task: str | None,
    plot: Path | None,
    html: Path | None,
) -> None:
    """Draw how a job uses its nodes, in percent, a value for each minute."""
    found = find_job(terminal.connect(), job, last=last)
    rows = found.metrics(task)
    series = series_of(rows)
    if plot is not None:
        write_picture(plot, found.name, series)
        terminal.note(f"Wrote {plot}.")
    if html is not None:
        html.write_text(as_page(found.name, series, NOTHING), encoding="utf-8")
        terminal.note(f"Wrote {html}.")
    if plot is None and html is None:
        shown = [
            {"task": name, "metric": metric, "chart": chart(values), **_numbers(values)}
            for (name, metric), values in series.items()
        ]
        terminal.show_rows(shown, list(rows), NOTHING)


def series_of(rows: Sequence[Mapping[str, Any]]) -> Series:
    """The values over time by task and metric; those that were never measured are left out."""
    series: Series = {}
    for row in rows:
        for metric, value in row.items():
            if metric not in ("task", "minute"):
                series.setdefault((row["task"], metric), []).append(value)
    return {key: values for key, values in series.items() if any(value is not None for value in values)}


def chart(values: Sequence[float | None], width: int = WIDTH) -> str:
    """The percentages as a line of bars; of longer series the highest value of each part."""
    step = -(-len(values) // width)
    parts = [values[start : start + step] for start in range(0, len(values), step)]
    return "".join(
        BARS[min(round(max(known) / 100 * (len(BARS) - 1)), len(BARS) - 1)] if known else "·"
        for known in ([value for value in part if value is not None] for part in parts)
    )


def _numbers(values: Sequence[float | None]) -> dict[str, float]:
    known = [value for value in values if value is not None]
    return {
        name: round(value, 1)
        for name, value in (("mean", sum(known) / len(known)), ("max", max(known)), ("last", known[-1]))
    }


def write_picture(file: Path, title: str, series: Series) -> None:
    """Write the series as a picture; raises ClickException without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise click.ClickException("--plot needs one more library: pip install matplotlib") from error
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for (task, metric), values in series.items():
        axes.plot(
            range(len(values)), [float("nan") if value is None else value for value in values], label=f"{task} {metric}"
        )
    axes.set(title=title, xlabel="minute", ylabel="%", ylim=(0, 105))
    if series:
        axes.legend()
    try:
        figure.savefig(file)
    except ValueError as error:
        raise click.ClickException(f"{file} cannot be written: {error}") from error
