"""The job that a command is about: by id, by name, by the first characters of either, or the newest one."""

import contextlib
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from . import completion_values
from .groups import fail

if TYPE_CHECKING:
    from modelarts_toolkit import Job, ModelArts

NEWEST = 500  # jobs whose ids and names are compared with the first characters
SHORTEST_PREFIX = 4  # characters of an id or a name
NONE_YET = "this project has no training job yet; modelarts job submit makes one"


def chosen_by_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the argument JOB and the option --last."""
    last = click.option("--last", is_flag=True, help="Use the newest job.")
    return click.argument("job", required=False, shell_complete=completion_values.jobs)(last(function))


def find_job(ma: "ModelArts", job: str | None, *, last: bool) -> "Job":
    """The job that the user means; raises UsageError if none is named, ClickException if it is not found."""
    if (job is None) != last:
        raise click.UsageError("name one job: its id, its name, the first characters of either, or --last")
    if job is None:
        newest = ma.jobs.list(limit=1)
        if not newest:
            raise click.ClickException(NONE_YET)
        return newest[0].refresh()
    from modelarts_toolkit import BadRequest, NotFound

    from .exit_status import REJECTED

    with contextlib.suppress(NotFound, BadRequest):  # a bad request: a text that cannot be an id
        return ma.jobs.get(job)
    known = ma.jobs.list(limit=NEWEST)
    is_prefix = len(job) >= SHORTEST_PREFIX
    fitting = [each for each in known if is_prefix and (each.id.startswith(job) or each.name.startswith(job))]
    if not fitting:
        fail(f'there is no job "{job}"{_hint(job, known)}', REJECTED)
    if len(fitting) > 1:
        choices = ", ".join(f"{each.name} ({each.id})" for each in fitting[:5])
        fail(f'{len(fitting)} jobs begin with "{job}": {choices}', REJECTED)
    return fitting[0].refresh()


def _hint(job: str, known: "list[Job]") -> str:
    near = get_close_matches(job, [each.name for each in known], 3)
    if near:
        return f"; did you mean {', '.join(near)}?"
    return ': "modelarts job list" shows those that there are' if known else f": {NONE_YET}"
