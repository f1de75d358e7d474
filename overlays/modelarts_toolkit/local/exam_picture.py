"""The curves of both runs of an exam, as an SVG file."""

from html import escape

from modelarts_toolkit.curves.charts import chart
from modelarts_toolkit.local.exam import Exam
from modelarts_toolkit.own_files import own_text

HEIGHT, LINE = 320, 18  # pixels: of the curves, and of a sentence below them


def picture(exam: Exam) -> str:
    """Draw the curve of A, that of B before its stop and after it, and the sentences of the verdict."""
    whole, broken = exam.curves
    before, after = broken[: exam.stopped_at], broken[exam.stopped_at :]
    drawn = chart("", "point", {"A": whole, "": before, "B": [*[None] * max(len(whole) - len(after), 0), *after]})
    low, high = drawn.limits
    rows = ((HEIGHT + LINE * number, escape(each)) for number, each in enumerate(exam.sentences))
    return own_text(__package__, "exam_picture.svg").format(
        *map(" ".join, drawn.lines()),
        height=HEIGHT + LINE * len(exam.sentences),
        title=escape(f"{exam.metric}: {low:g} to {high:g}, by point of the training"),
        sentences="\n".join(f'<text x="10" y="{y}" fill="black">{words}</text>' for y, words in rows),
    )
