"""`modelarts run`: train on this machine."""

import re
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import click

from modelarts_api.phases import COMPLETED
from modelarts_toolkit.cli.commands import ignore_output
from modelarts_toolkit.cli.escapes import LINES, escaped
from modelarts_toolkit.cli.interruptions import Interrupted, Interruptions
from modelarts_toolkit.cli.options import with_options
from modelarts_toolkit.cli.run_arguments import RUN_TYPES, WORDS, RunCommand, caller_of, channels_of, request_of
from modelarts_toolkit.cli.terminal import Terminal, show_curves
from modelarts_toolkit.local.cleanup import clean_up, guarded
from modelarts_toolkit.local.emulator import config_of, installed_emulator, new_emulator
from modelarts_toolkit.local.request import RunRequest
from modelarts_toolkit.local.resources import CHOOSING, Asked, devices_text
from modelarts_toolkit.local.script_python import python_for
from modelarts_toolkit.local_emulator import LocalEmulator
from modelarts_toolkit.texts import counted

if TYPE_CHECKING:
    from modelarts_toolkit import Job, LogCursor
    from modelarts_toolkit.curves.curves import Curves

POLL = (0.01, 0.5)  # seconds
PLATFORM_LINE = re.compile(r"(\[worker-\d+\] )?\[ModelArts Service Log\]")
STARTING = re.compile(r"\[ModelArts Service Log\].* is starting .+ with (?P<python>/.+)")
HAS_DEVICES = re.compile(r"\[ModelArts Service Log\].* (?P<task>worker-\d+) has (?P<devices>[GN]PU .+)")
LOST = re.compile(r"\[ModelArts Service Log\].* not kept, because written to no output: (?P<files>.+)")
UNDELIVERED = re.compile(r"\[ModelArts Service Log\].*\]: (?P<what>.+; the files remain in .+)")
CHANGED = re.compile(r"\[ModelArts Service Log\].*\]: (?P<what>while the task ran, this machine's own packages .+)")
TO_KEEP = "Write files to keep into the folder that the script gets as --train_url, and pass --out."


@click.command(cls=RunCommand)
@WORDS
@with_options("run", RUN_TYPES)
@click.option("-v", "--verbose", is_flag=True, help="Also show the lines of the platform.")
@click.option("-q", "--quiet", is_flag=True, help="Only print the script's lines and errors.")
@click.pass_context
def run(context: click.Context, /, words: tuple[str, ...], quiet: bool, is_new: bool, **given: Any) -> None:
    """Train on this machine as a job does on the service: no account, no bucket, no second terminal.

    The script runs in an emulator: one that already runs on this machine, or a new one that ends with the script.
    ARGUMENTS are hyperparameters: --name value or --name=value. As on the service, the script gets each as one
    argument, --name=value, even if the value has spaces. Positional arguments and flags without a value are rejected,
    because a job cannot pass them.
    Ctrl-C, SIGTERM and SIGHUP stop the script within 10 seconds and fetch what it has written to the outputs; a
    second Ctrl-C discards them.
    At the end, a terminal shows small curves of numbers that the script printed more than once, such as loss: 0.31.
    The exit status is that of the script.
    """
    terminal = Terminal(quiet=quiet)
    if given["gpus"] is not None and given["flavor"] is not None:
        raise click.UsageError("a flavor has a number of GPUs: give --flavor or --gpus, not both")
    given["out"] = channels_of(given["out"], "train_url")
    request = request_of(words, given, given["out"], given["name"])
    with _writable(given["out"].values()), Interruptions() as interruptions:
        try:
            emulator = installed_emulator("modelarts run")
            python = python_for(emulator, request.code, given["python"])
            shared = None if is_new or request.requirements else emulator.own_environment()
            if given["is_kept"] and shared is None:
                raise click.UsageError("--keep needs a running emulator: start one with modelarts emulator start")
            if shared is not None:
                terminal.note(f"Using the emulator at {shared['MODELARTS_ENDPOINT']}.")
            kind = {name: given[name] for name in ("nodes", "gpus", "flavor")}
            asked = Asked(python, request.requirements, request.environments, **kind)
            new = new_emulator(emulator, caller_of(terminal, interruptions), asked)
            with new if shared is None else nullcontext(shared) as environment:
                at = (emulator, environment, shared is None)
                status = LocalRun(terminal, interruptions, request, asked, given, *at, given["is_kept"]).run()
        except Interrupted as signal:
            terminal.note("Interrupted.")
            status = signal.status
    context.exit(status)


@contextmanager
def _writable(folders: Collection[Path]) -> Iterator[None]:
    """Create the folders, and remove at the end those that are empty and new.

    Raises OSError before the script starts if outputs cannot be written there.
    """
    made = [folder for folder in folders if not folder.exists()]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    yield
    for folder in made:
        with suppress(OSError):  # not empty
            folder.rmdir()


@dataclass
class LocalRun:
    """One run of a script in an emulator; it leaves nothing behind in an emulator that keeps running."""

    _terminal: Terminal
    _interruptions: Interruptions
    _request: RunRequest
    _asked: Asked
    _given: Mapping[str, Any]
    _emulator: LocalEmulator
    _environment: Mapping[str, str]
    _is_own: bool
    _is_kept: bool
    _python: str | None = None  # that runs the boot file, as the log says
    _devices: dict[str, str] = field(default_factory=dict)  # of each task, as the log says

    @cached_property
    def _curves(self) -> "Curves":
        from modelarts_toolkit.curves.curves import Curves  # takes a while, in which the script starts

        return Curves()

    def run(self) -> int:
        """Submit the job, print its log, fetch its outputs; returns the exit status of the command."""
        from modelarts_toolkit import Jobs, ModelArts
        from modelarts_toolkit.jobs.polling import Clock

        left = ["code", *(name for name in ("data", "out") if self._given[name])]
        run = (self._request.place, self._request.name, [] if self._is_kept else left)
        guard = nullcontext() if self._is_own else guarded(self._environment, *run)
        with ModelArts(config=config_of(self._environment)) as ma, guard:
            try:
                caller = caller_of(self._terminal, self._interruptions)
                body = self._request.prepare(ma, self._emulator, self._environment, self._asked, caller)
                self._interruptions.check()
                jobs = Jobs(ma, clock=Clock(time.monotonic, self._interruptions.sleep))
                job = jobs.submit(body, unique=self._given["name"] is None)
                status, ended_by = self._follow(job)
                show_curves(self._terminal, self._curves.found(fewest=2).values())
                self._fetch(job, left, ended_by)
                if self._is_kept and not self._is_own:
                    left.clear()
                    self._terminal.note(f"Kept the job: modelarts job logs {job.name} --profile emulator")
            finally:
                if left and not self._is_own:
                    clean_up(ma, self._request.place, self._request.name, left)
        return status

    def _follow(self, job: "Job") -> tuple[int, str]:
        """Print the log until the job has ended; returns the exit status, and what ended it early, if anything did.

        An interrupted job is stopped: the emulator gives the script time to end, and uploads its outputs.
        """
        from modelarts_toolkit import ApiError, LogCursor

        cursor = LogCursor()
        self._interruptions.set_limit(self._given["timeout"])
        try:
            self._print_log(job, cursor)
            return self._status(job), ""
        except Interrupted as interruption:
            status, ended_by = interruption.status, "Time is over" if interruption.is_timeout else "Interrupted"
            why = (
                f"The time of {self._given['timeout']:g} s is over: stopping" if interruption.is_timeout else "Stopping"
            )
            again = " Press Ctrl-C again to drop it with its outputs." if interruption.is_ctrl_c else ""
            self._terminal.note(f"{why} the script.{again}")
        except BrokenPipeError:
            from modelarts_toolkit.cli.exit_status import CLOSED_PIPE

            status, ended_by = CLOSED_PIPE, "Interrupted"
            ignore_output()
        with suppress(ApiError):  # it has ended already
            job.stop()
        self._print_log(job, cursor)
        return status, ended_by

    def _print_log(self, job: "Job", cursor: "LogCursor") -> None:
        from modelarts_toolkit.cli.job_logs import announcing, live, show_lines

        source = job.log_source(all_tasks=self._asked.nodes > 1, cursor=cursor)
        report = announcing(self._terminal, job.name, only_stages=True)
        batches = job.log_batches(source, follow=True, poll=POLL, on_progress=report, late_lines=False)
        for batch in live(self._terminal, source, batches):
            lines = list(batch)
            for line in lines:
                self._curves.add(line)
            for has in filter(None, map(HAS_DEVICES.search, lines)):
                self._devices[has["task"]] = has["devices"]
                if len(self._devices) == self._asked.nodes and not CHOOSING & self._request.environments.keys():
                    self._terminal.note(f"Training on {devices_text(self._devices.values())}.")
            for starting in filter(None, map(STARTING.search, lines)):
                self._python = starting["python"]
            shown = (line for line in lines if self._given["verbose"] or not PLATFORM_LINE.match(line))
            show_lines(shown, to_stderr=False)
            for changed in filter(None, map(CHANGED.search, lines)):
                self._terminal.note(f"W{changed['what'][1:]}")
            for undelivered in filter(None, map(UNDELIVERED.search, lines)):
                _report(undelivered["what"])
                self._is_kept = True  # as the message promises
            for lost in filter(None, map(LOST.search, lines)):
                self._terminal.note(f"Not kept: {lost['files']}. {TO_KEEP}")
            self._interruptions.check()

    def _status(self, job: "Job") -> int:
        """The exit status of the script, once the job has ended; says why it failed."""
        from modelarts_toolkit import JobFailed
        from modelarts_toolkit.local.failures import KEPT, failure_text, script_status

        try:
            if job.phase != COMPLETED:
                job.wait(poll=POLL)
        except JobFailed as error:
            is_kept = self._is_kept and not self._is_own
            text = failure_text(error, self._python, otherwise=None if is_kept else KEPT)
            _report(self._request.with_names(text))
            return script_status(error)
        return 0

    def _fetch(self, job: "Job", left: list[str], ended_by: str) -> None:
        """Fetch the outputs into their folders; those that cannot be fetched stay in an emulator that keeps running."""
        from modelarts_toolkit import ToolkitError

        files = 0
        for name, folder in self._given["out"].items():
            try:
                done = job.download_output(name, folder, overwrite=True)
            except (ToolkitError, OSError):
                url = job.outputs()[name]
                if self._is_own:
                    data = self._environment["MODELARTS_EMULATOR_DATA_DIR"]
                    Path(data, "jobs", ".undelivered").touch()  # `LocalEmulator.temporary`
                    place = f"{data}/objects/{url.removeprefix('obs://')}"
                else:
                    left.remove("out")
                    place = f"{url}: modelarts obs cp {url} FOLDER"
                _report(f"the outputs could not be fetched, and are kept at {place}")
                raise
            if done is not None:
                files += done.files
                what = f"{counted(done.files, 'output file')} in {folder}"
                self._terminal.note(f"{ended_by}: {what}." if ended_by else what)
        if not files and ended_by:
            self._terminal.note(f"{ended_by}: the script wrote no outputs.")
        elif not files and self._given["out"]:
            names = " and ".join(f"--{name}" for name in self._given["out"])
            self._terminal.note(f"The script wrote no outputs: it gets the folder as {names}.")


def _report(message: str) -> None:
    click.echo(f"Error: {escaped(message, kept=LINES)}", err=True)
