"""A change between two states of a document, and how a list of them is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Change", "Reach", "as_json", "as_markdown", "as_text", "ordered"]

Reach = Literal["wire", "client", "text"]
Broken = Literal["senders", "readers", "callers"]
TITLES: dict[Broken, str] = {
    "senders": "Breaks clients that send such requests",
    "readers": "Breaks clients that read such responses",
    "callers": "Breaks programs that use the generated client (requests and responses stay)",
}
COMPATIBLE = "Breaks no client"


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

    @property
    def broken(self) -> Broken | None:
        """Which clients it breaks: those that send requests, those that read responses, callers of our client."""
        if not self.breaking:
            return None
        if self.reach == "client":
            return "callers"
        return "readers" if self.place.startswith("response") else "senders"


def ordered(changes: Iterable[Change]) -> list[Change]:
    """Each change once: by document and operation, and within these what breaks a client first."""
    unique = dict.fromkeys(changes)
    return sorted(unique, key=lambda c: (c.document, c.operation, not c.breaking, c.reach == "text"))


def grouped(changes: list[Change]) -> Iterator[tuple[str, list[Change]]]:
    """Titles with their changes, without mere texts: what breaks whom, then what does not."""
    groups = [(title, [change for change in changes if change.broken == who]) for who, title in TITLES.items()]
    groups.append((COMPATIBLE, [change for change in changes if not change.breaking and change.reach != "text"]))
    yield from ((title, group) for title, group in groups if group)


def as_text(changes: list[Change], base: str) -> Iterator[str]:
    """Lines for a person: what breaks, then what does not; of mere texts only how many there are."""
    if not changes:
        yield f"The documents are as they were at {base}."
        return
    for title, group in grouped(changes):
        yield f"{title}:"
        yield from (f"  {change}" for change in group)
        yield ""
    if texts := sum(change.reach == "text" for change in changes):
        yield f"Descriptions, examples, links or extensions changed at {texts} places (--output json names them)."
    breaking = sum(change.breaking for change in changes)
    yield f"{breaking} of {len(changes)} changes since {base} break a client."


def as_markdown(changes: list[Change], base: str) -> Iterator[str]:
    """The same for a changelog."""
    yield f"## Changes of the documents since {base}"
    groups = list(grouped(changes))
    if not groups:
        yield from ("", "None that a program could notice.")
    for title, group in groups:
        yield from ("", f"### {title}", "")
        for change in group:
            place = " ".join(filter(None, [change.document, change.operation, change.place]))
            yield f"* `{place}`: {change.what}"


def as_json(changes: list[Change], base: str) -> dict[str, Any]:
    """The same for programs, with the texts."""
    return {
        "base": base,
        "breaking": any(change.breaking for change in changes),
        "changes": [{**asdict(change), "breaks": change.broken} for change in changes],
    }
