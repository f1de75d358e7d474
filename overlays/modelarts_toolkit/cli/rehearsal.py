"""`modelarts job submit --rehearse`: first run the job for a short time on an emulator of this machine."""

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelarts_toolkit.cli.groups import fail
from modelarts_toolkit.cli.interruptions import Interrupted, Interruptions
from modelarts_toolkit.cli.job_logs import show_lines
from modelarts_toolkit.cli.run_arguments import caller_of
from modelarts_toolkit.cli.terminal import Terminal
from modelarts_toolkit.job_requests.channels import channel_at, channel_url
from modelarts_toolkit.local.emulator import config_of, installed_emulator, new_emulator
from modelarts_toolkit.local.resources import Asked, resources_of
from modelarts_toolkit.local.script_python import ScriptPython, python_for, with_python
from modelarts_toolkit.texts import counted

if TYPE_CHECKING:
    from modelarts_toolkit.job_requests.job_request import JobRequest
    from modelarts_toolkit.jobfiles.plan import JobPlan

PLACE = "obs://modelarts-rehearsal/"


class TimeIsOver(Exception):  # noqa: N818 - not an error
    """The script has run for the time of the rehearsal."""


def rehearse(terminal: Terminal, plan: "JobPlan", seconds: float, python: ScriptPython | None) -> None:
    """Run the job of a plan on a new emulator; the command ends with status 3 if it fails or prints nothing.

    `python` is the one that will train; if that is not known, it is the one that the caller means for the code.
    """
    from modelarts_toolkit import JobFailed, ModelArts
    from modelarts_toolkit.local.exam import JobFollower

    request, uploads = plan.staged(PLACE, "code")
    algorithm, resource = request["algorithm"], request.get("spec", {}).get("resource", {})
    urls = [each.url for each in uploads]
    remote = [
        *(["the code"] if algorithm.get("code_dir") not in urls else []),
        *(f"the input {each['name']}" for each in algorithm.get("inputs", ()) if channel_url(each) not in urls),
    ]
    if "boot_file" not in algorithm or remote:
        why = f"{' and '.join(remote)} would have to be local" if remote else "it runs an image or a stored algorithm"
        terminal.note(f"Not rehearsed: {why}.")
        return
    emulator = installed_emulator("a rehearsal")
    asked = Asked(python or python_for(emulator, plan.code or Path()))
    pool = f", pool {resource['pool_id']}" if "pool_id" in resource else ""
    terminal.note(f"Rehearsing for {seconds:g} s, without its engine's image, flavor and accelerators{pool}.")
    follower = JobFollower(lambda line: show_lines([line], to_stderr=True), is_run=False)

    def check() -> None:
        interruptions.check()
        if follower.attempts and time.monotonic() - follower.attempts[-1].began > seconds:
            raise TimeIsOver

    with (
        Interruptions() as interruptions,
        new_emulator(emulator, caller_of(terminal, interruptions), asked) as environment,
        ModelArts(config=config_of(environment)) as ma,
    ):
        ma.obs.create_bucket(PLACE)
        for path, url, is_code, ignore in uploads:
            ma.obs.upload(path, url, code=is_code, ignore=ignore)
        resources = resources_of(ma, emulator, environment, asked)
        terminal.note(resources.notes[0])
        outputs = [channel_at(each["name"], f"{PLACE}out/{each['name']}/") for each in algorithm.get("outputs", ())]
        rehearsed: JobRequest = {
            **request,
            "algorithm": {**algorithm, "engine": {"engine_id": resources.engine}, "outputs": outputs},
            "spec": {"resource": {"flavor_id": resources.flavor, "node_count": 1}},
        }
        job = ma.jobs.submit(with_python(rehearsed, resources.python))
        try:
            with suppress(TimeIsOver):
                follower.follow(job, check)
        except JobFailed as error:
            fail(f"the rehearsal failed, and the job was not submitted: {error}", 3)
        except Interrupted as signal:
            terminal.note("Interrupted: the job was not submitted.")
            click.get_current_context().exit(signal.status)
    lines = sum(attempt.lines for attempt in follower.attempts)
    if not lines:
        fail(f"the script printed nothing within {seconds:g} s, and the job was not submitted", 3)
    terminal.note(f"The rehearsal passed: the script printed {counted(lines, 'line')}.")
