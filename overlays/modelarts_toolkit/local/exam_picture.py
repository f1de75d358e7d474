"""The curves of both runs of an exam, as an SVG file."""

import math
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from modelarts_toolkit.local.exam import Exam

TEMPLATE = files(__package__).joinpath("exam_picture.svg")
WIDTH, HEIGHT, MARGIN = 640, 320, 50  # pixels


def picture(exam: Exam) -> str:
    """Draw the curve of A, that of B before its stop and after it, and the sentences of the verdict."""
    whole, broken = exam.curves
    before, after = broken[: exam.stopped_at], broken[exam.stopped_at :]
    known = [value for value in (*whole, *broken) if math.isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    last = max(len(whole) - 1, 1)

    def points(values: Sequence[float], begin: int) -> str:
        return " ".join(
            f"{MARGIN + (WIDTH - 2 * MARGIN) * (begin + index) / last:.1f},"
            f"{HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * ((value - low) / (high - low) if high > low else 0.5):.1f}"
            for index, value in enumerate(values)
            if math.isfinite(value)
        )

    rows = ((HEIGHT + 18 * number, escape(each)) for number, each in enumerate(exam.sentences))
    return TEMPLATE.read_text("utf-8").format(
        height=HEIGHT + 18 * len(exam.sentences),
        whole=points(whole, 0),
        before=points(before, 0),
        after=points(after, max(len(whole) - len(after), 0)),
        title=escape(f"{exam.metric}: {low:g} to {high:g}, by point of the training"),
        sentences="\n".join(f'<text x="10" y="{y}" fill="black">{words}</text>' for y, words in rows),
    )
