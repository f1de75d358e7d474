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
from modelarts_toolkit.cli.job_logs import polling
from modelarts_toolkit.cli.options import with_terminal
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.texts import when

if TYPE_CHECKING:
    from modelarts_api.v1.models import VisualizationJob, VisualizationJobSummary
    from modelarts_toolkit import ModelArts

TOOLS = ("TensorBoard", "MindInsight")


@click.group(cls=Group, examples=("modelarts v1 visualization start obs://bucket/out/logs/ --open",))
def visualization() -> None:
    """Visualization jobs: each shows a folder of object storage in a TensorBoard."""


@visualization.command("list", cls=Command, examples=("modelarts v1 visualization list -o json",))
@click.argument("name", required=False)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Maximum number.")
@with_terminal
def list_jobs(terminal: Terminal, name: str | None, limit: int) -> None:
    """List visualization jobs, newest first; with NAME, only those whose names contain it."""
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
@click.option("--name", metavar="NAME", help="Name of the job, up to 20 characters.  [default: show-, with a suffix]")
@click.option("--tool", type=click.Choice(TOOLS, case_sensitive=False), default=TOOLS[0], show_default=True)
@click.option("--hours", type=click.IntRange(1, 24), help="Stop it after this number of hours.")
@click.option("--open", "is_opened", is_flag=True, help="Open it in the browser.")
@with_terminal
def start(terminal: Terminal, train_url: str, name: str | None, tool: str, hours: int | None, is_opened: bool) -> None:
    """Start a tool for the results in a folder of object storage, and print its address once it runs."""
    from modelarts_toolkit.cli.exit_status import FAILED
    from modelarts_toolkit.jobs.info import folder_url
    from modelarts_toolkit.jobs.polling import Pace

    api = terminal.connect().v1.visualization_jobs
    folder, pace = folder_url(train_url).removeprefix("obs:/"), Pace(polling(terminal))
    body: Any = {"job_name": name or f"show-{secrets.token_hex(4)}", "train_url": folder, "job_type": tool}
    if hours:
        body["schedule"] = [{"type": "stop", "time_unit": "HOURS", "duration": hours}]
    job_id = int(api.create_visualization_job(body).job_id)
    terminal.note(f"Started {body['job_name']} ({job_id}) for {folder}.")
    while not (job := api.show_visualization_job(job_id)).is_terminal:
        if phase_of(job) == RUNNING and job.service_url:
            break
        time.sleep(pace.after(news=False))
    else:
        fail(f"{job.job_name} does not run: {job.error_message or job.status_name}", FAILED)
    if not terminal.show_document(job.to_dict()):
        click.echo(escaped(job.service_url or ""))
    if is_opened and job.service_url:
        click.launch(job.service_url)


@visualization.command(cls=Command, examples=("modelarts v1 visualization stop curves",))
@click.argument("job")
@with_terminal
def stop(terminal: Terminal, job: str) -> None:
    """Stop a visualization job."""
    ma = terminal.connect()
    ma.v1.visualization_jobs.stop_visualization_job(find(ma, job))
    terminal.note(f"Stopped {job}.")


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
    """Iterate over the jobs whose names contain `name`, newest first."""
    from modelarts_api.types import UNSET

    return ma.v1.visualization_jobs.iter_visualization_jobs(
        sort_by="create_time", order="desc", search_content=name or UNSET
    )


def find(ma: "ModelArts", job: str) -> int:
    """Return the id of a job with this name or id; ends the command if it does not exist."""
    from modelarts_toolkit.cli.exit_status import REJECTED

    if job.isascii() and job.isdigit():
        return int(job)
    found = next((each for each in search(ma, job) if each.job_name == job), None)
    if found is None:
        remedy = "modelarts v1 visualization list shows all"
        fail(f'there is no visualization job "{job}": {remedy}', REJECTED)
    return int(found.job_id)


def phase_of(job: "VisualizationJob | VisualizationJobSummary") -> str:
    """Return the phase for the status of a visualization job, such as Running."""
    from modelarts_toolkit.jobs.state import phase_of_status

    return phase_of_status(job.status_name)
