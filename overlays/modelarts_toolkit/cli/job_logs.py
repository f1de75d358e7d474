"""`modelarts job logs`."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from modelarts_toolkit.cli.escapes import LINES, escaped
from modelarts_toolkit.cli.groups import Command
from modelarts_toolkit.cli.job_choice import chosen_by_argument, find_handle, group_path, is_v1
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.terminal import Terminal, is_terminal, with_sources
from modelarts_toolkit.texts import last_state

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts, OnProgress, Progress
    from modelarts_toolkit.jobs._sync.handles import JobHandle, LogSource

LOCAL_POLL = (0.05, 1.0)  # seconds


@click.command(cls=Command)
@chosen_by_argument
@with_options("job logs")
@with_sources
def logs(
    terminal: Terminal,
    job: str | None,
    last: bool,
    follow: bool,
    task: str | None,
    all_tasks: bool,
    tail: int | None,
    is_link: bool,
) -> None:
    """Print the log of a job so far, or follow it.

    A link is valid for some minutes, and anyone who has it can read the log.
    """
    if task and all_tasks:
        raise click.UsageError("give --task or --all, not both")
    if is_link and (follow or all_tasks or tail is not None or (task and is_v1())):
        raise click.UsageError("--link prints no lines: give it alone, or in version 2 with --task")
    found = find_handle(terminal.connect(), job, last=last)
    if is_link:
        click.echo(escaped("\n".join(_links(terminal.connect(), found, task)), kept=LINES))
        return
    print_log(terminal, found, follow=follow, task=task, all_tasks=all_tasks, tail=tail)


def _links(ma: "ModelArts", job: "JobHandle", task: str | None) -> Sequence[str]:
    """Return the link to the log's file, in version 1 the names of the log's files."""
    from modelarts_toolkit import V1Job

    if isinstance(job, V1Job):
        return ma.v1.logs.list_training_job_log_files(job.job_id, job.version_id).log_file_list
    return [ma.v2.logs.show_obs_url_of_training_job_logs(job.key, task or next(iter(job.tasks), "worker-0")).obs_url]


def remedy_of(job: "JobHandle", follow: str = "Follow it again") -> str:
    """Return the commands that follow and stop the job."""
    path, word = group_path(), job.name if is_v1() else job.id
    return f"{follow}: {path} logs {word} -f; stop it: {path} stop {word}"


def print_log(
    terminal: Terminal,
    job: "JobHandle",
    *,
    follow: bool,
    task: str | None = None,
    all_tasks: bool = False,
    tail: int | None = None,
    to_stderr: bool = False,
) -> None:
    """Print a job's log; if it is followed, raises JobFailed or JobStopped at its end, as `wait` does."""
    from modelarts_toolkit import JobError, LogCursor
    from modelarts_toolkit.jobs.explain import is_platform_line

    poll = polling(terminal)
    cursor = LogCursor() if follow and not is_v1() else None  # the last line comes when it is whole
    source = job.log_source(task, all_tasks=all_tasks, cursor=cursor)
    kinds: set[bool] = set()  # whether lines are the platform's, up to the first that is not

    def watched(lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            if False not in kinds:
                kinds.add(is_platform_line(line))
            yield line

    try:
        if tail is not None:
            last: deque[str] = deque(maxlen=tail)
            for lines in job.log_batches(source, poll=poll):
                last.extend(lines)
            show_lines(last, to_stderr=to_stderr)
        if tail is None or follow:
            report = announcing(terminal, job.name, only_stages=True)
            batches = job.log_batches(source, follow=follow, poll=poll, on_progress=report)
            for lines in live(terminal, source, batches, to_stderr=to_stderr):
                show_lines(watched(lines), to_stderr=to_stderr)
    except KeyboardInterrupt:
        terminal.note(f"\n{job.name} continues. {remedy_of(job)}")
        raise
    if kinds == {True} and job.is_terminal and not is_v1():
        terminal.note(
            "These are lines of the platform only; what the script printed may be in the job's log_export_path, as "
            f"modelarts-job-{job.id}-{task or 'worker-0'}.log."
        )
    if follow:
        try:
            job.wait(poll=poll)
        except JobError as error:
            # its log has just been printed
            error.args = (str(error).split("\n  | ")[0], *error.args[1:])
            raise


def live(
    terminal: Terminal, source: "LogSource", batches: Iterable[Iterable[str]], *, to_stderr: bool = False
) -> Iterator[Iterable[str]]:
    """Yield the batches of a log; meanwhile, a terminal shows what is not finished, such as a progress bar."""
    try:
        for batch in batches:
            terminal.live.clear()
            yield batch
            terminal.live.show(source.unfinished, to_stderr=to_stderr)
    finally:
        terminal.live.clear()


def announcing(terminal: Terminal, name: str, *, only_stages: bool = False) -> "OnProgress":
    """Return a function that reports new phases, failed polls, and new stages before the job runs."""
    from modelarts_toolkit.jobs.explain import stage_text

    known: tuple[str | None, str | None] = (None, None)

    def report(progress: "Progress") -> None:
        nonlocal known
        news = (progress.phase, progress.stage.name if progress.stage else None)
        if progress.error is not None and not only_stages:
            terminal.note(f"{name}: {progress.error}")
        elif progress.error is None and news != known:
            known = news
            stage = "" if progress.stage is None else f", {escaped(stage_text(progress.stage))}"
            if stage or not only_stages:
                terminal.note(f"{time.strftime('%H:%M:%S')} {name} {progress.phase}{stage}")

    return report


def polling(terminal: Terminal) -> tuple[float, float]:
    """Return the shortest and longest pause between polls, in seconds; shorter if the service is on this machine."""
    from modelarts_toolkit.jobs._sync.handles import LOG_POLL
    from modelarts_toolkit.urls import is_loopback

    return LOCAL_POLL if is_loopback(urlsplit(terminal.connect().config.endpoint or "").hostname or "") else LOG_POLL


def show_lines(lines: Iterable[str], *, to_stderr: bool) -> None:
    """Print the lines in one write; bytes that are not text become question marks.

    A terminal gets of each line what it would show at last: the text after the last carriage return.
    """
    if is_terminal(to_stderr=to_stderr):
        lines = map(last_state, lines)
    if text := "".join(f"{line}\n" for line in lines):
        click.echo(text.encode("utf-8", "replace").decode(), nl=False, err=to_stderr)
