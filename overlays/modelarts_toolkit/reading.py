"""Read responses, and bodies of requests, although any field may be missing and values may be of other kinds.

The type checker follows each path, so a document that renames, retypes or removes a field breaks the line that reads
the field. (It does not with `get` of a body, which takes any name.)

    flavor = read(lambda: job.spec.resource.flavor_id, str)
    engine = read(lambda: present(job.algorithm.engine).engine_id, str)
    boot = read(lambda: request["algorithm"]["boot_file"], str)
"""

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from modelarts_runtime.model import Model

T = TypeVar("T")


def read(path: Callable[[], T | None], kind: type[T]) -> T | None:
    """Return the value at the end of a path; None if a part of the path is missing or the value is of another kind."""
    try:
        found = path()
    except (AttributeError, LookupError, TypeError):
        return None
    return found if isinstance(found, kind) else None


def part(path: Callable[[], T | None], *kinds: type[object]) -> T | None:
    """Return the value of these kinds, an object by default, at the end of a path as what its documents say it is."""
    found = read(path, object)
    return cast("T", found) if isinstance(found, kinds or (Model, dict)) else None


def entries(path: Callable[[], Sequence[T]], kind: type[object] = Model) -> list[T]:
    """Return the entries of this kind, objects by default, of the list at the end of a path; empty without a list."""
    found = read(path, object)
    return [cast("T", each) for each in found if isinstance(each, kind)] if isinstance(found, list | tuple) else []


def present(value: T | None) -> T:
    """Return the value of an optional field within a path, which ends here if the field is missing."""
    if value is None:
        raise LookupError
    return value
