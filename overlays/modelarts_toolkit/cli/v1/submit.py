"""`modelarts v1 job submit`."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from modelarts_toolkit.cli import completion_values
from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.job_options import describing_a_job, settings_of_options
from modelarts_toolkit.cli.job_submit import (
    TIMEOUT,
    fetch,
    locally_checked,
    prepared,
    show_problems,
    with_options,
)
from modelarts_toolkit.cli.options import with_short_format
from modelarts_toolkit.cli.terminal import Terminal

from .jobs import remedy_of, say

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts, V1Job
    from modelarts_toolkit.jobfiles.file import JobFile
    from modelarts_toolkit.jobfiles.v1_plan import V1Plan


@click.command(
    cls=Command,
    examples=(
        "modelarts v1 job submit job.yaml",
        "modelarts v1 job submit job.json --parameter num_epoch=3 --detach",
        "modelarts v1 job submit --config digits --name digits-2",
        "modelarts v1 job submit --code . --boot train.py --engine TF-1.8.0-python3.6 \\",
        "    --flavor modelarts.vm.cpu.8u --input ./data --output ./out",
    ),
)
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@describing_a_job
@click.option(
    "--config",
    metavar="NAME",
    shell_complete=completion_values.v1_configs,
    help="Start from a stored configuration: v1 config list.",
)
@click.option("-d", "--detach", is_flag=True, help="Do not follow the job.")
@click.option("--exact-name", is_flag=True, help="Fail if the name is taken, instead of adding a suffix.")
@TIMEOUT
@with_short_format
def submit(
    terminal: Terminal,
    file: str | None,
    config: str | None,
    detach: bool,
    exact_name: bool,
    timeout: float | None,
    **given: Any,
) -> None:
    """Submit a job of version 1 that FILE or options describe, and follow it.

    FILE is YAML or JSON with the fields of the request (job_name, config), the short keys of job submit, or both.
    app_url, data_url and train_url can be local folders: code and data are uploaded first, results are downloaded at
    the end. The script gets URLs of object storage and copies itself.
    """
    plan, document = read_plan(file, settings_of_options(given), stored_settings(terminal, config))
    locally_checked(plan, document)
    ma = terminal.connect()
    request = prepared(terminal, ma, plan)
    job = create(terminal, ma, request, unique=not plan.has_own_name, exact_name=exact_name, timeout=timeout)
    job.folders = plan.outputs
    follow(terminal, job, detach=detach)


@click.command(
    cls=Command, examples=("modelarts v1 job check job.yaml", "modelarts v1 job check job.yaml --offline -o json")
)
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@describing_a_job
@click.option("--offline", is_flag=True, help="Do not ask the service which engines and flavors there are.")
@with_short_format
def check(terminal: Terminal, file: str | None, offline: bool, **given: Any) -> None:
    """Check a job of version 1 before it is submitted, and print everything that is wrong; nothing is uploaded."""
    plan, document = read_plan(file, settings_of_options(given))
    show_problems(terminal, plan, document, offline=offline)


@click.command(cls=Command, examples=("modelarts v1 job schema > v1-job.schema.json",))
def schema() -> None:
    """Print the JSON Schema of job files of version 1, with which editors complete and check them."""
    from modelarts_toolkit.jobfiles.schema import v1_job_file_schema

    click.echo(json.dumps(v1_job_file_schema(), indent=2))


def read_plan(
    file: str | None, settings: dict[str, Any], stored: Mapping[str, Any] | None = None, *, is_stored: bool = False
) -> "tuple[V1Plan, JobFile | None]":
    """The plan of stored settings, a file and options, and the file; `is_stored` if a configuration is made of it."""
    from modelarts_toolkit.jobfiles.file import JobFile, read_job_file
    from modelarts_toolkit.jobfiles.v1_plan import FIELDS, v1_plan_of
    from modelarts_toolkit.jobs.v1_requests import replaced

    if file is None and not settings and stored is None:
        raise click.UsageError("describe the job: by a file, by options, or by --config")
    document = None if file is None else read_job_file(file)
    if stored is None:
        return v1_plan_of(document, settings, is_stored=is_stored), with_options(document, settings)
    if document is not None:
        raise click.UsageError("--config and FILE both describe the job: give one, and options for what differs")
    kept = replaced(stored, [FIELDS[name] for name in settings if name in FIELDS])
    return v1_plan_of(JobFile("configuration", {"config": kept}), settings), None


def stored_settings(terminal: Terminal, name: str | None) -> Mapping[str, Any] | None:
    """The settings of a stored configuration, as a job's request has them."""
    if name is None:
        return None
    from modelarts_api.v1.models import TrainingConfigRequest
    from modelarts_toolkit.jobs.v1_requests import settings_of

    found = terminal.connect().v1.training_job_configs.show_training_job_config(name)
    return settings_of(found, TrainingConfigRequest)


def create(
    terminal: Terminal, ma: "ModelArts", request: Any, *, unique: bool, exact_name: bool, timeout: float | None
) -> "V1Job":
    """Create the job; if its name is taken, with a suffix, unless the name has to be exact."""
    from modelarts_toolkit import ApiError
    from modelarts_toolkit.jobs._sync.v1_jobs import NAME_TAKEN

    try:
        job = ma.v1_jobs.submit(request, unique=unique, timeout=timeout)
    except ApiError as error:
        if exact_name or unique or error.error_code != NAME_TAKEN:
            raise
        job = ma.v1_jobs.submit(request, unique=True, timeout=timeout)
        terminal.note(f"The name {request['job_name']} is taken.")
    terminal.note(f"Submitted {job.details.job_name} ({job.job_id}).")
    return job


def follow(terminal: Terminal, job: "V1Job", *, detach: bool) -> None:
    """Follow a new version unless `detach`, fetch its results into local folders, and print what became of it."""
    from modelarts_toolkit.cli.job_logs import print_log

    if not job.has_version:  # create_version: false
        if not terminal.show_document(job.details.to_dict()):
            click.echo(job.job_id)
        return
    version = job.refresh()
    name = version.name
    if detach:
        if not terminal.show_document(version.details.to_dict()):
            click.echo(name)
        terminal.note(f"Follow it: modelarts v1 job logs {name} -f; stop it: modelarts v1 job stop {name}")
        return
    try:
        print_log(terminal, version, remedy_of(version), follow=True, to_stderr=terminal.format != "table")
    finally:
        if version.refresh().is_terminal:
            fetch(terminal, version)
    if terminal.format != "table" or not terminal.quiet:
        say(terminal, version)
