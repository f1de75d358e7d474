"""`modelarts v1 job`: training jobs of version 1, and what is said of one of their versions."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelarts_toolkit.cli import completion_values
from modelarts_toolkit.cli.groups import Command, Group
from modelarts_toolkit.cli.job import announcing, lasted, when
from modelarts_toolkit.cli.job_logs import check_options, polling, print_log, reading_options
from modelarts_toolkit.cli.options import with_sources, with_terminal
from modelarts_toolkit.cli.terminal import Terminal, counted

from .choice import chosen_by_argument, find_job, find_version

if TYPE_CHECKING:
    from modelarts_api.v1.models import VisualizationJob, VisualizationJobSummary
    from modelarts_toolkit import V1Job

LAZY: Mapping[str, tuple[str, str]] = {
    "submit": (".v1.submit:submit", "Submit a job and follow it."),
    "check": (".v1.submit:check", "Check a job without submitting it."),
    "schema": (".v1.submit:schema", "Print the JSON Schema of job files."),
    "list": (".v1.jobs:list_jobs", "List jobs, the newest first."),
    "get": (".v1.jobs:get", "Show one job."),
    "logs": (".v1.jobs:logs", "Print or follow the log of a job."),
    "wait": (".v1.jobs:wait", "Wait until a job has ended."),
    "download": (".v1.jobs:download", "Fetch the results of a job."),
    "stop": (".v1.jobs:stop", "Stop a job."),
    "delete": (".v1.jobs:delete", "Delete a job with its versions."),
}


@click.group(cls=Group, lazy=LAZY, examples=("modelarts v1 job list", "modelarts v1 job logs sum/V0002 -f"))
def job() -> None:
    """Training jobs. A job is named by id or name, with /V0002 for a version other than the newest."""


@click.command("list", cls=Command, examples=("modelarts v1 job list", "modelarts v1 job list sum --status failed"))
@click.argument("name", required=False)
@click.option("--status", metavar="STATUS", help="Only jobs of this status, such as running or failed, or its number.")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Number of jobs at most.")
@with_terminal
def list_jobs(terminal: Terminal, name: str | None, status: str | None, limit: int) -> None:
    """List jobs, the newest first, each with the status of its newest version."""
    found = terminal.connect().v1_jobs.list(name=name, status=status_number(status), limit=limit)
    rows = [
        {
            "name": each.details.job_name,
            "id": each.job_id,
            "versions": each.version_count,
            "status": each.phase,
            "created": when(each.created_at),
            "ran": lasted(each.running_time),
        }
        for each in found
    ]
    terminal.show_rows(rows, [each.details.to_dict() for each in found], "No jobs found.")


@click.command(cls=Command, examples=("modelarts v1 job get sum", "modelarts v1 job get sum/V0001 -o json"))
@chosen_by_argument
@with_terminal
def get(terminal: Terminal, job: str | None, last: bool) -> None:
    """Show a job: its newest version, or the one that is named."""
    show(terminal, find_version(terminal.connect(), job, last=last))


def show(terminal: Terminal, job: "V1Job") -> None:
    """Print what most people want to know of a version."""
    version = job.details
    fields = {
        "Name": version.job_name,
        "Id": version.job_id,
        "Version": f"{version.version_name} ({version.version_id})",
        "Status": job.phase,
        "Number": f"{version.status} {version.status_name}",
        "Created": when(version.created_at),
        "Ran": lasted(version.running_time),
        "Description": version.job_desc,
        "Flavor": version.spec_code,
        "Nodes": version.worker_server_num,
        "Engine": version.engine_version,
        "Algorithm": version.model_id,
        "Image": version.user_image_url,
        "Code": version.app_url,
        "Boot file": version.boot_file_url,
        "Parameters": [f"{each.label}={each.value}" for each in version.parameter],
        "Data": version.data_url,
        "Results": version.train_url,
    }
    terminal.show_fields(fields, version.to_dict())


@click.command(
    cls=Command,
    examples=("modelarts v1 job logs sum -f", "modelarts v1 job logs sum/V0001 --all", "... --last --tail 100"),
)
@chosen_by_argument
@reading_options
@with_sources
def logs(terminal: Terminal, job: str | None, last: bool, **given: Any) -> None:
    """Print the log of a job as far as it is there, or follow it.

    A task is a node, such as worker-1, or the name of a log file.
    """
    check_options(given)
    found = find_version(terminal.connect(), job, last=last)
    print_log(terminal, found, remedy_of(found), **given)


@click.command(cls=Command, examples=("modelarts v1 job wait sum", "modelarts v1 job wait --last --timeout 3600"))
@chosen_by_argument
@click.option(
    "--timeout", type=click.FloatRange(0), metavar="SECONDS", help="Give up after this time; the job continues."
)
@with_terminal
def wait(terminal: Terminal, job: str | None, last: bool, timeout: float | None) -> None:
    """Wait until a job has ended: exit status 0 if completed, 3 failed, 4 stopped, 5 timed out."""
    found = find_version(terminal.connect(), job, last=last)
    found.wait(timeout=timeout, poll=polling(terminal), on_progress=announcing(terminal, found.name))
    say(terminal, found)


@click.command(cls=Command, examples=("modelarts v1 job stop sum", "modelarts v1 job stop sum/V0002 --wait"))
@chosen_by_argument
@click.option("--wait", "is_waiting", is_flag=True, help="Wait until it has ended.")
@with_terminal
def stop(terminal: Terminal, job: str | None, last: bool, is_waiting: bool) -> None:
    """Stop a job: its newest version, or the one that is named."""
    from modelarts_toolkit import JobStopped

    found = find_version(terminal.connect(), job, last=last)
    if found.is_terminal:
        terminal.note(f"{found.name} has ended already: {found.phase}.")
    else:
        found.stop()
        if is_waiting:
            with contextlib.suppress(JobStopped):
                found.wait(poll=polling(terminal))
    say(terminal, found)


@click.command(cls=Command, examples=("modelarts v1 job delete sum", "modelarts v1 job delete 12 --yes"))
@chosen_by_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@with_terminal
def delete(terminal: Terminal, job: str | None, last: bool, yes: bool) -> None:
    """Delete a job with all its versions; its results stay in object storage."""
    ma = terminal.connect()
    found, version = find_job(ma, job, last=last)
    if version is not None:
        raise click.UsageError(f"one version is deleted by: modelarts v1 version delete {job}")
    if not yes:
        click.confirm(
            f"Delete {found.details.job_name} with {counted(found.version_count or 0, 'version')}?",
            abort=True,
            err=True,
        )
    found.delete()
    terminal.note(f"Deleted {found.details.job_name} ({found.job_id}).")


@click.command(cls=Command, examples=("modelarts v1 job download sum out", "modelarts v1 job download --last out"))
@click.argument(
    "arguments", nargs=-1, metavar="[JOB[/VERSION]] FOLDER", shell_complete=completion_values.v1_job_then_folder
)
@click.option("--last", is_flag=True, help="Use the newest job.")
@click.option("--wait", "is_waiting", is_flag=True, help="First wait until it has ended.")
@with_terminal
def download(terminal: Terminal, arguments: tuple[str, ...], last: bool, is_waiting: bool) -> None:
    """Fetch what a job wrote to its train_url."""
    if len(arguments) != 2 - last:
        raise click.UsageError("name the job, or --last, and then the folder")
    ma, folder = terminal.connect(), Path(arguments[-1])
    found = find_version(ma, None if last else arguments[0], last=last)
    place = found.outputs().get("train_url")
    if place is None:
        raise click.ClickException(f"{found.name} has no train_url: there is no place for results")
    if is_waiting:
        found.wait(poll=polling(terminal), on_progress=announcing(terminal, found.name))
    done = ma.obs.download(place, folder)
    terminal.show_fields({"Files": done.files, "Bytes": done.bytes}, {"files": done.files, "bytes": done.bytes})


def remedy_of(version: "V1Job") -> str:
    """How to follow the version again, and how to stop it."""
    return f"Follow it again: modelarts v1 job logs {version.name} -f; stop it: modelarts v1 job stop {version.name}"


def phase_of(job: "VisualizationJob | VisualizationJobSummary") -> str:
    """What the status of a visualization job amounts to, such as Running."""
    from modelarts_toolkit.jobs.state import JobState

    return JobState.of(job).phase or ""


def say(terminal: Terminal, version: "V1Job") -> None:
    """Print a version in a line, or as a document."""
    if not terminal.show_document(version.details.to_dict()):
        click.echo(f"{version.name} {version.phase} {lasted(version.running_time)}".rstrip())


def status_number(text: str | None) -> int | None:
    """The number of a status that is given as such or by its name; raises UsageError for others."""
    from modelarts_api.phases import STATUS_NAMES

    if text is None:
        return None
    names = {name.removeprefix("JOBSTAT_").lower(): number for number, name in STATUS_NAMES.items()}
    found = int(text) if text.isdigit() else names.get(text.lower().removeprefix("jobstat_").replace("-", "_"))
    if found not in STATUS_NAMES:
        raise click.UsageError(f"{text!r} is not a status: use {', '.join(names)}, or a number")
    return found
