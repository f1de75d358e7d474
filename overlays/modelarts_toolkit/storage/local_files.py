"""Select the local files of an upload, and check the targets of a download."""

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from modelarts_toolkit.errors import ConfigError
from modelarts_toolkit.install import install_command
from modelarts_toolkit.texts import first_of

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE, GIT_FILE = ".modelartsignore", ".gitignore"
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]" if os.name == "nt" else "\0")
# Always left out: EXPECTED, which is never needed, and PRIVATE, which may hold secrets or works on this machine only.
EXPECTED = (
    *(".git", ".hg", ".svn", "__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
    *(".hypothesis", ".tox", ".nox", ".DS_Store", f"/{IGNORE_FILE}", GIT_FILE),
)
PRIVATE = (".env*", ".venv", "node_modules")
# Files that mark a virtual environment, or the data folder of an emulator, which has secrets.
ENVIRONMENT_FILE = "pyvenv.cfg"
NAMED = 5  # paths that a message lists
WRITER = "user.modelarts.writer"  # an extended attribute
EMULATOR_FILES = (".made-by-modelarts-emulator", "emulator.lock")


class IgnoreRules:
    """The rules for paths that an upload of a folder leaves out; docs/jobs.md describes them.

    The last matching rule decides: `.gitignore` files if the folder is code, from the root of the repository inwards;
    EXPECTED and PRIVATE; the folder's `.modelartsignore`, where `!` includes a path again; and the patterns in `more`.
    Virtual environments and data folders of an emulator are always left out. `left_out` collects the paths, except
    EXPECTED and `more`. Raises ConfigError for a data folder of an emulator.
    """

    def __init__(self, folder: Path, more: Iterable[str] = (), *, is_code: bool = False) -> None:
        self._folder = folder.resolve()
        self._is_code = is_code
        more = tuple(more)
        self._expected = _spec([*EXPECTED, *more])
        patterns = folder / IGNORE_FILE
        lines = patterns.read_text("utf-8").splitlines() if patterns.is_file() else []
        self._own = _spec([*EXPECTED, *PRIVATE, *lines, *more])
        self._git_spec = cache(_git_spec)
        self._is_foreign = cache(lambda path: _has_any(self._folder / path, (ENVIRONMENT_FILE, *EMULATOR_FILES)))
        self._above = _repository_above(self._folder) if is_code else []
        self.left_out: list[str] = []
        if _has_any(folder, EMULATOR_FILES):
            raise ConfigError(f"{folder} is the data folder of an emulator and holds its secrets: name another folder")

    def match(self, path: str) -> bool:
        """Whether the file, or the folder if the path ends in `/`, is left out; the path is relative, with `/`."""
        found = self._own.check_file(path).include
        if found is None and self._is_code:
            found = self._match_git(path)
        return bool(found) or any(map(self._is_foreign, _folders_of(path)))

    def note(self, path: str) -> None:
        """Add the path to `left_out`, unless the user expects this."""
        if not self._expected.match_file(path):
            self.left_out.append(path)

    def _match_git(self, path: str) -> bool | None:
        """Return the result of the nearest `.gitignore` file that has a rule for the path."""
        folder = self._folder
        inner = [folder, *(folder / parent for parent in _folders_of(path) if f"{parent}/" != path)]
        for parent in reversed([*self._above, *inner]):
            spec = self._git_spec(parent)
            below = (folder / path).relative_to(parent).as_posix() + ("/" if path.endswith("/") else "")
            if spec is not None and (found := spec.check_file(below).include) is not None:
                # the user named this folder, so ignore a rule of its repository for the complete folder
                is_all = parent in self._above and spec.match_file(f"{folder.relative_to(parent).as_posix()}/")
                if not is_all:
                    return found
        return None


def _git_spec(folder: Path) -> "GitIgnoreSpec | None":
    file = folder / GIT_FILE
    return _spec(file.read_text("utf-8", "replace").splitlines()) if file.is_file() else None


def _spec(patterns: Iterable[str]) -> "GitIgnoreSpec":
    try:
        from pathspec import GitIgnoreSpec
    except ModuleNotFoundError as error:
        raise ConfigError(f"local folders need one more library, pathspec: {install_command('obs')}") from error
    return GitIgnoreSpec.from_lines(patterns)


def _repository_above(folder: Path) -> list[Path]:
    """Return the folders above this one in its Git repository, outermost first; empty without a repository."""
    upwards = [folder, *folder.parents]
    root = next((place for place, each in enumerate(upwards) if (each / ".git").exists()), 0)
    return upwards[root:0:-1]


def _folders_of(path: str) -> Iterator[str]:
    """Return the folders of a relative path, outermost first, including a folder itself."""
    return accumulate(path.split("/")[:-1], "{}/{}".format)


def _has_any(folder: Path, names: tuple[str, ...]) -> bool:
    return any((folder / name).exists() for name in names)


def files_below(folder: Path, rules: IgnoreRules) -> Iterator[str]:
    """Yield the paths of the files to upload, relative to the folder, with `/`.

    Links to folders are followed, but each folder only once and never into itself. What is not a file is left out: such
    links, links to nothing, named pipes, sockets and devices.
    """
    followed = {folder.resolve()}
    for directory, directories, names in os.walk(folder, followlinks=True):
        here = Path(directory)
        below = here.relative_to(folder)
        kept = []
        for name in sorted(directories):
            path = f"{(below / name).as_posix()}/"
            if rules.match(path) or not _is_followed(here / name, followed):
                rules.note(path)
            else:
                kept.append(name)
        directories[:] = kept
        for name in sorted(names):
            path = (below / name).as_posix()
            if rules.match(path) or not _is_file(here / name):
                rules.note(path)
            else:
                yield path


def _is_followed(folder: Path, followed: set[Path]) -> bool:
    """Whether an upload enters the folder; adds the target of a link to `followed`."""
    if not folder.is_symlink():
        return True
    target = folder.resolve()
    if target in followed or folder.parent.resolve().is_relative_to(target):
        return False
    followed.add(target)
    return True


def _is_file(path: Path) -> bool:
    """Whether the path is a file or a link to one; raises OSError if this cannot be found out."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return False


def left_out_text(paths: Sequence[str]) -> str:
    """List the first paths that an upload left out, and the number of others."""
    return first_of(paths, NAMED)


def mark_writer(file: Path, writer: str) -> None:
    """Remember who wrote the file, where the system has extended attributes."""
    with suppress(AttributeError, OSError):
        os.setxattr(file, WRITER, f"{writer} {file.stat().st_mtime_ns}".encode())


def size_of_other(file: Path, writer: str | None) -> int | None:
    """Return the size of the file in bytes; None without one, or if `writer` wrote it and nobody has changed it."""
    with suppress(AttributeError, OSError):
        if os.getxattr(file, WRITER) == f"{writer} {file.stat().st_mtime_ns}".encode():
            return None
    return file.stat().st_size if file.is_file() else None


def path_below(folder: Path, relative: str, *, is_followed: bool = False) -> Path:
    """Return the file for a relative key; raises ValueError for an invalid name, or a path or link out of the folder.

    The file itself may be a link out of the folder, which a download replaces, unless `is_followed`.
    """
    parts = relative.split("/")
    if any(part in ("", ".", "..") or _FORBIDDEN.search(part) for part in parts):
        raise ValueError(f"{relative!r} cannot be a file name")
    path = folder.joinpath(*parts)
    if not (path if is_followed else path.parent).resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{relative!r} leads out of {folder} through a link")
    return path
