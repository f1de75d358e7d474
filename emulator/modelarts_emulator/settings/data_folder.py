"""The data folder: everything that outlives the emulator, and the lock that says who serves it.

emulator.db       jobs, algorithms, the tokens' key (SQLite)
credentials.toml  the user with the secrets that were made for this folder
objects/          the object store: objects/<bucket>/<key>
jobs/             what runs and ran: jobs/<job id>/<task>/
environments/     what pip-requirements.txt files asked for, with the Python that runs with it
emulator.lock     held by the emulator that serves the folder, or by all front ends together
emulator.json     the ports and process id of that emulator, or of the front end that supervises jobs
.made-by-modelarts-emulator  there if nothing else was in the folder when an emulator first used it
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from pathlib import Path
from typing import Any

from modelarts_emulator.errors import EmulatorError, is_disk_full
from modelarts_emulator.settings.accounts import CREDENTIALS_FILE
from modelarts_emulator.storage.files import UNDELIVERED, acquire_lock, remove_tree, replace_file

LOG_FILE = "emulator.log"  # what an emulator in the background prints
LOCK, STATE, MARKER = "emulator.lock", "emulator.json", ".made-by-modelarts-emulator"
TEMPORARY = "modelarts-emulator-"  # beginning of a temporary folder's name
PROBE_BYTES = 4096
LOCK_TIMEOUT_S = 0.5  # a process that only checks the lock holds it for an instant
CHECK_TIMEOUT_S = 0.01  # so that two that check it at once do not take each other for an emulator


def discard_folder(folder: Path) -> None:
    """Remove the folder of an emulator that has ended, except outputs that a message has promised to keep."""
    is_kept = (folder / "jobs" / UNDELIVERED).exists()
    for path in folder.iterdir():
        if not is_kept or path.name not in ("jobs", "objects"):
            remove_tree(path)
    with contextlib.suppress(OSError):  # not empty
        folder.rmdir()


class DataFolder:
    """An opened data folder; raises EmulatorError if it cannot be written or is being served by another emulator.

    `is_own` says whether all that is in it comes from an emulator, or was put there for one.
    With `is_shared`, others that share it may also serve it.
    """

    def __init__(self, path: Path, is_shared: bool = False) -> None:
        self.path = path.absolute()
        self._is_shared = is_shared
        self._announced: dict[str, Any] | None = None
        self.objects = self.path / "objects"
        self.jobs = self.path / "jobs"
        self.environments = self.path / "environments"
        self.database = self.path / "emulator.db"
        try:
            # It holds the key of the tokens and whatever jobs print.
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            self._acquire()
            self._check_writable()
        except BaseException as error:
            os.close(self._lock)
            if isinstance(error, OSError):
                raise self._unusable(error) from error
            raise

    def __enter__(self) -> DataFolder:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_shared or _read_state(self.path) == self._announced:
            (self.path / STATE).unlink(missing_ok=True)
        os.close(self._lock)

    def announce(self, state: dict[str, Any]) -> None:
        """Write where the emulator listens, for `running_emulator`; raises EmulatorError if the disk is full."""
        self._announced = state
        try:
            replace_file(self.path / STATE, f"{json.dumps(state, indent=2)}\n".encode(), is_durable=False)
        except OSError as error:
            raise self._unusable(error) from error

    def _acquire(self) -> None:
        kind = fcntl.LOCK_SH if self._is_shared else fcntl.LOCK_EX
        if not acquire_lock(self._lock, LOCK_TIMEOUT_S, kind):
            where = (running_emulator(self.path) or {}).get("endpoint", "another process")
            raise EmulatorError(
                f"the data folder {self.path} is already served by {where}:"
                " use that emulator, stop it, or choose another folder with --data-dir"
            )

    def _check_writable(self) -> None:
        probe = self.path / f"{STATE}.new"
        probe.write_bytes(bytes(PROBE_BYTES))
        probe.unlink(missing_ok=True)
        if not self._is_shared:
            (self.path / STATE).unlink(missing_ok=True)  # of an emulator that was killed
        self.is_own = self._mark()
        for folder in (self.objects, self.jobs):
            folder.mkdir(mode=0o700, exist_ok=True)
        # The folder may be one that others can read; what SQLite puts beside the file is as the file is.
        self.database.touch(mode=0o600)
        self.database.chmod(0o600)

    def _mark(self) -> bool:
        """Whether the folder is marked as an emulator's; a folder without other people's files is marked now."""
        if not _is_own(self.path):
            return False
        marker = self.path / MARKER
        if not marker.exists():
            marker.write_text("modelarts emulator --forget deletes the jobs, algorithms and objects in this folder.\n")
        return True

    def _unusable(self, error: OSError) -> EmulatorError:
        if is_disk_full(error):
            remedy = "free some space, or choose another folder with --data-dir"
            return EmulatorError(f"the disk of the data folder {self.path} is full: {remedy}")
        return EmulatorError(
            f"the data folder {self.path} cannot be written ({error.strerror}): choose another with --data-dir"
        )


def check_own(path: Path, action: str) -> None:
    """Raise EmulatorError if the folder holds files of others, which the action may delete; changes nothing."""
    if path.is_dir() and not _is_own(path):
        raise EmulatorError(
            f"the data folder {path.absolute()} held other files when the emulator first used it, and"
            f" {action} may delete them: choose another folder with --data-dir, or leave out {action}"
        )


def _is_own(path: Path) -> bool:
    """Whether the folder is marked as an emulator's, or has no files of others."""
    if (path / MARKER).exists():
        return True
    known = (LOCK, CREDENTIALS_FILE, LOG_FILE)  # "modelarts emulator env" and "start" make them before the first start
    return all(entry.name in known or entry.name.startswith(".") for entry in path.iterdir())


def is_locked(path: Path) -> bool:
    """Whether an emulator serves this folder, or is starting or ending there."""
    with contextlib.suppress(OSError):
        lock = os.open(path / LOCK, os.O_RDONLY)
        try:
            return not acquire_lock(lock, CHECK_TIMEOUT_S)
        finally:
            os.close(lock)
    return False


def running_emulator(path: Path) -> dict[str, Any] | None:
    """What the emulator that serves this folder announced; None if none does."""
    return _read_state(path) if is_locked(path) else None


def _read_state(path: Path) -> dict[str, Any] | None:
    """What an emulator announced in this folder last; None if nothing, or if it ended well."""
    with contextlib.suppress(OSError, ValueError):
        state: dict[str, Any] = json.loads((path / STATE).read_text("utf-8"))
        return state
    return None
