"""The curves of both runs of an exam, as an SVG file."""

import math
from collections.abc import Sequence
from html import escape

from modelarts_toolkit.exam import Exam

WIDTH, HEIGHT, MARGIN = 640, 320, 50  # pixels


def picture(exam: Exam) -> str:
    """Draw the curve of A, that of B before its stop and after it, and the sentences of the verdict."""
    whole, broken = exam.curves
    before, after = broken[: exam.stopped_at], broken[exam.stopped_at :]
    known = [value for value in (*whole, *broken) if math.isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    last = max(len(whole) - 1, 1)

    def line(values: Sequence[float], begin: int, style: str) -> str:
        points = " ".join(
            f"{MARGIN + (WIDTH - 2 * MARGIN) * (begin + index) / last:.1f},"
            f"{HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * ((value - low) / (high - low) if high > low else 0.5):.1f}"
            for index, value in enumerate(values)
            if math.isfinite(value)
        )
        return f'<polyline points="{points}" fill="none" {style}/>'

    def text(x: int, y: int, words: str, colour: str = "black") -> str:
        return f'<text x="{x}" y="{y}" fill="{colour}">{escape(words)}</text>'

    rows = [
        line(whole, 0, 'stroke="gray" stroke-width="6" opacity="0.4"'),
        line(before, 0, 'stroke="steelblue" stroke-width="2"'),
        line(after, max(len(whole) - len(after), 0), 'stroke="firebrick" stroke-width="2"'),
        text(MARGIN, 20, f"{exam.metric}: {low:g} to {high:g}, by point of the training"),
        text(MARGIN, 38, "A, whole", "gray"),
        text(MARGIN + 90, 38, "B, before the stop", "steelblue"),
        text(MARGIN + 230, 38, "B, after it", "firebrick"),
        *(text(10, HEIGHT + 18 * number, each) for number, each in enumerate(exam.sentences)),
    ]
    size = f'width="{WIDTH}" height="{HEIGHT + 18 * len(exam.sentences)}"'
    font = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>\n' + "\n".join(rows) + "\n</svg>\n"
