"""Moves a task's data: code and inputs from object storage before the start, outputs and log back into it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from modelarts_emulator.execution import ascend
from modelarts_emulator.execution.container import JOB_DIR, LOG_DIR, MOUNT, Container
from modelarts_emulator.storage import sync
from modelarts_emulator.storage.errors import StoreError
from modelarts_emulator.storage.files import pieces
from modelarts_emulator.storage.names import parse_obs_url
from modelarts_emulator.storage.protocol import AccountStore

CACHES = {"__pycache__", ".ipynb_checkpoints"}
NAMED_FILES = 5  # of those that are lost
SHOWN_SIZE = 50_000  # bytes: less would be 0.0 MB
_OF_A_COMMAND = re.compile(  # a word, or what may follow the last one: space, `;`, `&`, a comment
    r"""(?P<rest>(?:[ \t\n;&]|\#[^\n]*)+) | (?P<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^ \t\n;&'"\\]|&(?=[>\d-]))+)""",
    re.VERBOSE | re.DOTALL,
)


class StagingError(Exception):
    """Something cannot be fetched or delivered; the message names it and the remedy."""


Report = Callable[[str], None]
"""Takes a sentence on what is being done, for the events of the job."""


def fetch(container: Container, store: AccountStore, report: Report) -> None:
    """Make the container's directories and fill code and inputs; raises StagingError."""
    for documented in (f"{MOUNT}/inputs", f"{MOUNT}/outputs", JOB_DIR, LOG_DIR, *container.mounted):
        container.map(documented).mkdir(parents=True, exist_ok=True)
    if container.job.code_dir is not None and container.code is not None:
        report("The training code is being downloaded.")
        _fetch_tree(store, "code directory", container.job.code_dir, container.code)
    for channel, path in container.inputs():
        with _progress(report, f"training input(parameter name: {channel.name})", "Download"):
            _fetch_tree(store, f"input {channel.name}", channel.obs_url, path)
    for _, path in container.outputs():
        path.mkdir(parents=True, exist_ok=True)


def _find(store: AccountStore, url: str) -> tuple[str, str]:
    """Bucket and key; raises ValueError, or StoreError if the bucket is gone or belongs to another account by now."""
    bucket, key = parse_obs_url(url)
    store.head_bucket(bucket)
    return bucket, key


def _fetch_tree(store: AccountStore, what: str, url: str, folder: Path, is_required: bool = True) -> None:
    try:
        bucket, key = _find(store, url)
        if sync.download(store, bucket, key, folder) == 0 and is_required and not store.has_folder(bucket, key):
            raise StagingError(f"{what}: there is nothing at {url}; upload it or correct the path")
    except (StoreError, ValueError, OSError) as error:
        raise StagingError(f"{what}: cannot fetch {url}: {error}") from error


def program(container: Container, python: str) -> list[str]:
    """The words that run the task's boot file with this Python, or its command.

    Raises StagingError as `boot_file`, and for a way to start it that is not imitated.
    """
    if container.job.command is not None:
        return ["/bin/sh", "-c", with_arguments(container.map_text(container.job.command), container.arguments())]
    words = [boot_file(container), *container.arguments()]
    if (container.job.engine or {}).get("engine_name") != ascend.ENGINE:
        return [python, "-u", *words]
    try:
        return ascend.command(container, python, words)
    except ValueError as error:
        raise StagingError(str(error)) from error


def with_arguments(command: str, arguments: Sequence[str]) -> str:
    """The command line with the arguments, quoted, behind its last word: its last command runs the script.

    Page "Developing Code for Training Using a Custom Image".
    """
    end, place = 0, 0
    while found := _OF_A_COMMAND.match(command, end):
        end = found.end()
        place = end if found["word"] else place
    place = len(command) if end < len(command) else place  # a quote that does not end: the shell names it
    return "".join((command[:place], *(f" {shlex.quote(argument)}" for argument in arguments), command[place:]))


def boot_file(container: Container) -> str:
    """The path by which the task sees its boot file; raises StagingError if that is not in the fetched code."""
    job = container.job
    if job.boot_file is None or job.code_dir is None or container.code is None:
        raise StagingError("the job has neither a command nor a boot file in a code directory")
    try:
        boot, code = parse_obs_url(job.boot_file), parse_obs_url(job.code_dir.rstrip("/") + "/")
    except ValueError as error:
        raise StagingError(f"boot file: {error}") from error
    if boot[0] != code[0] or not boot[1].startswith(code[1]):
        raise StagingError(f"boot file {job.boot_file} is not below the code directory {job.code_dir}")
    below = boot[1][len(code[1]) :]
    if not (container.code / below).is_file():
        raise StagingError(f"boot file: there is no {job.boot_file}; upload it or correct the path")
    return f"{container.seen(container.documented_code or '')}/{below}"


@contextlib.contextmanager
def _progress(report: Report, what: str, action: str) -> Iterator[None]:
    """Report that something begins and, with the time used, that it is finished or has failed."""
    began_at, outcome = time.monotonic(), "failed"
    report(f"{what[0].upper()}{what[1:]} {action}ing.")
    try:
        yield
        outcome = "finished"
    finally:
        report(f"[time used: {time.monotonic() - began_at:.3f}s] {action} {what} {outcome}.")


class Uploader:
    """Brings a container's outputs into object storage, each file again only after it has changed."""

    def __init__(self, container: Container, store: AccountStore) -> None:
        self._container = container
        self._store = store
        self._links = container.links()
        self._seen: dict[Path, tuple[int, int]] = {}

    def restore(self, report: Report) -> None:
        """Fill the folders of outputs that are to begin with what earlier attempts delivered; raises StagingError.

        What is fetched counts as delivered: another task may write a newer version of it meanwhile.
        """
        for channel, folder in self._container.outputs():
            if channel.prefetch_to_local:
                with _progress(report, f"training output(parameter name: {channel.name})", "Download"):
                    _fetch_tree(self._store, f"output {channel.name}", channel.obs_url, folder, is_required=False)
                self._seen |= {path: sync.state_of(path.stat()) for path in folder.rglob("*") if path.is_file()}

    def upload(self, report: Report = lambda _: None) -> int:
        """Deliver new and changed files; returns how many.

        Raises StagingError after having tried every channel.
        """
        count, problems = 0, []
        for channel, folder in self._container.outputs():
            try:
                bucket, prefix = _find(self._store, channel.obs_url)
                with _progress(report, f"training output(parameter name: {channel.name})", "Upload"):
                    count += sync.upload(self._store, folder, bucket, prefix, self._seen, self._links)
            except (StoreError, ValueError, OSError) as error:
                problems.append(f"output {channel.name}: cannot upload to {channel.obs_url}: {error}")
        if problems:
            raise StagingError("; ".join(problems))
        return count


def files_outside_outputs(container: Container, since: float) -> str:
    """The files that the program wrote into its code or working directory, with their sizes; empty if there are none.

    `since` is its start, in seconds since 1970.
    """
    outputs = {path for _, path in container.outputs()}
    found: dict[str, int] = {}
    for root in {container.working_dir, container.code or container.working_dir}:
        for directory, directories, names in os.walk(root) if root.is_relative_to(container.folder) else ():
            folder = Path(directory)
            directories[:] = [name for name in directories if name not in CACHES and folder / name not in outputs]
            for name in names:
                with contextlib.suppress(OSError):
                    status = (folder / name).lstat()
                    if status.st_ctime >= since and stat.S_ISREG(status.st_mode):
                        found[(folder / name).relative_to(root).as_posix()] = status.st_size
    largest = sorted(found, key=lambda name: -found[name])[:NAMED_FILES]
    sizes = {name: f" ({found[name] / 1e6:.1f} MB)" if found[name] >= SHOWN_SIZE else "" for name in largest}
    named = [f"{name}{sizes[name]}" for name in sorted(largest, key=_natural)]
    more = len(found) - len(named)
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _natural(name: str) -> list[tuple[str, int]]:
    """The key that sorts ckpt2 before ckpt10."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def export_log(container: Container, store: AccountStore, log: Path) -> None:
    """Put the log to the job's export path under the documented name; raises StagingError."""
    if url := container.job.log_export_url:
        try:
            export(store, url, f"{container.instance_name}.log", log)
        except (StoreError, ValueError, OSError) as error:
            raise StagingError(f"log: cannot export to {url}: {error}") from error


def export(store: AccountStore, url: str, name: str, source: Path) -> None:
    """Put a file to this name below an OBS path.

    Raises StoreError, OSError, or ValueError for another form of path.
    """
    bucket, prefix = _find(store, url)
    with source.open("rb") as stream:
        store.put(bucket, f"{prefix.rstrip('/')}/{name}".lstrip("/"), pieces(stream))
