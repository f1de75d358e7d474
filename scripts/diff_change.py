"""A change between two states of a document, and how a list of them is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

Reach = Literal["wire", "client", "text"]


@dataclass(frozen=True)
class Change:
    """One difference at one place.

    `reach` says what it concerns: the messages (`wire`), names in the generated client only (`client`), or nothing
    that a program could notice (`text`).
    """

    document: str
    operation: str  # empty for what concerns the whole document
    place: str
    what: str
    breaking: bool
    reach: Reach = "wire"

    def __str__(self) -> str:
        return f"{' '.join(filter(None, [self.document, self.operation, self.place]))}: {self.what}"


def ordered(changes: Iterable[Change]) -> list[Change]:
    """Each change once: by document and operation, and within these what breaks a client first."""
    unique = dict.fromkeys(changes)
    return sorted(unique, key=lambda c: (c.document, c.operation, not c.breaking, c.reach == "text"))


def as_text(changes: list[Change], base: str) -> Iterator[str]:
    """Lines for a person: what breaks, then what does not; of mere texts only how many there are."""
    if not changes:
        yield f"The documents are as they were at {base}."
        return
    breaking = [change for change in changes if change.breaking]
    harmless = [change for change in changes if not change.breaking and change.reach != "text"]
    texts = sum(change.reach == "text" for change in changes)
    for title, group in (("Breaks a client:", breaking), ("Breaks no client:", harmless)):
        if group:
            yield title
            yield from (f"  {change}" for change in group)
            yield ""
    if texts:
        yield f"Descriptions, examples, links or extensions changed at {texts} places (--json names them)."
    yield f"{len(breaking)} of {len(changes)} changes since {base} break a client."


def as_json(changes: list[Change], base: str) -> dict[str, Any]:
    """The same for programs, with the texts."""
    return {
        "base": base,
        "breaking": any(change.breaking for change in changes),
        "changes": [asdict(change) for change in changes],
    }
