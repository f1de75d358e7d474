"""Find the job for a command: by id, by name, by the first characters of either, or the newest one."""

import contextlib
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

import click

from modelarts_toolkit.cli.groups import fail

if TYPE_CHECKING:
    from modelarts_toolkit import Job, Jobs, ModelArts, V1Job, V1Jobs
    from modelarts_toolkit.jobs._sync.handles import JobHandle

NEWEST = 500  # jobs whose ids and names are compared with the first characters
OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace local files that the job did not write.")
SHORTEST_PREFIX = 4  # characters of an id or a name


def is_v1() -> bool:
    """Whether the command belongs to `modelarts v1`."""
    return "v1" in click.get_current_context().command_path.split()


def group_path() -> str:
    """Return the words before a command about jobs of this version of the API."""
    return "modelarts v1 job" if is_v1() else "modelarts job"


def chosen_by_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the argument JOB and the option --last."""
    last = click.option("--last", is_flag=True, help="Use the newest job.")
    return click.argument("job", required=False)(last(function))


def jobs_of(ma: "ModelArts") -> "Jobs | V1Jobs":
    """Return the jobs of the command's version of the API."""
    return ma.v1_jobs if is_v1() else ma.jobs


def find_handle(ma: "ModelArts", job: str | None, *, last: bool) -> "JobHandle":
    """Find the job; in version 1 its newest version, or the version in `NAME/V0002`.

    Raises UsageError if no job is given, ClickException if it is not found.
    """
    if (job is None) != last:
        raise click.UsageError("name one job: its id, its name, the first characters of either, or --last")
    jobs, none_yet = jobs_of(ma), f"this project has no training job yet; {group_path()} submit creates one"
    if job is None:
        newest = jobs.list(limit=1)
        if not newest:
            raise click.ClickException(none_yet)
        return newest[0].refresh()
    from modelarts_toolkit import BadRequest, NotFound
    from modelarts_toolkit.cli.exit_status import REJECTED

    with contextlib.suppress(NotFound, BadRequest):  # a bad request: a text that cannot be an id
        return jobs.get(job)
    wanted, _, version = job.partition("/")
    known: list[JobHandle] = [*jobs.list(limit=NEWEST)]
    fitting = [each for each in known if wanted == _name(each)]
    if not fitting and len(wanted) >= SHORTEST_PREFIX:
        fitting = [each for each in known if each.id.startswith(wanted) or _name(each).startswith(wanted)]
    if not fitting:
        near = get_close_matches(wanted, map(_name, known), 3)
        others = f': "{group_path()} list" shows all jobs' if known else f": {none_yet}"
        fail(f'there is no job "{wanted}"' + (f"; did you mean {', '.join(near)}?" if near else others), REJECTED)
    if len(fitting) > 1:
        choices = ", ".join(f"{_name(each)} ({each.id})" for each in fitting[:5])
        fail(f'{len(fitting)} jobs begin with "{wanted}": {choices}', REJECTED)
    return jobs.get(f"{_name(fitting[0])}/{version}" if version else fitting[0].id)


def find_job(ma: "ModelArts", job: str | None, *, last: bool) -> "Job":
    """As `find_handle`, for a command of version 2."""
    return cast("Job", find_handle(ma, job, last=last))


def find_version(ma: "ModelArts", job: str | None, *, last: bool) -> "V1Job":
    """As `find_handle`, for a command of version 1."""
    return cast("V1Job", find_handle(ma, job, last=last))


def _name(job: "JobHandle") -> str:
    """Return the name of the job, without its version."""
    return job.name.partition("/")[0]
