"""Which local files an upload sends, and where a download may write."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from .errors import ConfigError

IGNORE_FILE = ".modelartsignore"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
IGNORED = (".git", ".venv", "__pycache__", f"/{IGNORE_FILE}")


def files_below(folder: Path) -> Iterator[str]:
    """Yield the paths of the files to upload, relative to the folder, with `/`.

    What matches IGNORED, or a pattern of the folder's `.modelartsignore` (the rules of gitignore), is left out;
    a pattern with `!` brings back what IGNORED leaves out.
    """
    try:
        from pathspec import GitIgnoreSpec
    except ModuleNotFoundError as error:
        raise ConfigError("object storage needs one more library: pip install 'modelarts-toolkit[obs]'") from error

    patterns = folder / IGNORE_FILE
    more = patterns.read_text("utf-8").splitlines() if patterns.is_file() else []
    ignored = GitIgnoreSpec.from_lines([*IGNORED, *more])
    for directory, directories, names in os.walk(folder):
        below = Path(directory).relative_to(folder)
        directories[:] = sorted(name for name in directories if not ignored.match_file(f"{(below / name).as_posix()}/"))
        paths = ((below / name).as_posix() for name in sorted(names))
        yield from (path for path in paths if not ignored.match_file(path))


def path_below(folder: Path, relative: str) -> Path:
    """The file for the rest of a key; ValueError if it cannot be one, or would leave the folder."""
    parts = relative.split("/")
    if any(part in ("", ".", "..") or "\\" in part or _CONTROL.search(part) for part in parts):
        raise ValueError(f"{relative!r} cannot be a file name")
    return folder.joinpath(*parts)
