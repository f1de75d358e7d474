"""`modelarts job submit`, `check`, `schema` and `rerun`, and `modelarts v1 job submit`."""

import contextlib
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modelarts_api.phases import COMPLETED
from modelarts_toolkit.cli.groups import Command, fail
from modelarts_toolkit.cli.job_choice import chosen_by_argument, find_job, group_path, is_v1
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, upload_bar, with_short_format, with_terminal
from modelarts_toolkit.texts import counted

if TYPE_CHECKING:
    from modelarts_toolkit import Job
    from modelarts_toolkit.job_requests.job_request import JobRequest
    from modelarts_toolkit.jobfiles.file import JobFile
    from modelarts_toolkit.jobfiles.plan import JobPlan
    from modelarts_toolkit.jobs._sync.handles import JobHandle


NAMES = {"parameter": "parameters", "input": "inputs", "output": "outputs"}  # settings that have another name
_FILE = click.argument("file", required=False, type=click.Path(allow_dash=True))


def settings_of_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings; raises UsageError if --output has a format instead of an output channel."""
    if formats := {"table", "json", "yaml"} & set(given.get("output") or ()):
        raise click.UsageError(f"--output names an output channel: -o {formats.pop()} chooses how to print the result")
    settings = {NAMES.get(name, name): value for name, value in given.items()}
    return {name: value for name, value in settings.items() if value not in (None, ())}


@click.command(cls=Command)
@_FILE
@with_options("a job")
@with_options("job submit")
@with_short_format
def submit(
    terminal: Terminal,
    file: str | None,
    detach: bool,
    exact_name: bool,
    overwrite: bool,
    timeout: float | None,
    rehearse: float | None,
    **given: Any,
) -> None:
    """Submit the job that FILE or options describe, and follow it.

    FILE is YAML or JSON with the fields of the request, or short keys named like the options; - is standard input.
    Options take precedence over the file. Local folders are uploaded first, only what changed; outputs in local folders
    are downloaded at the end; files that the job did not write, and that differ, are replaced only with --overwrite.
    Files and options of ma-cli ma-job submit also work.

    The exit status is that of the job: 0 completed, 3 failed, 4 stopped. Ctrl-C leaves the job running.
    """
    from modelarts_toolkit import ConfigError
    from modelarts_toolkit.jobfiles._sync import preparation
    from modelarts_toolkit.local.script_python import with_own_python

    plan, document = read_plan(file, settings_of_options(given))
    if preparation.local_problems(plan):
        reject(terminal, plan, document, exact_name=exact_name)
    ma = terminal.connect()
    with contextlib.suppress(ConfigError):  # it is raised again
        preparation.set_engine(ma, plan)
    plan.request, python, note = with_own_python(ma.config, plan.request, plan.code or Path())
    if rehearse is not None:
        from modelarts_toolkit.cli.rehearsal import rehearse as run_rehearsal

        run_rehearsal(terminal, plan, rehearse, python)
    try:
        request = preparation.prepare(ma, plan, terminal.note, partial(upload_bar, terminal))
    except ConfigError:
        reject(terminal, plan, document, exact_name=exact_name)
        raise
    _warn(terminal, request, document)
    if note:
        terminal.note(note)
    submit = partial(ma.jobs.submit, request, timeout=timeout)
    job = create(terminal, submit, plan.name, unique=not plan.has_own_name, exact_name=exact_name)
    job.folders = plan.outputs
    follow(terminal, job, detach=detach, overwrite=overwrite)


@click.command("submit", cls=Command)
@click.argument("file", type=click.Path(allow_dash=True))
@with_options("v1 job submit")
@with_terminal
def submit_v1(terminal: Terminal, file: str, detach: bool, exact_name: bool) -> None:
    """Submit the job of a request of version 1, and follow it.

    FILE is YAML or JSON with the fields of the request (job_name, config, ...); - is standard input.
    """
    from modelarts_api.v1.models import CreateTrainingJobRequest
    from modelarts_toolkit.jobfiles._sync.preparation import reject as reject_problems
    from modelarts_toolkit.jobfiles.checks import check_fields
    from modelarts_toolkit.jobfiles.file import read_job_file

    document = read_job_file(file)
    reject_problems(check_fields(document.document, CreateTrainingJobRequest), document)
    body: Any = document.document
    submit = partial(terminal.connect().v1_jobs.submit, body)
    follow(terminal, create(terminal, submit, body["job_name"], unique=False, exact_name=exact_name), detach=detach)


@click.command(cls=Command)
@_FILE
@with_options("a job")
@with_options("job check")
@with_short_format
def check(terminal: Terminal, file: str | None, offline: bool, exact_name: bool, **given: Any) -> None:
    """Check a job before it is submitted, and print everything that is wrong; nothing is sent or uploaded.

    The command checks the fields, their types and combinations, local folders and the limits of a code directory.
    It asks the service about flavor, engine, number of nodes, code, boot file, inputs and the quota of jobs.
    """
    from modelarts_toolkit.errors import ArgumentError
    from modelarts_toolkit.jobfiles._sync import preparation
    from modelarts_toolkit.jobfiles.checks import Problem, dotted
    from modelarts_toolkit.jobfiles.settings import located
    from modelarts_toolkit.local.script_python import with_own_python
    from modelarts_toolkit.local_emulator import PYTHON

    plan, document = read_plan(file, settings_of_options(given))
    problems = preparation.local_problems(plan)
    if not offline:
        ma = terminal.connect()
        problems = preparation.problems_with_service(ma, plan, exact_name=exact_name)
        try:
            with_own_python(ma.config, plan.request, plan.code or Path())
        except ArgumentError as error:
            problems.append(Problem(("metadata", "annotations", PYTHON), str(error)))
    if terminal.show_document([{"field": dotted(each.path), "problem": each.text} for each in problems]):
        if problems:
            click.get_current_context().exit(1)
        return
    _warn(terminal, plan.staged(preparation.UNKNOWN_PLACE, "check")[0], document)
    if problems:
        fail("this job would not run:\n" + "\n".join(f"  {located(each, document)}" for each in problems), 1)
    click.echo(f"{plan.name}: no problem found.")


@click.command(cls=Command)
def schema() -> None:
    """Print the JSON Schema of job files, for completion and checks in editors."""
    from modelarts_toolkit.jobfiles.schema import job_file_schema

    click.echo(json.dumps(job_file_schema(), indent=2))


def _warn(terminal: Terminal, request: "JobRequest", document: "JobFile | None") -> None:
    """Say what the service may not do as the request means it."""
    from modelarts_toolkit.jobfiles.checks import warnings_about
    from modelarts_toolkit.jobfiles.settings import located

    for each in warnings_about(request):
        terminal.note(f"warning: {located(each, document)}")


def reject(terminal: Terminal, plan: "JobPlan", document: "JobFile | None", *, exact_name: bool) -> None:
    """Raise ConfigError with everything that is wrong with a plan, as `job check` finds it."""
    from modelarts_toolkit import ToolkitError
    from modelarts_toolkit.jobfiles._sync import preparation

    problems = preparation.local_problems(plan)
    with contextlib.suppress(ToolkitError):  # without the service, the local problems are enough
        problems = preparation.problems_with_service(terminal.connect(), plan, exact_name=exact_name)
    preparation.reject(problems, document)


@click.command(cls=Command)
@chosen_by_argument
@with_options("job rerun")
@with_terminal
def rerun(
    terminal: Terminal,
    job: str | None,
    last: bool,
    name: str | None,
    parameters: tuple[str, ...],
    trial: str | None,
    detach: bool,
) -> None:
    """Submit a job again, with the code, inputs and settings that the service has stored."""
    from modelarts_toolkit.job_requests.channels import output_folders
    from modelarts_toolkit.job_requests.request_body import with_parameters
    from modelarts_toolkit.jobfiles.settings import by_name
    from modelarts_toolkit.local.script_python import OF_JOB, ScriptPython, with_own_python, with_python
    from modelarts_toolkit.local_emulator import PYTHON, PYTHON_CHOSEN_BY
    from modelarts_toolkit.reading import entries, present, read

    ma = terminal.connect()
    found = find_job(ma, job, last=last)
    request = found.as_request(name=name)
    changed = by_name("parameters", parameters) if parameters else {}
    algorithm = request.setdefault("algorithm", {})
    if trial is not None:
        changed = {**parameters_of_trial(found, trial), **changed}
        algorithm.pop("policies", None)
    if changed:
        algorithm["parameters"] = with_parameters(entries(lambda: algorithm["parameters"], dict), changed)
    annotations = read(lambda: present(found.details.metadata.annotations), dict) or {}
    if PYTHON in annotations and PYTHON_CHOSEN_BY not in annotations:  # the job named it itself
        request = with_python(request, ScriptPython(annotations[PYTHON], OF_JOB))
    request, _, note = with_own_python(ma.config, request, Path())
    if note:
        terminal.note(note)
    submit = partial(ma.jobs.submit, request)
    new = create(terminal, submit, request["metadata"]["name"], unique=name is None, exact_name=name is not None)
    note_shared(terminal, found, new, output_folders(request) & set(found.outputs().values()))
    follow(terminal, new, detach=detach)


def note_shared(terminal: Terminal, earlier: "JobHandle", new: "JobHandle", folders: Iterable[str]) -> None:
    """Print the folders that two jobs write to."""
    if urls := ", ".join(sorted(folders)):
        terminal.note(f"{new.name} writes to the same folder as {earlier.name}: {urls}")


def parameters_of_trial(job: "Job", trial: str) -> dict[str, Any]:
    """Return the hyperparameters of a trial with this id or number; raises UsageError if it does not exist."""
    from modelarts_toolkit.job_requests.request_body import value_text
    from modelarts_toolkit.jobs.trials import configuration

    for row in job.trials():
        if trial in (row.get("trial_id"), row.get("number")):
            return {name: value_text(value) for name, value in configuration(row).items()}
    raise click.UsageError(f"{job.name} has no trial {trial}: modelarts search trials {job.name}")


def read_plan(file: str | None, settings: dict[str, Any]) -> "tuple[JobPlan, JobFile | None]":
    """Return the plan from a file and options, and the file with the options that replace its settings."""
    from modelarts_toolkit.jobfiles.file import read_job_file
    from modelarts_toolkit.jobfiles.plan import plan_of
    from modelarts_toolkit.jobfiles.settings import MERGED

    if file is None and not settings:
        raise click.UsageError("describe the job with a file or with options")
    document = None if file is None else read_job_file(file)
    return plan_of(document, settings), document and replace(document, replaced=frozenset(settings) - set(MERGED))


def create(
    terminal: Terminal,
    submit: "Callable[..., JobHandle]",
    name: str,
    *,
    unique: bool,
    exact_name: bool = False,
) -> "JobHandle":
    """Create the job; if its name is taken, add a suffix, unless `exact_name`."""
    from modelarts_api.codes import JOB_NAME_TAKEN, V1_NAME_TAKEN
    from modelarts_toolkit import ApiError

    try:
        job = submit(unique=unique)
    except ApiError as error:
        if exact_name or unique or error.error_code not in (JOB_NAME_TAKEN, V1_NAME_TAKEN):
            raise
        job = submit(unique=True)
        terminal.note(f"The name {name} is taken.")
    terminal.note(f"Submitted {job.name} ({job.id}).")
    return job


def follow(terminal: Terminal, job: "JobHandle", *, detach: bool, overwrite: bool = False) -> None:
    """Follow the job unless `detach`; at its end, download outputs that have local folders, and print its state."""
    from modelarts_toolkit.cli.job_logs import print_log, remedy_of

    if detach:
        if not terminal.show_document(job.details.to_dict()):
            click.echo(job.name if is_v1() else job.id)
        terminal.note(remedy_of(job, "Follow it"))
        if job.folders:
            terminal.note(f"Download its outputs: {group_path()} download {job.id} FOLDER --wait")
        return
    try:
        print_log(terminal, job, follow=True, to_stderr=terminal.format != "table")
    finally:
        if job.is_terminal:
            fetch(terminal, job, overwrite=overwrite)
    if not terminal.show_document(job.details.to_dict()):
        terminal.note(str(job))


def fetch(terminal: Terminal, job: "JobHandle", *, overwrite: bool) -> None:
    """Download the outputs that have local folders; an output may be empty, as of a failed job.

    Raises ObsError at the end if that was not possible, unless the job has not completed, which is another error.
    """
    from modelarts_toolkit import ObsError

    failure: ObsError | None = None
    for name, folder in job.folders.items():
        try:
            done = job.download_output(name, folder, overwrite=overwrite)
        except ObsError as error:
            failure = error
            terminal.note(f"The output {name} is at {job.outputs()[name]}: {group_path()} download {job.name} FOLDER")
            continue
        if done is None:
            terminal.note(f"The output {name} is empty.")
        else:
            terminal.note(f"Downloaded {name}: {counted(done.files, 'file')} to {folder}")
    if failure is not None and job.phase == COMPLETED:
        raise failure
