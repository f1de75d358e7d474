"""What an emulator responded with, beside the documents and the recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modelarts_contract.rules import Session
from modelarts_contract.shapes import Difference, Kind, differences
from modelarts_contract.validation import Finding

from .player import Played
from .values import json_of

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """What the emulator responded with: by the documents (`findings`) and beside the recording (`differences`).

    `skipped` says why a request was not played; then `status` is None.
    """

    status: int | None
    skipped: str
    findings: Sequence[Finding]
    differences: Sequence[Difference]

    @property
    def fails(self) -> bool:
        """Whether the emulator breaks the documents, or differs from the recording in a status or a type."""
        broken = any(finding.breaks_contract for finding in self.findings)
        return broken or any(difference.fails for difference in self.differences)


def compare(played: Played, session: Session) -> Comparison:
    """The emulator's response beside the recorded one and the documents."""
    recorded, emulated = played.recorded, played.emulated
    if emulated is None:
        return Comparison(None, played.skipped, (), ())
    found = session.see(emulated)
    if recorded.status != emulated.status:
        text = f"the recording has {recorded.status}, the emulator {emulated.status}: {emulated.response_body.decode()}"
        return Comparison(emulated.status, "", found, [Difference(Kind.OTHER_STATUS, text[:300])])
    bodies = json_of(recorded.response_body), json_of(emulated.response_body)
    return Comparison(emulated.status, "", found, list(differences(*bodies)))
