"""What models and operations share: the mark of an absent member, and a response with its status and headers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    import httpx

__all__ = ["UNSET", "OffsetUnit", "Response", "Unset"]

T_co = TypeVar("T_co", covariant=True)

OffsetUnit: TypeAlias = Literal["page", "record"]
"""What an offset counts where the service's pages leave it open."""


class Unset:
    """The type of `UNSET`: the member is absent, which is neither null nor empty."""

    __slots__ = ()

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"

    def __reduce__(self) -> str:
        return "UNSET"  # a copied or unpickled UNSET is this one, so that `is UNSET` stays true


UNSET: Final = Unset()
ABSENT: Final[Any] = UNSET
"""The default of a parameter that can be left out although its type has no `Unset`."""


class Response(Generic[T_co]):
    """A successful response: the decoded body, the status and the headers."""

    __slots__ = ("content", "headers", "parsed", "status_code")

    def __init__(self, *, status_code: int, content: bytes, headers: httpx.Headers, parsed: T_co) -> None:
        self.status_code = status_code
        self.content = content
        self.headers = headers
        self.parsed = parsed

    def __repr__(self) -> str:
        return f"Response({self.status_code}, {self.parsed!r})"


def plain(value: Any) -> Any:
    """The value in terms of JSON: models become objects, at any depth."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return value.to_dict() if hasattr(value, "to_dict") else value


def value_at(value: Any, *path: str) -> Any:
    """The member of a member of a model; None where one of them is missing."""
    for attribute in path:
        value = getattr(value, attribute, None)
    return value


def whole_number(value: object) -> int | None:
    """The integer that the service means, which some responses have as text; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
