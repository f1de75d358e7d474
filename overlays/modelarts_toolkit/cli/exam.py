"""`modelarts exam`: does a script go on where it was, after a preemption?"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from modelarts_toolkit.cli.exit_status import FAILED
from modelarts_toolkit.cli.files import Input
from modelarts_toolkit.cli.interruptions import Interrupted, Interruptions
from modelarts_toolkit.cli.job_logs import show_lines
from modelarts_toolkit.cli.run import Python, RunCommand
from modelarts_toolkit.cli.run_emulator import config_of, installed_emulator, new_emulator
from modelarts_toolkit.cli.run_request import FILE, Channel, RunRequest, request_of
from modelarts_toolkit.cli.run_resources import GPUS, resources_of
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.curves.sparklines import sparkline
from modelarts_toolkit.exam import TOLERANCE, Exam, take_exam
from modelarts_toolkit.exam_picture import picture

BOOT, BOOT_FILE = ".modelarts_exam.py", Path(__file__).with_name("exam_boot.py")
WIDTH = 60  # characters of a curve


class Share(click.ParamType):  # type: ignore[type-arg]
    """A share of the training: 40% or 0.4."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value)
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = 0.0
        if not 0 < share < 1:
            self.fail(f"{text} is not a share between 0 and 1: write 40% or 0.4", param, ctx)
        return share


@click.command(cls=RunCommand)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [-- ARGUMENTS]")
@click.option(
    "--data", type=Channel(Input(exists=True)), metavar="[NAME=]PATH", multiple=True, help="Data, as of modelarts run."
)
@click.option(
    "--out",
    "outputs",
    metavar="NAME",
    multiple=True,
    default=("train_url",),
    show_default=True,
    help="Name of an output: the script gets --NAME. Can be repeated.",
)
@click.option("--at", type=Share(), default="40%", show_default=True, help="When the second run is preempted.")
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
@click.option("--code", type=Input(exists=True, file_okay=False), help="Folder of the code, as of modelarts run.")
@click.option("-m", "--module", metavar="MODULE", help="Run a module of the code instead of a script.")
@click.option("--env", "variables", metavar="NAME=VALUE", multiple=True, help="Variable for the script.")
@click.option("--engine", "python", type=Python(), metavar="PYTHON", help="Python that runs the script.")
@GPUS
@click.option("--requirements", type=FILE, help="Packages to install first, in a separate environment.")
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

    The exit status is 0 if it passes, 3 if it fails.
    """
    terminal = Terminal(quiet=quiet)
    request = request_of(words, given, dict.fromkeys(given["outputs"]))

    def show(line: str) -> None:
        if verbose:
            show_lines([line], to_stderr=False)

    try:
        result = _examine(terminal, show, request, given)
    except Interrupted as signal:
        terminal.note("Interrupted.")
        context.exit(signal.status)
    for sentence in result.sentences:
        click.echo(sentence)
    show_exam(terminal, result)
    if file is not None:
        file.write_text(picture(result), "utf-8")
        terminal.note(f"Both curves: {file}")
    context.exit(0 if result.passed else FAILED)


def examine(
    script: Path | str,
    *,
    data: Mapping[str, Path | str] | Path | str | None = None,
    outputs: Sequence[str] = ("train_url",),
    at: float = 0.4,
    tolerance: float = TOLERANCE,
    arguments: Mapping[str, object] | None = None,
    engine: Path | str | None = None,
    gpus: int | None = None,
) -> Exam:
    """Take the exam of a script as `modelarts exam` does, from Python.

    `data` is a path, or paths by the names of the channels. Raises ExamError, JobFailed, or UsageError of click.
    """
    channels = data if isinstance(data, Mapping) else {} if data is None else {"data_url": data}
    request = RunRequest(
        script=Path(script),
        module=None,
        code=None,
        data={name: Path(path) for name, path in channels.items()},
        out=dict.fromkeys(outputs),
        requirements=None,
        name=None,
        parameters=[{"name": name, "value": str(value)} for name, value in (arguments or {}).items()],
        environments={},
    )
    python = None if engine is None else Path(engine)
    given = {"outputs": outputs, "at": at, "tolerance": tolerance, "python": python}
    return _examine(Terminal(quiet=True), lambda _: None, request, {**given, "requirements": None, "gpus": gpus})


def _examine(
    terminal: Terminal, on_line: Callable[[str], object], request: RunRequest, given: Mapping[str, Any]
) -> Exam:
    """Start an emulator, upload, and take the exam."""
    from modelarts_toolkit import Jobs, ModelArts
    from modelarts_toolkit.jobs.polling import Clock

    emulator = installed_emulator("modelarts exam")
    request.start_by(BOOT, BOOT_FILE, "MODELARTS_EXAM_SCRIPT", MODELARTS_EXAM_OUTPUTS=",".join(given["outputs"]))
    with (
        Interruptions() as interruptions,
        new_emulator(
            emulator, interruptions, terminal, given["python"], given["requirements"], gpus=given["gpus"]
        ) as environment,
        ModelArts(config=config_of(environment)) as ma,
    ):

        def preempt(job_id: str) -> None:
            emulator.call_control(environment, "POST", "faults", {"job": job_id, "kind": "preempted"})

        ma.obs.create_bucket(request.place)
        request.upload(ma, terminal, interruptions.check)
        engine, flavor, note = resources_of(ma, emulator, environment, request, gpus=given["gpus"])
        if note:
            terminal.note(note)
        return take_exam(
            ma,
            request.body(engine, flavor, 1),
            preempt,
            jobs=Jobs(ma, clock=Clock(time.monotonic, interruptions.sleep)),
            at=given["at"],
            tolerance=given["tolerance"],
            note=terminal.note,
            on_line=on_line,
        )


def show_exam(terminal: Terminal, result: Exam) -> None:
    """Draw the curves of both runs below each other, with a mark where the second one was stopped."""
    whole, broken = result.curves
    if len(whole) > 1 and len(broken) > 1:
        width = max(1, min(WIDTH, len(whole)))
        bars = sparkline(broken, max(2, round(width * len(broken) / len(whole))))
        cut = round(len(bars) * result.stopped_at / len(broken))
        name = result.metric
        terminal.note(f"{name} of A  {sparkline(whole, width)}\n{name} of B  {bars[:cut]}|{bars[cut:]}")
