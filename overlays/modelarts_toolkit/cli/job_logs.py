"""`modelarts job logs`."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from .groups import Command
from .job_choice import chosen_by_argument, find_job
from .options import with_sources
from .terminal import Terminal

if TYPE_CHECKING:
    from modelarts_toolkit import Job
    from modelarts_toolkit.jobs._sync.handles import JobHandle

LOCAL_POLL = (0.05, 1.0)  # seconds
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}

# A time at the begin of a line, or after words in brackets, as the platform and most logging libraries write it.
_TIME = re.compile(
    r"(?:\[\D[^\]]*\]\s*)*\[?(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d+)?(Z|[+-]\d\d:?\d\d)?"
)


class Since(click.ParamType):  # type: ignore[type-arg]
    """A moment: `10m` ago, or `2026-11-22T08:00` in the time zone of this machine unless it names one."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        if found := re.fullmatch(r"(\d+)([smhd])", value):
            return datetime.now(UTC) - timedelta(**{UNITS[found[2]]: int(found[1])})
        try:
            return datetime.fromisoformat(value).astimezone()
        except ValueError:
            self.fail(f"{value!r} is not a time: use 30s, 10m, 2h, 1d, or 2026-11-22T08:00.", param, ctx)


_OPTIONS = (
    click.option(
        "-f", "--follow", is_flag=True, help="Go on until the job has ended; its exit status is that of wait."
    ),
    click.option("--task", metavar="TASK", help="Only this task, such as worker-1.  [default: the first]"),
    click.option("--all", "all_tasks", is_flag=True, help="Of all tasks, each line with its task's name."),
    click.option("--tail", type=click.IntRange(0), metavar="LINES", help="Only the last lines of what is there."),
    click.option("--since", type=Since(), help="Only lines after a time in the log, such as 10m or 2026-11-22T08:00."),
)


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the options that say which lines are printed."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def check_options(given: Mapping[str, Any]) -> None:
    """Raise UsageError for options that exclude each other."""
    if given["task"] and given["all_tasks"]:
        raise click.UsageError("--task and --all exclude each other")


@click.command(
    cls=Command,
    examples=(
        "modelarts job logs digits -f",
        "modelarts job logs digits --task worker-1 --tail 100",
        "modelarts job logs --last --all --since 10m",
    ),
)
@chosen_by_argument
@reading_options
@with_sources
def logs(terminal: Terminal, job: str | None, last: bool, **given: Any) -> None:
    """Print the log of a job as far as it is there, or follow it.

    --since reads the times that lines begin with; a line without one belongs to the line before it.
    """
    check_options(given)
    found = find_job(terminal.connect(), job, last=last)
    print_log(terminal, found, remedy_of(found), **given)


def remedy_of(job: "Job") -> str:
    """How to follow the job again, and how to stop it."""
    return f"Follow it again: modelarts job logs {job.id[:8]} -f; stop it: modelarts job stop {job.id[:8]}"


def print_log(
    terminal: Terminal,
    job: "JobHandle",
    remedy: str,
    *,
    follow: bool,
    task: str | None = None,
    all_tasks: bool = False,
    tail: int | None = None,
    since: datetime | None = None,
    to_stderr: bool = False,
) -> None:
    """Print a job's log; if it is followed, raises JobFailed or JobStopped at its end, as `wait` does."""
    from modelarts_toolkit import JobError

    poll, is_wanted = polling(terminal), After(since)
    source = job.log_source(task, all_tasks=all_tasks)

    def read(*, is_followed: bool) -> Iterator[list[str]]:
        for lines in job.log_batches(source, follow=is_followed, poll=poll):
            yield [line for line in lines if is_wanted(line)]

    try:
        if tail is not None:
            last: deque[str] = deque(maxlen=tail)
            for lines in read(is_followed=False):
                last.extend(lines)
            show_lines(last, to_stderr=to_stderr)
        if tail is None or follow:
            for lines in read(is_followed=follow):
                show_lines(lines, to_stderr=to_stderr)
    except KeyboardInterrupt:
        terminal.note(f"\n{job.name} continues. {remedy}")
        raise
    if follow:
        try:
            job.wait(poll=poll)
        except JobError as error:
            # its log has just been printed
            error.args = (str(error).split("\n  | ")[0], *error.args[1:])
            raise


def polling(terminal: Terminal) -> tuple[float, float]:
    """The pauses between two looks, in seconds: short where the service is on this machine."""
    from modelarts_toolkit.http.urls import is_loopback
    from modelarts_toolkit.jobs._sync.following import POLL

    return LOCAL_POLL if is_loopback(urlsplit(terminal.connect().config.endpoint or "").hostname or "") else POLL


def show_lines(lines: Iterable[str], *, to_stderr: bool) -> None:
    """Print the lines at once; what is not text becomes a question mark."""
    if text := "".join(f"{line}\n" for line in lines):
        click.echo(text.encode("utf-8", "replace").decode(), nl=False, err=to_stderr)


class After:
    """Whether a line is not older than a moment, by the times that lines begin with; each line without one is as old as
    the line before it."""

    def __init__(self, moment: datetime | None) -> None:
        self._moment = moment
        self._is_late = moment is None

    def __call__(self, line: str) -> bool:
        if not self._is_late and self._moment is not None and (found := _TIME.match(line)):
            time = datetime.fromisoformat(f"{found[1]}-{found[2]}-{found[3]}T{found[4]}{found[5] or ''}")
            self._is_late = (time if time.tzinfo else time.replace(tzinfo=UTC)) >= self._moment
        return self._is_late
