"""Remove a run from an emulator that keeps running, even if the command that started the run is killed.

A small process reads a pipe from the command; when the pipe closes, the command has ended, and the process cleans up.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts

# A shell waits, because it starts at once: every run starts this process, and few need it.
WAIT = 'read -r run; read -r end; printf %s "$run" | "$0" -P -c "$1"'
PROGRAM = "import sys; text = sys.stdin.read(); from modelarts_toolkit.local.cleanup import main; main(text)"


@contextmanager
def guarded(environment: Mapping[str, str], *run: Any) -> Iterator[None]:
    """Call `clean_up(ma, *run)` in another process if this one ends within the block."""
    options: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = ["/bin/sh", "-c", WAIT, sys.executable, PROGRAM]
    with subprocess.Popen(command, start_new_session=True, **options) as process:  # noqa: S603 - our own command
        try:
            assert process.stdin is not None  # noqa: S101 - for type checkers
            process.stdin.write(json.dumps([dict(environment), *run]).encode() + b"\n")
            process.stdin.flush()
            yield
        finally:
            process.kill()


def main(text: str) -> None:
    """Clean up; the text is incomplete if the command was killed while it wrote, before it created anything."""
    with suppress(ValueError):
        environment, *run = json.loads(text)
        from modelarts_toolkit import ModelArts
        from modelarts_toolkit.local.emulator import config_of

        with ModelArts(config=config_of(environment)) as ma:
            clean_up(ma, *run)


def clean_up(ma: "ModelArts", place: str, name: str, folders: Sequence[str]) -> None:
    """Delete these folders of the place, and the job whose code lies there; without folders, the job is stopped."""
    from modelarts_toolkit import Job, ToolkitError

    def step(action: Any, given: Any) -> Any:
        with suppress(ToolkitError):
            return action(given)

    if folders:  # before the job: one that is just being created is then rejected
        step(ma.obs.delete, f"{place}/code/")
    for job in step(lambda given: ma.jobs.list(name=given), name) or ():
        if f"{place.removeprefix('obs:/')}/" in job.code:
            step(Job.delete if folders else Job.stop, job)
    for folder in folders:  # after the job, which writes no more
        step(ma.obs.delete, f"{place}/{folder}/")
    step(ma.obs.delete_bucket, place)  # stays if it has something to keep
