"""Commands about an emulator that runs, or is to run in the background: `modelarts emulator status` and so on."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click

from modelarts_emulator.cli.background import (
    PROOF_TIMEOUT_S,
    call_control,
    environment_of,
    folder_option,
    listens,
    meant_folder,
    not_served,
    start,
)
from modelarts_emulator.cli.options import DATA_DIR, Seconds
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings import client_env
from modelarts_emulator.settings.data_folder import LOG_FILE, running_emulator

STOP_LIMIT_S = 70.0  # as long as an emulator may wait for its jobs, and some more
LOOK_INTERVAL_S = 0.05
NOT_RUNNING = 3  # exit status of status and stop if no emulator serves the folder


def about_a_folder(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command the option --data-dir, which groups around it have, too; its errors are one sentence."""

    @click.option("--data-dir", type=DATA_DIR.type, help=DATA_DIR.help)
    @click.pass_context
    @wraps(function)
    def wrapped(context: click.Context, /, data_dir: Path | None, **rest: Any) -> Any:
        while data_dir is None and context.parent is not None:
            context = context.parent
            data_dir = context.params.get("data_dir")
        folder = meant_folder(data_dir)
        try:
            return function(folder, **rest)
        except EmulatorError as error:
            raise click.ClickException(str(error)) from error

    return wrapped


def served_environment(folder: Path) -> dict[str, str]:
    """The variables of the emulator that serves the folder; raises EmulatorError if none does, or if it hangs."""
    state = running_emulator(folder)
    if state is None:
        raise EmulatorError(not_served(folder))
    found = environment_of(folder, state)
    try:
        call_control(found, "GET", "health", timeout_s=PROOF_TIMEOUT_S)
    except EmulatorError as error:
        where = f"process {state['pid']}, log {folder / LOG_FILE}"
        remedy = f'try again if it is busy, or end it with "modelarts emulator stop{folder_option(folder)}"'
        raise EmulatorError(f"the emulator that serves {folder} hangs ({where}): {remedy} ({error})") from error
    return found


@click.command("start", context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.option("--if-needed", is_flag=True, help="Keep an emulator that already serves the folder, as it is.")
@about_a_folder
def start_command(folder: Path, options: tuple[str, ...], if_needed: bool) -> None:
    """Start an emulator in the background.

    OPTIONS are those of `modelarts emulator`; an emulator that --if-needed keeps does not get them.

    \b
    Examples:
      modelarts emulator start
      modelarts emulator start --executor simulated --port 0 --obs-port 0
    """
    is_kept = running_emulator(folder) is not None or not start(folder, options)
    state = running_emulator(folder) or {}
    if is_kept and not if_needed:
        fact = f"an emulator already serves {folder}, at {state.get('endpoint')}"
        raise EmulatorError(f"{fact}: stop it first, or keep it with --if-needed")
    click.echo(f"The emulator serves {state.get('endpoint')} (process {state.get('pid')}).")
    if is_kept and options:
        click.echo(f"It was kept as it is, so these options have no effect: {shlex.join(options)}", err=True)
    click.echo(f'Use it here:  eval "$(modelarts emulator env{folder_option(folder)})"', err=True)
    click.echo(f"Stop it:      modelarts emulator stop{folder_option(folder)}", err=True)
    click.echo(f"Its log:      {folder / LOG_FILE}", err=True)
    click.echo(f"Its Python:   {state.get('python') or 'none, because jobs are simulated'}", err=True)


@click.command()
@click.option("-o", "--output", type=click.Choice(["table", "json"]), default="table", show_default=True)
@about_a_folder
def status(folder: Path, output: str) -> None:
    """Show the running emulator, its clock and the GPUs or NPUs that its jobs get; exit status 3 if none runs.

    \b
    Example:
      modelarts emulator status -o json
    """
    state = running_emulator(folder)
    found: dict[str, Any] = {"running": state is not None, "data_dir": str(folder)}
    if state is not None:
        environment = served_environment(folder)
        health = call_control(environment, "GET", "health")
        clock = call_control(environment, "GET", "clock")
        found |= call_control(environment, "GET", "devices")
        found |= {name: state.get(name) for name in ("pid", "endpoint", "obs_endpoint")}
        found |= {"version": health["version"], "executor": health["capabilities"]["executor"], "clock": clock}
    if output == "json":
        click.echo(json.dumps(found, indent=2))
    elif state is None:
        click.echo(not_served(folder))
    else:
        click.echo(f"An emulator serves {folder}: {found['endpoint']}, objects {found['obs_endpoint']}")
        click.echo(f"process {found['pid']}, executor {found['executor']}, {_clock_text(found['clock'])}")
        if state.get("python"):
            click.echo(f"scripts run with {state['python']}, where neither --engine nor the job names one")
        for device in found["devices"]:
            click.echo(_device_text(device))
        for problem in found["problems"]:
            click.echo(f"Warning: {problem}")
        if found["tasks_per_device"] > 1:
            click.echo(f"{found['tasks_per_device']} tasks at most share one of them")
    if state is None:
        click.get_current_context().exit(NOT_RUNNING)


@click.command()
@about_a_folder
def stop(folder: Path) -> None:
    """Stop the emulator and its running jobs.

    Queued jobs run after the next start. Exit status 3 if none runs.

    \b
    Example:
      modelarts emulator stop
    """
    import psutil  # only now: the other commands start without it

    state = running_emulator(folder)
    if state is None:
        click.echo(f"Error: {not_served(folder, 'name the folder of another one with --data-dir')}", err=True)
        click.get_current_context().exit(NOT_RUNNING)
    for number in (signal.SIGCONT, signal.SIGTERM):  # a process that is stopped (Ctrl-Z) would get no other signal
        os.kill(state["pid"], number)
    deadline = time.monotonic() + STOP_LIMIT_S
    while psutil.pid_exists(state["pid"]) and running_emulator(folder) is not None:
        if time.monotonic() > deadline:
            raise EmulatorError(f"process {state['pid']} still runs after {STOP_LIMIT_S:g} s: kill -9 {state['pid']}")
        time.sleep(LOOK_INTERVAL_S)
    click.echo("The emulator has ended.", err=True)


@click.command()
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@about_a_folder
def reset(folder: Path, yes: bool) -> None:
    """Delete jobs, objects and all other state of the running emulator.

    Deletes jobs, algorithms, objects, faults and plans.

    \b
    Example:
      modelarts emulator reset --yes
    """
    environment = served_environment(folder)
    if not yes:
        click.confirm(f"Delete the jobs and objects in {folder}?", abort=True, err=True)
    call_control(environment, "POST", "reset")
    click.echo("The emulator is empty.", err=True)


@click.command(context_settings={"ignore_unknown_options": True})  # such as -5, which is a number
@click.argument("action", type=click.Choice(["show", "freeze", "resume", "advance", "to"]), default="show")
@click.argument("value", type=Seconds(), required=False)
@about_a_folder
def clock(folder: Path, action: str, value: float | None) -> None:
    """Show, freeze or move the clock of simulated jobs.

    It advances by seconds, or to a time in seconds since 1970.

    \b
    Examples:
      modelarts emulator clock freeze
      modelarts emulator clock advance 3600
      modelarts emulator clock resume
    """
    if (value is None) == (action in ("advance", "to")):
        raise click.UsageError("advance and to take a number of seconds, the others take none")
    environment = served_environment(folder)
    body = None if action == "show" else {action: True if value is None else value}
    found = call_control(environment, "GET" if body is None else "POST", "clock", body)
    click.echo(_clock_text(found))


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@about_a_folder
def run(folder: Path, command: tuple[str, ...]) -> None:
    """Run COMMAND with the variables of the running emulator.

    This shell does not change.

    \b
    Example:
      modelarts emulator run -- python train.py
    """
    others = {name: value for name, value in os.environ.items() if name not in client_env.FOREIGN}
    variables = others | served_environment(folder)
    try:
        done = subprocess.run(command, env=variables, check=False)  # noqa: S603 - the user's command
    except OSError as error:
        click.echo(f"Error: {command[0]}: {error.strerror}", err=True)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)


@click.command()
@click.option("--host", metavar="NAME", default=None, help="Name or address of the machine.  [default: 127.0.0.1]")
@click.option("--unset", is_flag=True, help="Print lines that remove the variables from the shell.")
@click.option(
    "--wait",
    "wait_s",
    type=Seconds(0),
    metavar="SECONDS",
    default=0.0,
    help="Wait at most this long for an emulator that is yet to serve.  [default: do not wait]",
)
@about_a_folder
def env(folder: Path, host: str | None, unset: bool, wait_s: float) -> None:
    """Print export lines for a shell: eval "$(modelarts emulator env)".

    They are for sh, bash and zsh; in any other shell, start programs with `modelarts emulator run`.
    Variables of other logins, which clients would mix with these, are unset. Exit status 3, and no lines, if no
    emulator serves the data folder.
    """
    deadline = time.monotonic() + (0 if unset else wait_s)
    while not ((running := running_emulator(folder)) and listens(running["endpoint"])) and time.monotonic() < deadline:
        time.sleep(LOOK_INTERVAL_S)
    if running is None and not unset:
        click.echo(f"Error: {not_served(folder)}", err=True)
        click.get_current_context().exit(NOT_RUNNING)
    variables = environment_of(folder, running or {}, host)
    kept, removed = ({}, variables) if unset else (variables, {})
    click.echo("\n".join(client_env.shell_lines([*client_env.FOREIGN, *removed], kept)))


COMMANDS = (start_command, status, stop, env, reset, clock, run)


def _clock_text(found: dict[str, Any]) -> str:
    now = datetime.fromtimestamp(found["now"], UTC).astimezone()
    return f"clock {now:%Y-%m-%d %H:%M:%S}{', frozen' if found['frozen'] else ''}"


def _device_text(device: dict[str, Any]) -> str:
    """An accelerator and the tasks that have it, such as `GPU 0, NVIDIA H100, 80 GB: digits/worker-0`."""
    size = device["memory_bytes"] and f"{device['memory_bytes'] / 2**30:.0f} GB"
    parts = [f"{device['kind'].upper()} {device['index']}", device["name"], size]
    tasks = ", ".join(f"{task['name']}/{task['task']}" for task in device["tasks"])
    return f"{', '.join(filter(None, parts))}: {tasks or 'free'}"
