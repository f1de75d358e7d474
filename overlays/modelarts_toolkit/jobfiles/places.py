"""Where in a job file, or among the options, what is wrong with a request was written."""

from collections.abc import Iterable, Iterator
from typing import cast

from modelarts_toolkit.jobfiles.checks import Problem
from modelarts_toolkit.jobfiles.file import JobFile, Path_
from modelarts_toolkit.jobfiles.settings import ALIASES, MERGED, PLACES


def located(problem: Problem, document: JobFile | None) -> str:
    """The problem, with its place in the file, or the option that gave the value."""
    if document is None:
        return str(problem)
    path = problem.path
    for length in range(len(path), 0, -1):
        candidate, rest = cast("tuple[str, ...]", path[:length]), path[length:]
        keys = [*_spellings(candidate)]
        for key in keys:
            if key in document.replaced:
                return f"--{key.replace('_', '-')}: {problem}"
        if candidate in document.places:
            return f"{document.place(candidate)}: {problem}"
        for key in keys:
            if (key,) in document.places:
                return f"{document.place((key, *rest))}: {problem}"
    return f"{document.name}: {problem}"


def without_repeats(wrong: Iterable[Problem], others: Iterable[Problem]) -> Iterator[Problem]:
    """The problems of values that were left out, and those others that do not follow from them."""
    known = [*wrong]
    yield from known
    paths = {path for each in known for path in _places(each.path) if path}
    for other in others:
        if not any(path[:length] in paths for path in _places(other.path) for length in range(1, len(path) + 1)):
            yield other


def _places(path: Path_) -> Iterator[Path_]:
    """The path, and what it stands for in the request if it begins with a setting."""
    yield path
    if path and (place := PLACES.get(str(path[0]))):
        yield place if path[0] in MERGED else (*place, *path[1:])


def _spellings(path: tuple[str, ...]) -> Iterator[str]:
    """The keys that give what is at a path, as a file or the command line may spell them."""
    settings = [name for name, place in PLACES.items() if place == path]
    for name in settings or path[:1] * (len(path) == 1):
        for spelling in (name, *(alias for alias, meant in ALIASES.items() if meant == name)):
            yield spelling
            yield spelling.replace("_", "-")
