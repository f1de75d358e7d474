"""`modelarts job` and `modelarts v1 job`: the groups, and the commands that show, measure, compare and await jobs."""

import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelarts_api.phases import COMPLETED, PENDING, RUNNING
from modelarts_toolkit.cli.escapes import escaped
from modelarts_toolkit.cli.groups import MENUS, Command, Group, fail
from modelarts_toolkit.cli.job_choice import (
    chosen_by_argument,
    find_handle,
    find_job,
    is_v1,
    jobs_of,
    short_ids,
)
from modelarts_toolkit.cli.job_ends import find_handles
from modelarts_toolkit.cli.job_logs import announcing, polling
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, with_sources, with_terminal
from modelarts_toolkit.curves.sparklines import sparkline
from modelarts_toolkit.install import install_command
from modelarts_toolkit.texts import lasted, number_text, when

if TYPE_CHECKING:
    from modelarts_api.v2.models import ListTrainingJobEventsLevel
    from modelarts_toolkit.curves.curves import Curve
    from modelarts_toolkit.jobs._sync.handles import JobHandle


CHART_WIDTH = 60  # characters, at most
NOTHING = "No measurements yet: the service measures once a minute."


@click.group(cls=Group, lazy=MENUS["job"])
def job() -> None:
    """Training jobs."""


@click.group("job", cls=Group, lazy={name: own or MENUS["job"][name] for name, own in MENUS["v1 job"].items()})
def v1_job() -> None:
    """Training jobs. A job is named by id or name, with /V0002 for a version other than the newest."""


@click.command(cls=Command)
@chosen_by_argument
@with_terminal
def get(terminal: Terminal, job: str | None, last: bool) -> None:
    """Show one job, given by its id, its name, or the first characters of either; of one that waits, say what for."""
    ma = terminal.connect()
    found = find_handle(ma, job, last=last)
    why, document = found.explanation if found.phase not in (COMPLETED, RUNNING) else "", dict(found.details.to_dict())
    if found.phase == PENDING and not is_v1():
        from modelarts_toolkit import ApiError

        with suppress(ApiError):  # not every service has events
            for event in ma.v2.events.list_training_job_events(found.key, limit=1, order="desc").events:
                why = document["why"] = str(event.message)
    fields = {
        "Name": found.name,
        "Id": found.id,
        "Phase": found.phase,
        "Why": why,
        "Created": when(found.created_at),
        "Ran": lasted(found.running_time),
        "Description": found.description,
        "Flavor": found.flavor,
        "Nodes": found.nodes,
        "Engine": found.engine,
        "Code": found.code,
        "Boot file": found.boot_file,
        "Parameters": [f"{name}={value}" for name, value in found.parameters.items()],
        "Tasks": list(found.tasks),
        "Outputs": [f"{name} in {url}" for name, url in found.outputs().items()],
    }
    terminal.show_fields(fields, document)


@click.command(cls=Command)
@chosen_by_argument
@with_options("job events")
@with_terminal
def events(terminal: Terminal, job: str | None, last: bool, level: "ListTrainingJobEventsLevel | None") -> None:
    """List the events of a job, oldest first."""
    found = find_job(terminal.connect(), job, last=last).events(level=level)
    suffix = f" of level {level}" if level else " yet"
    rows = [{"time": when(each.occurred_at), "level": each.level, "event": each.message} for each in found]
    terminal.show_rows(rows, [each.to_dict() for each in found], f"No events{suffix}.")


@click.command(cls=Command)
@chosen_by_argument
@with_terminal
def explain(terminal: Terminal, job: str | None, last: bool) -> None:
    """Explain the state of a job and, if it failed, why and what to do."""
    found = find_handle(terminal.connect(), job, last=last)
    verdict = found.explain()
    fields = {"Job": str(found), "Verdict": verdict.text, "Remedy": verdict.remedy, "Evidence": list(verdict.evidence)}
    terminal.show_fields(fields, verdict.to_dict())


@click.command(cls=Command)
@chosen_by_argument
@with_options("job wait")
@with_terminal
def wait(terminal: Terminal, job: str | None, last: bool, until: str | None, timeout: float | None) -> None:
    """Wait until a job has ended: exit status 0 if completed, 3 failed, 4 stopped, 5 timed out."""
    found = find_handle(terminal.connect(), job, last=last)
    found.wait(until=until, timeout=timeout, poll=polling(terminal), on_progress=announcing(terminal, found.name))
    show_line(terminal, found)


@click.command(cls=Command)
@chosen_by_argument
@with_options("job restart")
@with_terminal
def restart(terminal: Terminal, job: str | None, last: bool, is_waiting: bool) -> None:
    """Run a job again that has ended, under the same id; `modelarts job rerun` makes a new job instead."""
    found = find_job(terminal.connect(), job, last=last).restart()
    if is_waiting:
        found.wait(poll=polling(terminal))
    show_line(terminal, found)


@click.command(cls=Command)
@click.argument("arguments", nargs=-1, metavar="[JOB] FOLDER")
@with_options("job download")
@with_terminal
def download(
    terminal: Terminal, arguments: tuple[str, ...], last: bool, logs: bool, overwrite: bool, is_waiting: bool
) -> None:
    """Download the outputs of a job, each channel into a subfolder with its name.

    Files that the job did not write, and that differ, are replaced only with --overwrite.
    """
    if len(arguments) != 2 - last:
        raise click.UsageError("give a job, or --last, and then a folder")
    folder = Path(arguments[-1])
    found = find_handle(terminal.connect(), None if last else arguments[0], last=last)
    if is_waiting:
        found.wait(poll=polling(terminal), on_progress=announcing(terminal, found.name))
    files, size = 0, 0
    for task in (found.tasks or ("worker-0",)) if logs else ():
        from modelarts_toolkit.storage.local_files import mark_writer, path_below, size_of_other

        try:
            file = path_below(folder, f"logs/{task}.log", is_followed=True)
        except ValueError as error:
            fail(f"{error}: choose another folder", 1)
        if not overwrite and size_of_other(file, found.writer) is not None:
            fail(f"{file} is not a log of this job: choose another folder, or replace it with --overwrite", 1)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8", errors="surrogateescape") as target:
            target.writelines(f"{line}\n" for line in found.logs(task))
        mark_writer(file, found.writer)
        files, size = files + 1, size + file.stat().st_size
    if found.outputs() or not logs:
        done = found.download(folder, overwrite=overwrite)
        files, size = files + done.files, size + done.bytes
    terminal.show_fields({"Files": files, "Bytes": size, "Folder": str(folder)}, {"files": files, "bytes": size})


@click.command(cls=Command)
@chosen_by_argument
@with_options("job report")
@with_sources
def report(terminal: Terminal, job: str | None, last: bool, html: Path, lines: int) -> None:
    """Write an offline page with verdict, curves, log and request of a job."""
    try:
        from modelarts_toolkit.ui.report import report as render
    except ModuleNotFoundError as error:
        raise click.ClickException(f"modelarts job report needs {error.name}: {install_command('ui')}") from error
    text = render(find_handle(terminal.connect(), job, last=last), lines)
    html.write_text(text, encoding="utf-8", errors="replace")
    terminal.note(f"Wrote {html}.")


@click.command(cls=Command)
@click.argument("jobs", nargs=-1, required=True, metavar="JOB JOB...")
@with_terminal
def compare(terminal: Terminal, jobs: tuple[str, ...]) -> None:
    """Compare jobs, given by ids, names, or patterns of names with * and ?.

    Shows hyperparameters and settings that differ, metrics, phase, duration and result.

    The service supplies the metrics that a job reports. Without them, the command reads numbers in the log of the
    first task, such as loss: 0.31. The best value of a loss or an error is the smallest; of other metrics, the largest.
    """
    ma = terminal.connect()
    found: list[Any] = find_handles(ma, jobs, last=False)
    if len(found) < 2:
        raise click.UsageError("name two jobs or more, such as: compare digits-1 digits-2, or compare 'digits-*'")
    comparison = jobs_of(ma).compare(found)
    terminal.show_rows(comparison.rows(short_ids(ma, comparison.jobs)), comparison.to_dict(), "")
    if terminal.format == "table" and not comparison.parameters:
        terminal.note("The hyperparameters are the same.")


@click.command(cls=Command)
@chosen_by_argument
@with_options("job metrics")
@with_terminal
def metrics(terminal: Terminal, job: str | None, last: bool, task: str | None, own: bool) -> None:
    """Draw how a job uses its nodes, in percent per minute, or the job's own curves.

    Its own curves are those that it reports, if the service has them, else the numbers in the log of its first task.
    """
    from modelarts_toolkit.jobs.tables import usage_series

    if own and task:
        raise click.UsageError("--own shows metrics of the whole job: leave --task out")
    found = find_job(terminal.connect(), job, last=last)
    if own:
        show_own(terminal, found.curves())
        return
    rows, shown = found.metrics(task), []
    for (name, metric), values in usage_series(rows).items():
        drawn = sparkline([math.nan if value is None else value for value in values], CHART_WIDTH, (0, 100))
        known = [value for value in values if value is not None]
        numbers = {"mean": sum(known) / len(known), "max": max(known), "last": known[-1]}
        rounded = {what: round(number, 1) for what, number in numbers.items()}
        shown.append({"task": name, "metric": metric, "chart": drawn, **rounded})
    terminal.show_rows(shown, list(rows), NOTHING)


def show_own(terminal: Terminal, curves: Mapping[str, "Curve"]) -> None:
    """Print the curves of a job, each from its smallest to its largest value."""
    rows = [
        {
            "metric": name,
            "curve": sparkline(curve.values, CHART_WIDTH),
            "first": number_text(curve.first),
            "best": number_text(curve.best) if curve.has_best else "",
            "last": number_text(curve.last),
            "values": curve.count,
        }
        for name, curve in curves.items()
    ]
    documents = [
        {"metric": name, **curve.to_dict(), "values": curve.values, "x_name": curve.x_name, "x": curve.x}
        for name, curve in curves.items()
    ]
    terminal.show_rows(rows, documents, "The job has no curves: it neither reports numbers nor prints any.")


def show_line(terminal: Terminal, job: "JobHandle") -> None:
    """Print a job in a line, or as a document."""
    if not terminal.show_document(job.details.to_dict()):
        click.echo(escaped(str(job)))
