"""`modelarts v1 job submit`."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelarts_toolkit.cli import completion_values
from modelarts_toolkit.cli.groups import Command, fail
from modelarts_toolkit.cli.job_options import describing_a_job, settings_of_options
from modelarts_toolkit.cli.job_submit import (
    TIMEOUT,
    UploadReporter,
    fetch,
    show_problems,
    with_options,
)
from modelarts_toolkit.cli.options import with_short_format
from modelarts_toolkit.cli.terminal import Terminal

from .jobs import remedy_of, say

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts, V1Job
    from modelarts_toolkit.jobfiles.checks import Problem
    from modelarts_toolkit.jobfiles.file import JobFile
    from modelarts_toolkit.jobfiles.v1_plan import V1Plan


PROGRAM_FIELDS = ("boot_file_url", "model_id", "user_image_url")


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
    settings = settings_of_options(given)
    plan, document = read_plan(file, settings, stored_settings(terminal, config))
    run_id = secrets.token_hex(4)
    local_check(plan, document, run_id)
    ma = terminal.connect()
    request, outputs = prepared(terminal, ma, plan, run_id)
    job = create(terminal, ma, request, unique=not plan.plan.has_own_name, exact_name=exact_name, timeout=timeout)
    follow(terminal, ma, job, outputs, detach=detach)


@click.command(
    cls=Command, examples=("modelarts v1 job check job.yaml", "modelarts v1 job check job.yaml --offline -o json")
)
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@describing_a_job
@click.option("--offline", is_flag=True, help="Do not ask the service which engines and flavors there are.")
@with_short_format
def check(terminal: Terminal, file: str | None, offline: bool, **given: Any) -> None:
    """Check a job of version 1 before it is submitted, and print everything that is wrong; nothing is uploaded."""
    from modelarts_toolkit import ConfigError
    from modelarts_toolkit.jobfiles._sync import lookups, submission
    from modelarts_toolkit.jobfiles.checks import Problem

    settings = settings_of_options(given)
    plan, document = read_plan(file, settings)
    problems = problems_of(plan, "check")
    if not offline and not problems:
        ma = terminal.connect()
        if plan.plan.engine:
            try:
                lookups.choose_v1_engine(ma, plan.plan.engine)
            except ConfigError as error:
                problems.append(Problem(("config", "engine_id"), str(error)))
        request, uploads = plan.staged(plan.plan.staging or submission.UNKNOWN_PLACE, "check")
        problems += lookups.check_v1_with_service(ma, request, [each.url for each in uploads])
    show_problems(terminal, problems, document, plan.plan.name)


def problems_of(plan: "V1Plan", run_id: str, *, is_stored: bool = False) -> "list[Problem]":
    """What is wrong with the request and the local code, as far as the documents say."""
    from modelarts_api.v1.models import CreateTrainingJobRequest
    from modelarts_toolkit.jobfiles._sync import submission
    from modelarts_toolkit.jobfiles.checks import Problem, check_fields

    request, _ = plan.staged(plan.plan.staging or submission.UNKNOWN_PLACE, run_id)
    problems = [
        *plan.plan.problems,
        *submission.code_problems(plan.plan),
        *check_fields(request, CreateTrainingJobRequest),
    ]
    if not is_stored and not any(request["config"].get(field) for field in PROGRAM_FIELDS):
        problems.append(Problem(("config",), "says nothing to run: give code and a boot file, a model_id, or an image"))
    return problems


def read_plan(
    file: str | None, settings: dict[str, Any], stored: Mapping[str, Any] | None = None
) -> "tuple[V1Plan, JobFile | None]":
    """The plan of stored settings, a file and options, and the file."""
    from modelarts_toolkit.jobfiles.file import JobFile, read_job_file
    from modelarts_toolkit.jobfiles.v1_plan import FIELDS, v1_plan_of
    from modelarts_toolkit.jobs.v1_requests import replaced

    if file is None and not settings and stored is None:
        raise click.UsageError("describe the job: by a file, by options, or by --config")
    document = None if file is None else read_job_file(file)
    if stored is None:
        return v1_plan_of(document, settings), with_options(document, settings)
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


def local_check(plan: "V1Plan", document: "JobFile | None", run_id: str, *, is_stored: bool = False) -> None:
    """End the command if the request is wrong, before anything is sent; what `is_stored` need not be complete."""
    from modelarts_toolkit.jobfiles.places import located

    if problems := problems_of(plan, run_id, is_stored=is_stored):
        what = "the configuration was not stored" if is_stored else "the job was not submitted"
        fail(f"{what}:\n" + "\n".join(f"  {located(each, document)}" for each in problems), 1)


def prepared(
    terminal: Terminal, ma: "ModelArts", plan: "V1Plan", run_id: str
) -> tuple[dict[str, Any], dict[str, Path]]:
    """Choose the engine, and upload what is local: the request, and local folders for the results."""
    from modelarts_toolkit.jobfiles._sync import lookups, submission

    if plan.plan.engine:
        plan.config["engine_id"] = lookups.choose_v1_engine(ma, plan.plan.engine)
    place = submission.staging_url(ma, plan.plan)
    request, uploads = plan.staged(place, run_id)
    if plan.plan.needs_staging:
        submission.upload_all(ma, place, uploads, UploadReporter(terminal))
    return request, plan.plan.outputs


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


def follow(terminal: Terminal, ma: "ModelArts", job: "V1Job", outputs: Mapping[str, Path], *, detach: bool) -> None:
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
    is_text = terminal.format == "table"
    try:
        print_log(terminal, version, remedy_of(version), follow=True, to_stderr=not is_text)
    finally:
        version.refresh()
        if version.is_terminal and outputs:
            fetch(terminal, ma, version.outputs(), outputs)
    if terminal.format != "table" or not terminal.quiet:
        say(terminal, version)
