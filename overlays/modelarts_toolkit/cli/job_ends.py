"""`modelarts job stop` and `delete`: one job, or several by ids, names and patterns."""

import contextlib
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from modelarts_toolkit.cli.escapes import escaped
from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.job_choice import find_handle, is_v1, jobs_of
from modelarts_toolkit.cli.job_logs import polling
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, with_terminal
from modelarts_toolkit.texts import counted, first_of

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts
    from modelarts_toolkit.jobs._sync.handles import JobHandle

WILDCARDS = "*?["
NAMED = 10  # jobs in a question
_JOBS = click.argument("words", nargs=-1, metavar="JOB...")


@click.command(cls=Command)
@_JOBS
@with_options("job stop")
@with_terminal
def stop(terminal: Terminal, words: tuple[str, ...], last: bool, yes: bool, is_waiting: bool) -> None:
    """Stop jobs, given by ids, names, or patterns of names with * and ?.

    A pattern means the jobs that have not ended. On a terminal, the command asks before it stops several.
    """
    found = find_handles(terminal.connect(), words, last=last, is_active=True)
    if len(found) > 1 and not yes and sys.stdin.isatty():
        confirm("Stop", found)

    def stop_one(job: "JobHandle") -> None:
        from modelarts_toolkit import JobStopped

        if job.is_terminal:
            terminal.note(f"{job.name} has already ended: {job.phase}.")
        else:
            job.stop()
            if is_waiting:
                with contextlib.suppress(JobStopped):
                    job.wait(poll=polling(terminal))
        if terminal.format == "table":
            click.echo(escaped(str(job)))

    status = for_each(found, stop_one)
    documents = [job.details.to_dict() for job in found]
    terminal.show_document(documents[0] if len(documents) == 1 else documents)
    click.get_current_context().exit(status)


@click.command(cls=Command)
@_JOBS
@with_options("job delete")
@with_terminal
def delete(terminal: Terminal, words: tuple[str, ...], last: bool, yes: bool) -> None:
    """Delete jobs, given by ids, names, or patterns of names with * and ?; their outputs stay in object storage.

    Running jobs are also deleted. In version 1, this deletes all versions of a job; v1 version delete deletes one.
    """
    if is_v1() and (word := next((word for word in words if "/" in word), None)):
        raise click.UsageError(f"to delete one version, use: modelarts v1 version delete {word}")
    found = find_handles(terminal.connect(), words, last=last)
    if not yes:
        confirm("Delete", found)

    def delete_one(job: "JobHandle") -> None:
        job.delete()
        terminal.note(f"Deleted {job.name} ({job.id}).")

    click.get_current_context().exit(for_each(found, delete_one))


def find_handles(ma: "ModelArts", words: tuple[str, ...], *, last: bool, is_active: bool = False) -> "list[JobHandle]":
    """Find the jobs, each once; patterns find all jobs with such names, with `is_active` those that have not ended.

    Raises ClickException for a pattern that finds none.
    """
    if not words:
        return [find_handle(ma, None, last=last)]
    found: list[JobHandle] = []
    for word in words:
        if not any(sign in word for sign in WILDCARDS):
            found.append(find_handle(ma, word, last=last))
            continue
        fitting = [
            job
            for job in jobs_of(ma).list(name=_longest_part(word))
            if fnmatchcase(job.name, word) and not (is_active and job.is_terminal)
        ]
        if not fitting:
            raise click.ClickException(f"no {'active ' if is_active else ''}job has a name like {word}")
        found += fitting
    return list({job.key: job for job in found}.values())


def _longest_part(pattern: str) -> str | None:
    """Return the longest part of a pattern that every name has; None if it has none."""
    parts = "".join("*" if sign in WILDCARDS else sign for sign in pattern.partition("[")[0]).split("*")
    return max(parts, key=len) or None


def confirm(verb: str, jobs: "list[JobHandle]") -> None:
    """Ask once; the command ends unless the user agrees."""
    versions = " and all other versions" if is_v1() and verb == "Delete" else ""
    names = first_of([job.name for job in jobs], NAMED)
    what = str(jobs[0]) if len(jobs) == 1 else f"{counted(len(jobs), 'job')} ({names})"
    click.confirm(f"{verb} {what}{versions}?", abort=True, err=True)


def for_each(jobs: "list[JobHandle]", action: "Callable[[JobHandle], None]") -> int:
    """Do it with each job; the error of one of several is printed. Returns the status of the last error, or 0."""
    from modelarts_toolkit import ToolkitError
    from modelarts_toolkit.cli.exit_status import status_of

    if len(jobs) == 1:
        action(jobs[0])
        return 0
    status = 0
    for job in jobs:
        try:
            action(job)
        except ToolkitError as error:
            click.echo(f"Error: {escaped(f'{job.name}: {error}')}", err=True)
            status = status_of(error)
    return status
