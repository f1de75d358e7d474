"""Remove a run from an emulator that goes on, even if the command that started the run is killed.

A small process reads a pipe from the command; when the pipe closes, the command has ended, and the process cleans up.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelarts_toolkit import ModelArts
    from modelarts_toolkit.settings.config import Config

# Imports nothing of ours before it has to: it is started with every run, and hardly ever has to do anything.
PROGRAM = "import sys; text = sys.stdin.read(); from modelarts_toolkit.cli.run_cleanup import main; main(text)"
END_LIMIT_S = 10.0


def config_of(environment: Mapping[str, str]) -> "Config":
    """The settings for an emulator, from its variables alone."""
    from modelarts_toolkit.local_emulator import settings_of
    from modelarts_toolkit.settings.config import Config

    settings: dict[str, Any] = dict(settings_of(environment))
    return Config(login="keys", **settings)


@contextlib.contextmanager
def cleaned_up(environment: Mapping[str, str], place: str, name: str, *, is_kept: bool) -> Iterator[Callable[[], None]]:
    """Remove the run when the block raises or this process is killed; a block that ends well has done that itself.

    Yields a function after which nothing is removed any more.
    The run is what lies below `place`, and the job whose code lies there; `name` is the beginning of the job's name.
    A run that is to be kept is only stopped.
    """
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None  # noqa: S101 - for type checkers
    text = json.dumps({"environment": dict(environment), "place": place, "name": name, "is_kept": is_kept})
    with process.stdin as pipe:
        try:
            pipe.write(text.encode())
            pipe.flush()
            yield process.kill
        except BaseException:
            pipe.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_LIMIT_S)
            raise
        process.kill()
        process.wait()


def main(text: str) -> None:
    """Clean up; the text is what the command wrote, or a part of it if it was killed before it did anything."""
    from modelarts_toolkit import ModelArts

    with contextlib.suppress(ValueError):
        given = json.loads(text)
        with ModelArts(config=config_of(given["environment"])) as ma:
            _clean_up(ma, given["place"], given["name"], given["is_kept"])


def _clean_up(ma: "ModelArts", place: str, name: str, is_kept: bool) -> None:
    from modelarts_toolkit import ToolkitError
    from modelarts_toolkit.jobs.state import value_at

    def remove_objects() -> None:
        with contextlib.suppress(ToolkitError):
            ma.obs.delete(f"{place}/")

    if not is_kept:
        remove_objects()  # first: without its code, a job that is just being created is rejected
    found: list[Any] = []
    with contextlib.suppress(ToolkitError):
        found = ma.jobs.list(name=name)
    for job in found:
        if f"{place.removeprefix('obs:/')}/" in str(value_at(job.details, "algorithm", "code_dir")):
            with contextlib.suppress(ToolkitError):
                (ma.jobs.stop if is_kept else ma.jobs.delete)(job)
    if not is_kept:
        remove_objects()
