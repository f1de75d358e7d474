"""A change between two states of a document, and how a list of them is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

__all__ = ["UNNOTICED", "Change", "Reach", "as_json", "as_markdown", "as_text", "ordered"]

Reach = Literal["wire", "client", "text"]
Broken = Literal["senders", "readers", "callers"]
COMPATIBLE = "Breaks no client"
UNNOTICED = "descriptions, examples, links and the like"
TITLES: dict[Broken | None, str] = {
    "senders": "Breaks clients that send such requests",
    "readers": "Breaks clients that read such responses",
    "callers": "Breaks programs that use the generated client (requests and responses stay)",
    None: COMPATIBLE,
}
STATUSES = re.compile(r"^response [\w,]+")


@dataclass(frozen=True)
class Change:
    """One difference at one place.

    `reach` says what it concerns: the messages (`wire`), the generated client only (`client`), or nothing that a
    program could notice (`text`).
    """

    place: str
    what: str
    breaking: bool
    reach: Reach = "wire"
    operation: str = ""  # empty for what concerns the whole document
    document: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"

    @property
    def where(self) -> str:
        return " ".join(filter(None, [self.document, self.operation, self.place]))

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
    return sorted(dict.fromkeys(changes), key=lambda c: (c.document, c.operation, not c.breaking))


def grouped(changes: list[Change]) -> Iterator[tuple[str, list[Change]]]:
    """Titles with their changes: first those that break somebody, then the others."""
    together = joined(changes)
    for who, title in TITLES.items():
        if group := [change for change in together if change.broken == who]:
            yield title, group


def joined(changes: Iterable[Change]) -> list[Change]:
    """The changes, with one for all operations that have the same; statuses of responses go then."""
    alike: dict[Change, list[Change]] = {}
    for change in changes:
        key = replace(change, operation="", place=STATUSES.sub("response", change.place))
        alike.setdefault(key, []).append(change)
    return [
        replace(key, operation=", ".join(dict.fromkeys(each.operation for each in group))) if group[1:] else group[0]
        for key, group in alike.items()
    ]


def summary(changes: list[Change], base: str) -> str:
    """How many changes break a client; what no program could notice is not counted."""
    counted = [change.breaking for change in changes if change.reach != "text"]
    if not counted:
        return f"Nothing changed since {base}{f' but {UNNOTICED}' if changes else ''}."
    return f"{sum(counted)} of {len(counted)} changes since {base} break a client."


def as_text(changes: list[Change], base: str) -> Iterator[str]:
    """Lines for a person: breaking changes, the other changes, the sum."""
    for title, group in grouped(changes):
        yield from (f"{title}:", *(f"  {change}" for change in group), "")
    yield summary(changes, base)


def as_markdown(changes: list[Change], base: str) -> Iterator[str]:
    """The same for a merge request or a changelog; what breaks no client is folded."""
    yield f"## Changes of the documents since {base}"
    yield from ("", summary(changes, base))
    for title, group in grouped(changes):
        is_folded = title == COMPATIBLE
        yield from ("", f"<details><summary>{title}</summary>" if is_folded else f"### {title}", "")
        yield from (f"* `{change.where}`: {change.what}" for change in group)
        yield from ("", "</details>") if is_folded else ()


def as_json(changes: list[Change], base: str) -> dict[str, Any]:
    """The same for programs."""
    return {
        "base": base,
        "breaking": any(change.breaking for change in changes),
        "changes": [{**asdict(change), "breaks": change.broken} for change in changes],
    }
