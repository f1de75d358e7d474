"""Which local files an upload sends, and where a download may write."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from .errors import ConfigError
from .install import install_command

IGNORE_FILE = ".modelartsignore"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
IGNORED = (".git", ".venv", "__pycache__", f"/{IGNORE_FILE}")


class IgnoreRules:
    """What an upload of a folder leaves out: IGNORED, and the patterns of its `.modelartsignore` (as of gitignore).

    A pattern with `!` brings back what IGNORED leaves out.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        try:
            from pathspec import GitIgnoreSpec
        except ModuleNotFoundError as error:
            raise ConfigError(f"object storage needs one more library: {install_command('obs')}") from error
        self._spec = GitIgnoreSpec.from_lines([*IGNORED, *patterns])

    @classmethod
    def of(cls, folder: Path, more: Iterable[str] = ()) -> Self:
        """The rules of a folder, and more patterns."""
        patterns = folder / IGNORE_FILE
        return cls([*(patterns.read_text("utf-8").splitlines() if patterns.is_file() else []), *more])

    def match(self, path: str) -> bool:
        """Whether the file, or the folder if the path ends in `/`, is left out; the path is relative, with `/`."""
        return self._spec.match_file(path)


def files_below(folder: Path, rules: IgnoreRules | None = None) -> Iterator[str]:
    """Yield the paths of the files to upload, relative to the folder, with `/`; by default its own rules apply."""
    rules = rules or IgnoreRules.of(folder)
    for directory, directories, names in os.walk(folder):
        below = Path(directory).relative_to(folder)
        directories[:] = sorted(name for name in directories if not rules.match(f"{(below / name).as_posix()}/"))
        paths = ((below / name).as_posix() for name in sorted(names))
        yield from (path for path in paths if not rules.match(path))


def path_below(folder: Path, relative: str, *, is_followed: bool = False) -> Path:
    """The file for the rest of a key; ValueError if it cannot be one, or would leave the folder, also through a link.

    The file itself may be a link, which a download replaces, unless it `is_followed`.
    """
    parts = relative.split("/")
    if any(part in ("", ".", "..") or "\\" in part or _CONTROL.search(part) for part in parts):
        raise ValueError(f"{relative!r} cannot be a file name")
    path = folder.joinpath(*parts)
    if not (path if is_followed else path.parent).resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{relative!r} leads out of {folder} through a link")
    return path
