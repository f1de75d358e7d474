"""The error for the person who started the emulator, and the errors of the system that need a sentence of their own."""

from __future__ import annotations

from collections.abc import Iterable

from modelarts_emulator.storage.errors import DISK_FULL


class EmulatorError(Exception):
    """The emulator cannot start, or cannot do what it was asked; the text says what to change."""


def right_name(name: object, known: Iterable[str]) -> str:
    """What to write instead of a name that does not exist: the nearest one, or else any of them."""
    from difflib import get_close_matches  # only for errors

    names = list(known)
    near = get_close_matches(str(name), names, 1)
    return f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(names)}"


def is_disk_full(error: BaseException) -> bool:
    """Whether an operation failed because a disk, or the user's share of it, is full; the error may be SQLAlchemy's."""
    import sqlite3  # only now: commands that need no database start without it

    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        # The other one: SQLite cannot make its shared index larger.
        return getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
    return isinstance(cause, OSError) and cause.errno in DISK_FULL
