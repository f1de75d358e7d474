"""API families: one per document, with its handlers, its format of errors, and what fixtures can create.

A further document is a folder with its family, and a line in `families`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.http.errors import ServiceError

__all__ = ["ApiFamily", "ErrorFormat", "FixtureKind"]


class ErrorFormat(Protocol):
    """How a family sends errors."""

    def response(self, error: ServiceError) -> Response:
        """Status, body and headers of the error."""

    def status_of(self, code: str) -> int | None:
        """The HTTP status of an error code; None if the family does not know the code."""

    def default_code(self, status: int) -> str | None:
        """The code of an error of which only the status is known: empty if errors have none, None if there is none."""


@dataclass(frozen=True, slots=True)
class FixtureKind:
    """Files of one folder of fixtures: bodies of the operation.

    `complete` replaces references to what other files created, by `@<file name>`; it raises ServiceError for a
    reference to nothing. `read_id` takes the id of what was created from the response.
    """

    folder: str
    operation_id: str
    complete: Callable[[Any, Mapping[str, str]], None]
    read_id: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class ApiFamily:
    """What serves a document: `handlers` by operation id, each given the family's own context and the call.

    `aliases` are further paths, with the documented path that each stands for. `quick` are the ids of the operations
    whose handlers read one row by its key and nothing else, `reading` those of operations that write nothing although
    their method is POST.
    """

    name: str
    handlers: Mapping[str, Callable[[Any, Call], Response]]
    errors: ErrorFormat
    aliases: Mapping[str, str] = field(default_factory=dict)
    fixtures: tuple[FixtureKind, ...] = ()
    quick: frozenset[str] = frozenset()
    reading: frozenset[str] = frozenset()
