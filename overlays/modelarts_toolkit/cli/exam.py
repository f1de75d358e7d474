"""`modelarts exam`: does a script go on where it was, after a preemption?"""

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from modelarts_toolkit.cli.exit_status import ERROR, FAILED
from modelarts_toolkit.cli.groups import fail
from modelarts_toolkit.cli.interruptions import Interrupted, Interruptions
from modelarts_toolkit.cli.job_logs import show_lines
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.run_arguments import RUN_TYPES, WORDS, RunCommand, caller_of, request_of
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.curves.sparklines import sparkline
from modelarts_toolkit.errors import JobFailed
from modelarts_toolkit.local.exam import TOLERANCE, Exam, examine_request
from modelarts_toolkit.local.exam_picture import picture
from modelarts_toolkit.local.failures import script_status

WIDTH = 60  # characters of a curve


def share(text: str) -> float:
    """Parse a share of the training, 40% or 0.4; raises BadParameter."""
    with suppress(ValueError):
        if 0 < (found := float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)) < 1:
            return found
    raise click.BadParameter(f"{text} is not a share between 0 and 1: write 40% or 0.4")


@click.command(cls=RunCommand)
@WORDS
@with_options("exam", RUN_TYPES)
@click.option(
    "--at", type=share, metavar="SHARE", default="40%", show_default=True, help="When the second run is preempted."
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    default=TOLERANCE,
    show_default=True,
    help="Relative difference of two numbers that count as the same.",
)
@click.option(
    "--picture", "file", type=click.Path(dir_okay=False, path_type=Path), help="Draw both curves into this SVG file."
)
@click.option("-v", "--verbose", is_flag=True, help="Also print the lines of the script.")
@click.option("-q", "--quiet", is_flag=True, help="Only print the verdict.")
@click.pass_context
def exam(
    context: click.Context,
    /,
    words: tuple[str, ...],
    file: Path | None,
    verbose: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Find out whether a script goes on where it was, after a preemption and the restart of its job.

    The script runs twice in a new emulator: once whole, and once preempted and restarted by the service's retry, with
    the files of its outputs restored. Its printed numbers, such as epoch 3 loss 0.31, say whether it went on where it
    stopped, whether the curve is the same from there, and what a stop costs.

    The exit status is 0 if it passes, and 3 if it does not. A script that fails by itself is not judged: the exit
    status is its own, as of modelarts run, but 1 if that is 3.
    """
    terminal = Terminal(quiet=quiet)
    request = request_of(words, given, dict.fromkeys(given["outputs"]))
    asked = {name: given[name] for name in ("at", "tolerance", "python", "gpus")}

    def show(line: str) -> None:
        if verbose:
            show_lines([line], to_stderr=False)

    try:
        with Interruptions() as interruptions:
            result = examine_request(request, caller_of(terminal, interruptions), on_line=show, **asked)
    except Interrupted as signal:
        terminal.note("Interrupted.")
        context.exit(signal.status)
    except JobFailed as error:
        status = script_status(error)
        fail(request.with_names(str(error)), status if status != FAILED else ERROR)
    for sentence in result.sentences:
        click.echo(sentence)
    show_exam(terminal, result)
    if file is not None:
        file.write_text(picture(result), "utf-8")
        terminal.note(f"Both curves: {file}")
    context.exit(0 if result.passed else FAILED)


def show_exam(terminal: Terminal, result: Exam) -> None:
    """Draw the curves of both runs below each other, with a mark where the second one was stopped."""
    whole, broken = result.curves
    if len(whole) > 1 and len(broken) > 1:
        width = max(1, min(WIDTH, len(whole)))
        bars = sparkline(broken, max(2, round(width * len(broken) / len(whole))))
        cut = round(len(bars) * result.stopped_at / len(broken))
        name = result.metric
        terminal.note(f"{name} of A  {sparkline(whole, width)}\n{name} of B  {bars[:cut]}|{bars[cut:]}")
