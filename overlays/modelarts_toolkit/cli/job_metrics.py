"""`modelarts job metrics`: the use of nodes as a chart in the terminal, as a picture, or as a page."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import click

from .groups import Command
from .job_choice import chosen_by_argument, find_job
from .options import with_terminal
from .terminal import Terminal

BARS = " ▁▂▃▄▅▆▇█"
WIDTH = 60  # characters of a chart, at most
SIZE = (640, 160)  # pixels of a chart on a page

Series = dict[tuple[str, str], list[float | None]]


@click.command(
    cls=Command,
    examples=("modelarts job metrics digits", "modelarts job metrics --last --plot use.png", "... --html use.html"),
)
@chosen_by_argument
@click.option("--task", metavar="TASK", help="Of this task, such as worker-1.  [default: all]")
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
        html.write_text(as_page(found.name, series), encoding="utf-8")
        terminal.note(f"Wrote {html}.")
    if plot is None and html is None:
        shown = [
            {"task": name, "metric": metric, "chart": chart(values), **_numbers(values)}
            for (name, metric), values in series.items()
        ]
        terminal.show_rows(shown, list(rows), "Nothing was measured yet: there is a value for each minute.")


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
    return {"mean": round(sum(known) / len(known), 1), "max": max(known), "last": known[-1]}


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


def as_page(title: str, series: Series) -> str:
    """The series as a page with a chart for each of them."""
    width, height = SIZE
    charts = []
    for (task, metric), values in series.items():
        step = width / max(len(values) - 1, 1)
        points = [
            f"{minute * step:.1f},{height - value / 100 * height:.1f}"
            for minute, value in enumerate(values)
            if value is not None
        ]
        label = escape(f"{task} {metric}")
        charts.append(
            f'<h2>{label}</h2><svg viewBox="0 -4 {width} {height + 8}" role="img" aria-label="{label}">'
            f'<polyline points="{" ".join(points)}" fill="none" stroke="#0067b8" stroke-width="2"/></svg>'
            f"<p>0 to 100 %, {len(values)} minutes; {escape(str(_numbers(values)))}</p>"
        )
    style = "body{font:16px sans-serif;margin:2em;max-width:50em}svg{border:1px solid #999;width:100%}h2{font-size:1em}"
    body = "".join(charts) or "<p>Nothing was measured yet.</p>"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style>'
        f"<h1>{escape(title)}</h1>{body}</html>\n"
    )
