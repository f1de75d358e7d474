"""The use of nodes as a page of curves that needs no network."""

from collections.abc import Mapping, Sequence
from html import escape

Values = Sequence[float | None]

WIDTH, HEIGHT = 640, 200  # pixels of a chart with its axes
LEFT, RIGHT, TOP, BOTTOM = 48, 8, 8, 36  # margins, where the axes are labelled
PERCENT_TICKS = (0, 25, 50, 75, 100)
MOST_MINUTE_TICKS = 8
COLOURS = ("#0b6bcb", "#c4501b", "#2e7d32", "#8e3fa8", "#a06a00", "#00808a", "#b3261e", "#5f6368")
STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px system-ui,sans-serif;margin:2em auto;padding:0 1em;max-width:44em}"
    "h2{font-size:1em;margin:2em 0 .5em}svg{width:100%;height:auto;font-size:12px}"
    "svg text{fill:currentColor}.grid{stroke:currentColor;opacity:.2}p{margin:.3em 0}"
)


def as_page(title: str, series: Mapping[tuple[str, str], Values], nothing: str) -> str:
    """A page with a chart for each metric, in which each task has a curve; without values, it says `nothing`."""
    metrics: dict[str, dict[str, Values]] = {}
    for (task, metric), values in series.items():
        metrics.setdefault(metric, {})[task] = values
    charts = "".join(_section(metric, tasks) for metric, tasks in metrics.items())
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>{charts or f'<p>{escape(nothing)}</p>'}</body></html>\n"
    )


def _section(metric: str, tasks: dict[str, Values]) -> str:
    longest = max(map(len, tasks.values()))
    chart = _chart(metric, tasks, longest) if longest > 1 else "<p>There is one value: a curve needs two minutes.</p>"
    return f"<h2>{escape(metric)}</h2>\n{chart}\n{''.join(map(_numbers, tasks.items(), COLOURS * len(tasks)))}"


def _numbers(task: tuple[str, Values], colour: str) -> str:
    name, values = task
    known = [value for value in values if value is not None]
    return (
        f'<p><b style="color:{colour}">{escape(name)}</b> mean {sum(known) / len(known):.1f} %,'
        f" highest {max(known):.1f} %, last {known[-1]:.1f} %</p>"
    )


def _chart(metric: str, tasks: dict[str, Values], longest: int) -> str:
    parts = [_line(LEFT, _y(tick), WIDTH - RIGHT, _y(tick)) for tick in PERCENT_TICKS]
    parts += [_text(LEFT - 6, _y(tick) + 4, f"{tick} %", "end") for tick in PERCENT_TICKS]
    step = -(-(longest - 1) // MOST_MINUTE_TICKS)
    for minute in range(0, longest, step):
        parts.append(_text(_x(minute, longest), HEIGHT - BOTTOM + 16, str(minute), "middle"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, "minutes since the start", "middle"))
    for (task, values), colour in zip(tasks.items(), COLOURS * len(tasks), strict=False):
        curves = "".join(_curve(part, longest) for part in _without_gaps(values))
        parts.append(f'<g fill="none" stroke="{colour}" stroke-width="2"><title>{escape(task)}</title>{curves}</g>')
    label = escape(f"{metric} in percent over {longest - 1} minutes")
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _without_gaps(values: Values) -> list[list[tuple[int, float]]]:
    """The minutes and values in parts, between which nothing was measured."""
    parts: list[list[tuple[int, float]]] = [[]]
    for minute, value in enumerate(values):
        if value is not None:
            parts[-1].append((minute, value))
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def _curve(part: list[tuple[int, float]], longest: int) -> str:
    if len(part) == 1:
        minute, value = part[0]
        return f'<circle cx="{_x(minute, longest):.1f}" cy="{_y(value):.1f}" r="2"/>'
    points = " ".join(f"{_x(minute, longest):.1f},{_y(value):.1f}" for minute, value in part)
    return f'<polyline points="{points}"/>'


def _x(minute: int, longest: int) -> float:
    return LEFT + minute * (WIDTH - LEFT - RIGHT) / (longest - 1)


def _y(percent: float) -> float:
    return HEIGHT - BOTTOM - min(percent, 100) / 100 * (HEIGHT - TOP - BOTTOM)


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
