"""API families: one per document, with its handlers, its errors, and what fixtures can create.

A further document is a folder with its family, and a line in `families`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import isfunction
from types import ModuleType
from typing import Any

from modelarts_emulator.http.errors import Problem, ServiceError
from modelarts_emulator.settings.accounts import Identity
from modelarts_openapi.error_codes import ERROR_CODES


@dataclass(frozen=True, slots=True)
class Call:
    """One request that is allowed and well-formed; `identities` is empty where no token is asked for."""

    path: Mapping[str, Any]
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    identities: tuple[Identity, ...]

    @property
    def identity(self) -> Identity:
        """Who calls, in the project that the path names."""
        return self.identities[0]

    @property
    def endpoint(self) -> str:
        """The URL by which the client reached the API, and by which it can reach the rest."""
        return f"http://{self.headers['host']}"

    @property
    def project_id(self) -> str:
        return self.identity.project_id


@dataclass(frozen=True, slots=True)
class Response:
    """A status, what the JSON body is made of (None: no content), and headers."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Response]
ContextHandler = Callable[[Any, Call], Response]


def handlers_of(*modules: ModuleType) -> dict[str, ContextHandler]:
    """The handlers in the modules, by operation: `create_algorithm` serves `createAlgorithm`.

    A handler is a public function that is given a family's context and a `Call`, and returns a `Response`.
    """
    found: dict[str, ContextHandler] = {}
    for module in modules:
        for name, function in vars(module).items():
            is_own = isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
            if is_own and list(function.__annotations__.values())[1:] == ["Call", "Response"]:
                first, *words = name.split("_")
                found[first + "".join(map(str.capitalize, words))] = function
    return found


class ErrorFormat(ABC):
    """How a family sends errors; `codes` are those of its codes that differ from ModelArts v2's."""

    codes: Mapping[Problem, str] = {}

    @abstractmethod
    def response(self, error: ServiceError) -> Response:
        """Status, body and headers of the error."""

    def code_of(self, problem: str | Problem) -> str:
        """The family's code for what is wrong."""
        return self.codes.get(problem, problem.value) if isinstance(problem, Problem) else problem

    def status_of(self, code: str) -> int | None:
        """The HTTP status of an error code; None if the family does not know the code."""
        known = ERROR_CODES.get(code)
        return known.status if known else None

    def default_code(self, status: int) -> str | None:
        """The code of an injected error that has this status; None where the code must also be given."""
        if status == 429:
            return "ModelArts.2799"
        return self.code_of(Problem.INTERNAL_ERROR) if status in (500, 502, 503, 504) else None


@dataclass(frozen=True, slots=True)
class FixtureKind:
    """Files of one folder of fixtures: bodies of the operation.

    `read_id` takes the id of what was created from the response. `complete` replaces references to what other files
    created, by `@<file name>`; it raises ServiceError for a reference to nothing.
    """

    folder: str
    operation_id: str
    read_id: Callable[[Any], str]
    complete: Callable[[Any, Mapping[str, str]], None] = lambda _body, _ids: None


@dataclass(frozen=True, slots=True)
class ApiFamily:
    """What serves a document: `handlers` by operation id, each given the family's own context and the call.

    `aliases` are further paths, with the documented path that each stands for; `not_emulated` has operations that the
    emulator does not serve, with the reason. `quick` has those whose handlers read one row by its key and nothing else.
    """

    name: str
    handlers: Mapping[str, ContextHandler]
    errors: ErrorFormat
    aliases: Mapping[str, str] = field(default_factory=dict)
    fixtures: tuple[FixtureKind, ...] = ()
    not_emulated: Mapping[str, str] = field(default_factory=dict)
    quick: frozenset[str] = frozenset()
