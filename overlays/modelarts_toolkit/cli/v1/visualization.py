"""`modelarts v1 visualization`: TensorBoards of results in object storage."""

import secrets
from typing import TYPE_CHECKING, Any

import click

from modelarts_toolkit.cli import completion_values
from modelarts_toolkit.cli.escapes import escaped
from modelarts_toolkit.cli.groups import Command, Group, fail
from modelarts_toolkit.cli.job import lasted, when
from modelarts_toolkit.cli.job_logs import polling
from modelarts_toolkit.cli.options import with_terminal
from modelarts_toolkit.cli.terminal import Terminal

from .jobs import phase_of

if TYPE_CHECKING:
    from modelarts_api.v1.models import VisualizationJob
    from modelarts_toolkit import ModelArts

TOOLS = ("TensorBoard", "MindInsight")


@click.group(cls=Group, examples=("modelarts v1 visualization start obs://bucket/out/logs/ --open",))
def visualization() -> None:
    """Visualization jobs: each shows what lies below a folder of object storage in a TensorBoard."""


def _chosen(function: Any) -> Any:
    return click.argument("job", shell_complete=completion_values.visualizations)(function)


@visualization.command("list", cls=Command, examples=("modelarts v1 visualization list -o json",))
@click.argument("name", required=False)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Number of jobs at most.")
@with_terminal
def list_jobs(terminal: Terminal, name: str | None, limit: int) -> None:
    """List visualization jobs, the newest first; with NAME those whose names contain it."""
    from modelarts_toolkit.jobs._sync import visualizations

    found = visualizations.search(terminal.connect(), name, limit)
    rows = [
        {
            "name": each.job_name,
            "id": each.job_id,
            "status": phase_of(each),
            "created": when(each.created_at),
            "shows": each.train_url,
            "url": each.service_url,
        }
        for each in found
    ]
    terminal.show_rows(rows, [each.to_dict() for each in found], "No visualization jobs found.")


@visualization.command(cls=Command, examples=("modelarts v1 visualization get curves",))
@_chosen
@with_terminal
def get(terminal: Terminal, job: str) -> None:
    """Show a visualization job."""
    ma = terminal.connect()
    show(terminal, ma.v1.visualization_jobs.show_visualization_job(find(ma, job)))


@visualization.command(
    cls=Command,
    examples=(
        "modelarts v1 visualization start obs://bucket/out/logs/",
        "modelarts v1 visualization start /bucket/out/logs/ --name curves --hours 2 --open",
    ),
)
@click.argument("train_url", metavar="URL")
@click.option("--name", metavar="NAME", help="Of the job, up to 20 characters.  [default: made of the folder]")
@click.option("--tool", type=click.Choice(TOOLS, case_sensitive=False), default=TOOLS[0], show_default=True)
@click.option("--hours", type=click.IntRange(1, 24), help="Stop it after this number of hours.")
@click.option("--open", "is_opened", is_flag=True, help="Open it in the browser.")
@click.option("-d", "--detach", is_flag=True, help="Do not wait until it runs.")
@with_terminal
def start(
    terminal: Terminal,
    train_url: str,
    name: str | None,
    tool: str,
    hours: int | None,
    is_opened: bool,
    detach: bool,
) -> None:
    """Start a tool for the results in a folder of object storage, and print its address."""
    from modelarts_toolkit.jobs.info import folder_url

    ma = terminal.connect()
    folder = folder_url(train_url).removeprefix("obs:/")
    body: Any = {
        "job_name": name or f"show-{secrets.token_hex(4)}",
        "train_url": folder,
        "job_type": tool,
    }
    if hours:
        body["schedule"] = [{"type": "stop", "time_unit": "HOURS", "duration": hours}]
    created = ma.v1.visualization_jobs.create_visualization_job(body)
    job_id = int(created.job_id)
    terminal.note(f"Started {created.job_name} ({job_id}) for {folder}.")
    if detach and not is_opened:
        show(terminal, ma.v1.visualization_jobs.show_visualization_job(job_id))
    else:
        show_running(terminal, ma, job_id, is_opened=is_opened)


@visualization.command(cls=Command, examples=("modelarts v1 visualization restart curves --open",))
@_chosen
@click.option("--open", "is_opened", is_flag=True, help="Open it in the browser.")
@with_terminal
def restart(terminal: Terminal, job: str, is_opened: bool) -> None:
    """Start a job again that has ended, and print the address of its tool."""
    ma = terminal.connect()
    job_id = find(ma, job)
    ma.v1.visualization_jobs.restart_visualization_job(job_id)
    show_running(terminal, ma, job_id, is_opened=is_opened)


@visualization.command("open", cls=Command, examples=("modelarts v1 visualization open curves",))
@_chosen
@with_terminal
def open_command(terminal: Terminal, job: str) -> None:
    """Open the tool of a running job in the browser, and print its address."""
    ma = terminal.connect()
    show_running(terminal, ma, find(ma, job), is_opened=True)


@visualization.command(cls=Command, examples=("modelarts v1 visualization stop curves",))
@_chosen
@with_terminal
def stop(terminal: Terminal, job: str) -> None:
    """Stop a visualization job; `restart` starts it again."""
    ma = terminal.connect()
    job_id = find(ma, job)
    ma.v1.visualization_jobs.stop_visualization_job(job_id)
    show(terminal, ma.v1.visualization_jobs.show_visualization_job(job_id))


@visualization.command(cls=Command, examples=("modelarts v1 visualization delete curves --yes",))
@_chosen
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@with_terminal
def delete(terminal: Terminal, job: str, yes: bool) -> None:
    """Delete a visualization job; what it shows stays in object storage."""
    ma = terminal.connect()
    job_id = find(ma, job)
    if not yes:
        click.confirm(f"Delete visualization job {job}?", abort=True, err=True)
    ma.v1.visualization_jobs.delete_visualization_job(job_id)
    terminal.note(f"Deleted {job}.")


def find(ma: "ModelArts", job: str) -> int:
    """The id of the job that the user means; ends the command if there is none."""
    from modelarts_toolkit import ConfigError
    from modelarts_toolkit.cli.exit_status import REJECTED
    from modelarts_toolkit.jobs._sync import visualizations

    try:
        return visualizations.resolve(ma, job)
    except ConfigError as error:
        fail(str(error), REJECTED)


def show(terminal: Terminal, job: "VisualizationJob") -> None:
    """Print what most people want to know of a visualization job."""
    fields = {
        "Name": job.job_name,
        "Id": job.job_id,
        "Status": phase_of(job),
        "Created": when(job.created_at),
        "Ran": lasted(job.running_time),
        "Shows": job.train_url,
        "Address": job.service_url,
    }
    terminal.show_fields(fields, job.to_dict())


def show_running(terminal: Terminal, ma: "ModelArts", job_id: int, *, is_opened: bool) -> None:
    """Wait until the tool of a job runs, and print its address; ends the command if the job has ended instead."""
    from modelarts_toolkit.cli.exit_status import FAILED
    from modelarts_toolkit.jobs._sync import visualizations

    job = visualizations.wait_until_running(ma, job_id, poll=polling(terminal))
    if job.is_terminal or not job.service_url:
        remedy = f"modelarts v1 visualization restart {job.job_name} starts it again"
        fail(f"{job.job_name} does not run: {job.error_message or job.status_name}; {remedy}", FAILED)
    if not terminal.show_document(job.to_dict()):
        click.echo(escaped(job.service_url))
    if is_opened:
        click.launch(job.service_url)
