"""The job of version 1 that a command is about: by id, by name or how it begins, by `NAME/V0002`, or the newest."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from modelarts_toolkit.cli import completion_values
from modelarts_toolkit.cli.groups import fail
from modelarts_toolkit.cli.job_choice import NEWEST, SHORTEST_PREFIX

NONE_YET = "training job of version 1 yet; modelarts v1 job submit makes one"

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts, V1Job


def chosen_by_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the argument JOB and the option --last."""
    last = click.option("--last", is_flag=True, help="Use the newest job.")
    argument = click.argument("job", metavar="JOB[/VERSION]", required=False, shell_complete=completion_values.v1_jobs)
    return argument(last(function))


def find_job(ma: "ModelArts", job: str | None, *, last: bool) -> "tuple[V1Job, str | None]":
    """The job that the user means, and the version if one is named; ends the command if there is none."""
    from modelarts_toolkit.cli.exit_status import REJECTED

    if (job is None) != last:
        raise click.UsageError(
            "name one job: its id, its name, the first characters of its name, NAME/V0002, or --last"
        )
    if job is None:
        newest = ma.v1_jobs.list(limit=1)
        if not newest:
            raise click.ClickException(f"this project has no {NONE_YET}")
        return newest[0], None
    wanted, _, version = job.partition("/")
    known = ma.v1_jobs.list(name=None if is_number(wanted) else wanted, limit=NEWEST)
    fitting = [each for each in known if wanted in (each.details.job_name, str(each.job_id))]
    if not fitting and len(wanted) >= SHORTEST_PREFIX:
        fitting = [each for each in known if str(each.details.job_name).startswith(wanted)]
    if not fitting:
        hint = _hint(wanted, ma.v1_jobs.list(limit=NEWEST))
        fail(f'there is no job "{wanted}" of version 1{hint}', REJECTED)
    if len(fitting) > 1:
        choices = ", ".join(f"{each.details.job_name} ({each.job_id})" for each in fitting[:5])
        fail(f'"{wanted}" begins {len(fitting)} names: {choices}', REJECTED)
    return fitting[0], version or None


def find_version(ma: "ModelArts", job: str | None, *, last: bool) -> "V1Job":
    """The version that the user means, the newest one of the job unless one is named."""
    from modelarts_toolkit import NotFound
    from modelarts_toolkit.cli.exit_status import REJECTED

    found, version = find_job(ma, job, last=last)
    try:
        return ma.v1_jobs.get(found.job_id, version)
    except NotFound as error:
        if error.error_code is not None:
            raise
        fail(error.error_msg.replace(f"job {found.job_id} has", f"job {found.details.job_name} has"), REJECTED)


def is_number(text: str) -> bool:
    """Whether the text is an id."""
    return text.isascii() and text.isdigit()


def _hint(job: str, known: "list[V1Job]") -> str:
    near = get_close_matches(job, [str(each.details.job_name) for each in known], 3)
    if near:
        return f"; did you mean {', '.join(near)}?"
    return ': "modelarts v1 job list" shows those that there are' if known else f": this project has no {NONE_YET}"
