"""Follows the links of a tree as the task sees them that made it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence

_MOST_LINKS = 40
"""Links in one path, as Linux allows."""


class Links:
    """Follows links as a task sees them that has these mounts.

    `mounts` are pairs of a directory of this machine and the path at which the task sees it. A link may lead into
    `folder`, which has the task's own directories, and to what is in `shared`; not into `private`, nor to a directory
    around it. The last three are directories of this machine.
    """

    def __init__(
        self, mounts: Sequence[tuple[str, str]] = (), folder: str = "/", shared: Sequence[str] = (), private: str = ""
    ) -> None:
        self._mounts = mounts
        self._own = (folder, os.path.realpath(folder))
        self._shared = [os.path.realpath(path) for path in shared]
        self._private = os.path.realpath(private)

    def place(self, path: str) -> str:
        """Where this machine has what the task sees at the path."""
        return _moved(path, ((seen, source) for source, seen in self._mounts))

    def seen(self, place: str) -> str:
        """The path at which the task sees this place of the machine."""
        return _moved(place, self._mounts)

    def follow(self, path: str) -> str:
        """The task's path without links; raises OSError, saying why, where a link leads to nothing or must not lead.

        FileNotFoundError means that the path itself is not there.
        """
        real, pending, count, is_allowed = "", path.split("/")[::-1], 0, True
        while pending:
            if (name := pending.pop()) == "..":
                real = real.rpartition("/")[0]
            if name in ("", ".", ".."):
                continue
            is_allowed = is_allowed and real != "/proc"  # this process's, and others than the task's
            here, target = f"{real}/{name}", ""
            try:
                if not any(is_within(seen, here) for _, seen in self._mounts):  # else it is a directory, of the task's
                    target = os.readlink(self.place(here))  # noqa: PTH115
            except OSError as error:
                if error.errno != errno.EINVAL:  # no link
                    raise OSError(f"it is a link to {here}: {error.strerror}") if count else error from None
            if target:
                count += 1
                pending += target.split("/")[::-1]
            if count > _MOST_LINKS:
                raise OSError("its links lead to each other")
            real = "" if target.startswith("/") else real if target else here
        real = real or "/"
        if count and not (is_allowed and self._is_allowed(self.place(real))):
            raise OSError(f"it is a link to {real}, which is not in a directory of the task: copy what it leads to")
        return real

    def _is_allowed(self, place: str) -> bool:
        is_private = is_within(place, self._private) or is_within(self._private, place)
        is_shared = not is_private and any(place.startswith(f"{shared}/") for shared in self._shared)
        return is_shared or any(is_within(place, own) for own in self._own)


def _moved(path: str, folders: Iterable[tuple[str, str]]) -> str:
    return next((after + path[len(before) :] for before, after in folders if is_within(path, before)), path)


def is_within(path: str, folder: str) -> bool:
    """Whether the absolute path is the folder's or lies below it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
