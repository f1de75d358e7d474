"""Snapshots: what an emulator keeps, in one file, from which another data folder begins.

A snapshot is a tar archive, compressed by gzip. Its first member is `snapshot.json`, with the schema of the database;
the others are the files of a data folder that last: the database, objects, users with their secrets, logs of jobs.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from gzip import BadGzipFile
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from modelarts_emulator.engine.database import schema_digest
from modelarts_emulator.engine.runs import ACTIVE
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.settings.accounts import CREDENTIALS_FILE
from modelarts_emulator.settings.data_folder import MARKER, DataFolder

__all__ = ["load", "save"]

FIRST = "snapshot.json"
FORMAT = 1
DATABASE = "emulator.db"
# What a snapshot has of a data folder; of `jobs` the records, logs, plans and simulated jobs, not what tasks work in.
PARTS = (DATABASE, CREDENTIALS_FILE, "clock.json", MARKER, "objects", "jobs", "searches", "visualizations")
SIMULATED = "simulated"
JOBS = (".records", SIMULATED)
TIME_NS = "MODELARTS.mtime_ns"  # object storage compares the times of files, which tar rounds
CHUNK_BYTES = 1 << 20
MAX_HEADER_BYTES = 65536
AT_WORK = tuple(sorted(ACTIVE - {"Pending"}))  # phases in which processes of a job may run
NO_SNAPSHOT = (
    tarfile.TarError,
    EOFError,
    zlib.error,
    UnicodeError,
    BadGzipFile,
    FileExistsError,
    NotADirectoryError,
    IsADirectoryError,
)
POSTGRESQL = (
    "snapshots have the state of a data folder, and this one is in a PostgreSQL database: save it with pg_dump, and"
    " copy objects/ and jobs/ of the data folder"
)


def save(folder: Path, file: Path) -> int:
    """Write what the folder holds to a new file, which only its owner can read; returns its size in bytes.

    Raises EmulatorError if an emulator serves the folder, if jobs of it still run, if there is no state, or if the
    file exists.
    """
    if not (folder / DATABASE).is_file():
        raise EmulatorError(f"{folder} is not the data folder of an emulator: name one with --data-dir")
    if not (folder / DATABASE).stat().st_size:
        raise EmulatorError(POSTGRESQL)
    if not file.parent.is_dir():
        raise EmulatorError(f"the folder {file.parent} does not exist: choose another one for the snapshot")
    if file.exists():
        raise EmulatorError(f"{file} already exists: remove it, or choose another name")
    with (
        DataFolder(folder),
        tempfile.TemporaryDirectory(prefix=".snapshot-", dir=file.parent) as drafts,
    ):
        state = _copy_database(folder / DATABASE, Path(drafts, "state.db"))
        _check_state(folder, state)
        draft = Path(drafts, "snapshot")
        with tarfile.open(draft, "w:gz", compresslevel=1, format=tarfile.PAX_FORMAT) as archive:
            draft.chmod(0o600)
            _add_header(archive)
            for path in _files_of(folder):
                _add(archive, state if path == folder / DATABASE else path, path.relative_to(folder).as_posix())
        try:
            os.link(draft, file)  # not in place of a file that somebody has made meanwhile
        except FileExistsError:
            raise EmulatorError(f"{file} already exists: remove it, or choose another name") from None
    return file.stat().st_size


def load(file: Path, folder: Path) -> None:
    """Make the data folder, which must not exist or be empty, from a snapshot.

    Raises EmulatorError, and changes nothing, if the folder is in use or holds anything, or if the file is no complete
    snapshot of this version of the emulator.
    """
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        remedy = "choose another one with --data-dir, or move this one away"
        raise EmulatorError(f"the data folder {folder} is not empty, and a snapshot replaces nothing: {remedy}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as drafts:
        draft = Path(drafts, "data")
        draft.mkdir(mode=0o700)
        try:
            with tarfile.open(file, "r:gz") as archive:
                _extract(archive, draft, file)
        except NO_SNAPSHOT as error:
            raise EmulatorError(f"{file} is not a snapshot of an emulator, or not a complete one ({error})") from error
        try:
            draft.rename(folder)
        except OSError as error:
            raise EmulatorError(f"the data folder {folder} cannot be made ({error.strerror})") from error


def _check_state(folder: Path, database: Path) -> None:
    """Raise EmulatorError if the database has other tables, or if processes of jobs may still be at work."""
    if _schema_in(database) != schema_digest():
        raise EmulatorError(f"{folder} was written by another version of the emulator: save it with that version")
    with contextlib.closing(sqlite3.connect(database)) as connection:
        marks = ", ".join("?" * len(AT_WORK))
        query = f"SELECT count(*) FROM runs WHERE phase IN ({marks})"  # noqa: S608 - only question marks
        (running,) = connection.execute(query, AT_WORK).fetchone()
    if running and not (folder / "jobs" / SIMULATED).is_dir():
        remedy = "start the emulator, let them end or stop them, and stop the emulator"
        raise EmulatorError(f"{running} of the jobs in {folder} have not ended: {remedy}")


def _schema_in(database: Path) -> str | None:
    """What says which tables the database has; None if it is none of an emulator."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        try:
            found = connection.execute("SELECT value FROM settings WHERE name = 'schema'").fetchone()
        except sqlite3.Error:
            return None
    return None if found is None else str(found[0])


def _copy_database(source: Path, copy: Path) -> Path:
    """A copy of an SQLite file with what still stands in its log."""
    with (
        contextlib.closing(sqlite3.connect(source)) as original,
        contextlib.closing(sqlite3.connect(copy)) as target,
    ):
        original.backup(target)
    return copy


def _files_of(folder: Path) -> Iterator[Path]:
    """The folders and files of a data folder that last; links and sockets are none of them."""
    for part in PARTS:
        path = folder / part
        if not path.is_dir():
            if path.is_file() and not path.is_symlink():
                yield path
            continue
        for directory, directories, names in os.walk(path):
            below = Path(directory)
            if part == "jobs" and below == path:
                directories[:] = [name for name in directories if name in JOBS]
            yield below
            for name in sorted(names):
                if stat.S_ISREG((below / name).lstat().st_mode):
                    yield below / name


def _add_header(archive: tarfile.TarFile) -> None:
    content = json.dumps({"format": FORMAT, "schema": schema_digest()}).encode()
    member = tarfile.TarInfo(FIRST)
    member.size = len(content)
    archive.addfile(member, BytesIO(content))


def _add(archive: tarfile.TarFile, source: Path, name: str) -> None:
    status = source.stat()
    member = tarfile.TarInfo(name)
    member.pax_headers = {TIME_NS: str(status.st_mtime_ns)}
    if source.is_dir():
        member.type = tarfile.DIRTYPE
        archive.addfile(member)
        return
    with source.open("rb") as content:
        member.size = os.fstat(content.fileno()).st_size
        archive.addfile(member, content)


def _extract(archive: tarfile.TarFile, folder: Path, file: Path) -> None:
    """Write the members into the folder; raises EmulatorError for what no snapshot has."""
    first = archive.next()
    header = _header(archive, first)
    if header.get("format") != FORMAT or not isinstance(header.get("schema"), str):
        raise EmulatorError(f"{file} is not a snapshot of an emulator")
    if header["schema"] != schema_digest():
        raise EmulatorError(f"{file} was saved by another version of the emulator, whose database has other tables")
    times: list[tuple[Path, int]] = []
    for member in archive:
        if member is first:
            continue
        path = folder / _checked_name(member, file)
        if member.isdir():
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            content = archive.extractfile(member)
            with content or BytesIO() as source, path.open("xb") as target:
                os.fchmod(target.fileno(), 0o600)
                shutil.copyfileobj(source, target)
        written = member.pax_headers.get(TIME_NS, "")
        if written.isascii() and written.isdigit():
            times.append((path, int(written)))
    while archive.fileobj.read(CHUNK_BYTES):
        pass  # to the checksum at the end
    if not (folder / DATABASE).is_file() or _schema_in(folder / DATABASE) != schema_digest():
        raise EmulatorError(f"{file} is not a snapshot of an emulator: it has no database of one")
    for path, time_ns in reversed(times):
        os.utime(path, ns=(time_ns, time_ns))


def _header(archive: tarfile.TarFile, first: tarfile.TarInfo | None) -> dict[str, Any]:
    if first is None or first.name != FIRST or not first.isfile() or first.size > MAX_HEADER_BYTES:
        return {}
    content = archive.extractfile(first)
    with contextlib.suppress(ValueError):
        header = json.loads((content or BytesIO()).read())
        return header if isinstance(header, dict) else {}
    return {}


def _checked_name(member: tarfile.TarInfo, file: Path) -> str:
    """The member's path; raises EmulatorError for a link, a device, and a path that leaves the folder."""
    parts = PurePosixPath(member.name).parts
    if member.name.startswith("/") or ".." in parts or not parts or parts[0] not in PARTS or "\0" in member.name:
        raise EmulatorError(f"{file} is not a snapshot of an emulator: it has a file {member.name!r}")
    if not (member.isfile() or member.isdir()):
        raise EmulatorError(f"{file} is not a snapshot of an emulator: {member.name!r} is neither a file nor a folder")
    return member.name
