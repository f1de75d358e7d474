"""Find the job for a command: by id, by name, by the first characters of either, or the newest one."""

import contextlib
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

import click

from modelarts_toolkit.cli.groups import fail
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.texts import distinct_prefixes, first_of

if TYPE_CHECKING:
    from modelarts_toolkit import Job, Jobs, ModelArts, V1Job, V1Jobs
    from modelarts_toolkit.jobs._sync.handles import JobHandle
    from modelarts_toolkit.jobs.info import JobInfo

RANDOM = re.compile(r"[\da-f]{8}-[\da-f]{4}-4.*")  # a UUID without the time
NEWEST = 500  # jobs whose ids and names are compared with the first characters
SHORTEST_PREFIX = 4  # characters of an id or a name
MOST_NAMED = 20  # jobs that a message names


def is_v1() -> bool:
    """Whether the command belongs to `modelarts v1`."""
    return "v1" in click.get_current_context().command_path.split()


def group_path() -> str:
    """Return the words before a command about jobs of this version of the API."""
    return "modelarts v1 job" if is_v1() else "modelarts job"


def chosen_by_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the argument JOB and the option --last."""
    return click.argument("job", required=False)(with_options("a choice")(function))


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
        choices = first_of([f"{_name(each)} ({each.id})" for each in fitting], MOST_NAMED)
        how = "have the name" if wanted == _name(fitting[0]) else "begin with"
        fail(f'{len(fitting)} jobs {how} "{wanted}": {choices}', REJECTED)
    return jobs.get(f"{_name(fitting[0])}/{version}" if version else fitting[0].id)


def short_ids(ma: "ModelArts", listed: "Iterable[JobHandle | JobInfo]") -> dict[str, str]:
    """Return the shortest first characters of each id by which a command finds the job; in version 1 the whole id.

    Ids with the time in front begin alike, so they are compared with all jobs among which a command looks.
    """
    ids = {each.id for each in listed}
    if is_v1():
        return {each: each for each in ids}
    others = () if all(map(RANDOM.match, ids)) else ma.jobs.list(limit=NEWEST)
    return distinct_prefixes([*ids, *(each.id for each in others)])


def find_job(ma: "ModelArts", job: str | None, *, last: bool) -> "Job":
    """As `find_handle`, for a command of version 2."""
    return cast("Job", find_handle(ma, job, last=last))


def find_version(ma: "ModelArts", job: str | None, *, last: bool) -> "V1Job":
    """As `find_handle`, for a command of version 1."""
    return cast("V1Job", find_handle(ma, job, last=last))


def _name(job: "JobHandle") -> str:
    """Return the name of the job, without its version."""
    return job.name.partition("/")[0]
