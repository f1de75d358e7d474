"""`--notify`: report the end of a job on the desktop, to a URL, or by a command."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from .terminal import Terminal

if TYPE_CHECKING:
    from modelarts_toolkit.jobs._sync.handles import JobHandle

LIMIT_S = 30.0  # of a notice
CALL_LIMIT_S = 10.0  # of each step of a request
APPLESCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"


class Notice:
    """A way to notify somebody; `target` names it in messages, without secrets."""

    target = ""
    limit_s = LIMIT_S

    @abstractmethod
    def send(self, facts: Mapping[str, Any]) -> None:
        """Send the facts; raises OSError, SubprocessError or ValueError with the reason of a failure."""


class ByCommand(Notice):
    """Runs a program without a shell; it gets the facts as variables, and what `arguments` returns for them."""

    def __init__(
        self, words: Sequence[str], arguments: Callable[[Mapping[str, Any]], Sequence[str]] = lambda _: ()
    ) -> None:
        self.target = words[0]
        self._words = words
        self._arguments = arguments

    def send(self, facts: Mapping[str, Any]) -> None:
        variables = {f"MODELARTS_{name.upper()}": "" if value is None else str(value) for name, value in facts.items()}
        done = subprocess.run(  # noqa: S603 - the user's command
            [*self._words, *self._arguments(facts)],
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=sys.__stderr__,  # the result of the command is on standard output
            timeout=self.limit_s,
            check=False,
        )
        if done.returncode:
            raise ValueError(f"exit status {done.returncode}")


class ByRequest(Notice):
    """Sends the facts to a URL, as JSON."""

    def __init__(self, url: str) -> None:
        self.target = urlsplit(url).hostname or ""
        self._url = url

    def send(self, facts: Mapping[str, Any]) -> None:
        problems: list[str] = []
        thread = threading.Thread(target=self._post, args=(facts, problems), daemon=True)
        thread.start()
        thread.join(self.limit_s)
        if thread.is_alive():
            raise ValueError(f"no response within {self.limit_s:g} s")
        if problems:
            raise ValueError(problems[0])

    def _post(self, facts: Mapping[str, Any], problems: list[str]) -> None:
        import httpx

        try:
            with httpx.stream("POST", self._url, json=dict(facts), timeout=CALL_LIMIT_S) as response:
                if not response.is_success:
                    problems.append(f"status {response.status_code}")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            problems.append(type(error).__name__)  # its text may contain the URL, which may hold a secret


def _title_and_text(facts: Mapping[str, Any]) -> Sequence[str]:
    seconds = facts["job_duration"]
    return f"Job {facts['job_name']}: {facts['job_state']}", "" if seconds is None else f"It ran {seconds:.0f} s."


class NoticeType(click.ParamType):  # type: ignore[type-arg]
    """desktop, a URL, or a command line; one that cannot work is an error before the command waits."""

    name = "notice"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Notice:
        if value == "desktop":
            if (program := shutil.which("notify-send")) is not None:
                return ByCommand([program, "--"], _title_and_text)
            if (program := shutil.which("osascript")) is not None:
                return ByCommand([program, "-e", APPLESCRIPT], _title_and_text)
            self.fail("neither notify-send nor osascript is installed: give a URL or a command instead", param, ctx)
        if "://" in value and not re.search(r"\s", value):
            try:
                parts = urlsplit(value)
                is_url = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
            except ValueError:
                is_url = False
            if not is_url:
                self.fail("a notice needs an http:// or https:// URL with a host", param, ctx)
            return ByRequest(value)
        try:
            words = shlex.split(value)
        except ValueError as error:
            self.fail(f"the command cannot be read ({error}): correct its quotes", param, ctx)
        if not words or (program := shutil.which(os.path.expanduser(words[0]))) is None:  # noqa: PTH111
            self.fail("give desktop, a URL, or a command that is installed", param, ctx)
        return ByCommand([program, *words[1:]])


with_notice = click.option(
    "--notify",
    "notice",
    type=NoticeType(),
    metavar="desktop|URL|COMMAND",
    help="Report the end of the job: on the desktop, by a POST of JSON, or by a command, which gets variables.",
)


@contextmanager
def notifying(terminal: Terminal, job: "JobHandle", notice: Notice | None) -> Iterator[None]:
    """Send the notice at the end of the block if the job has ended; a failure is only a warning."""
    try:
        yield
    finally:
        if notice is not None and job.is_terminal:
            duration = job.running_time
            facts = {
                "job_id": job.id,
                "job_name": job.name,
                "job_state": job.phase,
                "job_duration": None if duration is None else duration.total_seconds(),
            }
            try:
                notice.send(facts)
            except subprocess.TimeoutExpired:
                terminal.note(f"Warning: {notice.target} could not be notified: it took more than {notice.limit_s:g} s")
            except (OSError, ValueError) as error:
                terminal.note(f"Warning: {notice.target} could not be notified: {error}")
