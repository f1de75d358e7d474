"""`modelarts v1 visualization`: TensorBoards of results in object storage."""

import secrets
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from modelarts_api.phases import RUNNING
from modelarts_toolkit.cli.escapes import escaped
from modelarts_toolkit.cli.groups import Command, Group, fail
from modelarts_toolkit.cli.job import lasted, when
from modelarts_toolkit.cli.job_logs import polling
from modelarts_toolkit.cli.options import with_terminal
from modelarts_toolkit.cli.terminal import Terminal

if TYPE_CHECKING:
    from modelarts_api.v1.models import VisualizationJob, VisualizationJobSummary
    from modelarts_toolkit import ModelArts

TOOLS = ("TensorBoard", "MindInsight")


@click.group(cls=Group, examples=("modelarts v1 visualization start obs://bucket/out/logs/ --open",))
def visualization() -> None:
    """Visualization jobs: each shows what lies below a folder of object storage in a TensorBoard."""


@visualization.command("list", cls=Command, examples=("modelarts v1 visualization list -o json",))
@click.argument("name", required=False)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Number of jobs at most.")
@with_terminal
def list_jobs(terminal: Terminal, name: str | None, limit: int) -> None:
    """List visualization jobs, the newest first; with NAME those whose names contain it."""
    found = [*islice(search(terminal.connect(), name), limit)]
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


@visualization.command(cls=Command, examples=("modelarts v1 visualization stop curves",))
@click.argument("job")
@with_terminal
def stop(terminal: Terminal, job: str) -> None:
    """Stop a visualization job."""
    ma = terminal.connect()
    job_id = find(ma, job)
    ma.v1.visualization_jobs.stop_visualization_job(job_id)
    show(terminal, ma.v1.visualization_jobs.show_visualization_job(job_id))


@visualization.command(cls=Command, examples=("modelarts v1 visualization delete curves --yes",))
@click.argument("job")
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


def search(ma: "ModelArts", name: str | None) -> "Iterator[VisualizationJobSummary]":
    """The jobs whose names contain `name`, the newest first."""
    from modelarts_api.types import UNSET

    return ma.v1.visualization_jobs.iter_visualization_jobs(
        sort_by="create_time", order="desc", search_content=name or UNSET
    )


def find(ma: "ModelArts", job: str) -> int:
    """The id of the job that the user means; ends the command if there is none."""
    from modelarts_toolkit.cli.exit_status import REJECTED

    if job.isascii() and job.isdigit():
        return int(job)
    found = next((each for each in search(ma, job) if each.job_name == job), None)
    if found is None:
        remedy = "modelarts v1 visualization list shows those that there are"
        fail(f'there is no visualization job "{job}": {remedy}', REJECTED)
    return int(found.job_id)


def phase_of(job: "VisualizationJob | VisualizationJobSummary") -> str:
    """What the status of a visualization job amounts to, such as Running."""
    from modelarts_toolkit.jobs.state import JobState

    return JobState.of(job).phase or ""


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
    from modelarts_toolkit.jobs.polling import Pace

    pace = Pace(polling(terminal))
    while not (job := ma.v1.visualization_jobs.show_visualization_job(job_id)).is_terminal:
        if phase_of(job) == RUNNING and job.service_url:
            break
        time.sleep(pace.after(news=False))
    else:
        fail(f"{job.job_name} does not run: {job.error_message or job.status_name}", FAILED)
    if not terminal.show_document(job.to_dict()):
        click.echo(escaped(job.service_url or ""))
    if is_opened and job.service_url:
        click.launch(job.service_url)
