"""What a run found, and the file `results.json` that says so to programs.

The file is one JSON object, in UTF-8: `format`, `cases` and the fields of `Result`; a finding also has its `id` and its
`title`. Later versions of the format may add fields; a change of what a field means raises `format`.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from modelarts_contract.finding import Finding
from modelarts_contract.run.assumptions import Assumption

__all__ = ["FORMAT", "DocumentResult", "OperationResult", "PromiseResult", "Result", "Skipped", "read", "write"]

FORMAT = 3
Verdict = Literal["kept", "broken", "not available", "inconclusive", "not checked"]
FILE = "results.json"


@dataclass(frozen=True)
class OperationResult:
    """What was sent to an operation, and what came back."""

    method: str
    path: str
    cases: int = 0  # sent and checked
    statuses: Mapping[str, int] = field(default_factory=dict)  # how many responses had which: {"200": 12, "400": 3}
    phases: Mapping[str, int] = field(default_factory=dict)  # how many cases came from which: {"coverage": 15}
    verdict: Verdict = "not checked"  # "not available" to this account; "inconclusive" without a lasting response
    reason: str = ""  # why it is neither kept nor broken

    @property
    def succeeded(self) -> bool:
        return any(status < "4" for status in self.statuses)


@dataclass(frozen=True)
class DocumentResult:
    """The operations of a document, by their ids."""

    operations: Mapping[str, OperationResult]


@dataclass(frozen=True)
class PromiseResult:
    """What no single response shows, such as that pages fit together."""

    name: str
    document: str
    status: Literal["kept", "broken", "not available", "not checked"]
    reason: str = ""


@dataclass(frozen=True)
class Skipped:
    """A kind of checks that was left out, and why."""

    what: str
    reason: str


@dataclass(frozen=True)
class Result:
    """What a run found."""

    service: str  # URL, or "emulator"
    is_emulator: bool  # whether the run started the service itself
    run: str  # id, which is in the names of all that it creates
    seed: int  # of the generated cases
    started_at: str  # ISO 8601, UTC
    duration_s: float  # from the first case to the last
    documents: Mapping[str, DocumentResult]
    findings: Sequence[Finding] = ()  # one for each cause, those of most weight first
    promises: Sequence[PromiseResult] = ()
    skipped: Sequence[Skipped] = ()
    assumptions: Sequence[Assumption] = ()  # of the documents, at a real service
    notes: Sequence[str] = ()  # fields and values that the documents do not have, and missing ones; they break nothing
    known_notes: Sequence[str] = ()  # what of the notes the baseline lists, without the places
    trouble: str = ""  # why nothing more was sent to the service, empty if all was
    is_interrupted: bool = False  # whether a signal ended the run before its time
    left: str = ""  # what the run created there and could not delete

    @property
    def cases(self) -> int:
        """How many cases were sent and checked."""
        return sum(each.cases for document in self.documents.values() for each in document.operations.values())

    @property
    def verdicts(self) -> Counter[str]:
        """How many operations have which verdict."""
        return Counter(each.verdict for document in self.documents.values() for each in document.operations.values())

    @property
    def new(self) -> list[Finding]:
        """The findings that the baseline does not list."""
        return [finding for finding in self.findings if not finding.known]

    @property
    def new_notes(self) -> list[str]:
        """The notes that the baseline does not list."""
        return [each for each in self.notes if each.partition(":")[0] not in self.known_notes]

    @property
    def exit_status(self) -> int:
        """0 if something was checked and all of that is kept, 1 if it is broken, 3 if the service cannot be tried, 4 if
        something is left there."""
        if self.left:
            return 4
        if self.trouble or not (self.findings or self.verdicts["kept"]):
            return 3
        return 1 if self.new else 0


def write(result: Result, folder: Path) -> Path:
    """Write `results.json` into the folder, and return its path."""
    content = {"format": FORMAT, **dataclasses.asdict(result), "cases": result.cases}
    content["findings"] = [found.members() for found in result.findings]
    file = folder / FILE
    file.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return file


def read(file: Path) -> Result:
    """Read `results.json`; raises ValueError for another format, OSError."""
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    if content.get("format") != FORMAT:
        raise ValueError(f"{file} has format {content.get('format')}: this version reads format {FORMAT}")
    for document in content["documents"].values():
        document["operations"] = {id_: OperationResult(**each) for id_, each in document["operations"].items()}
    content["documents"] = {name: DocumentResult(**document) for name, document in content["documents"].items()}
    content["findings"] = [Finding.from_members(found) for found in content["findings"]]
    content["promises"] = [PromiseResult(**promise) for promise in content["promises"]]
    content["assumptions"] = [Assumption(**entry) for entry in content["assumptions"]]
    content["skipped"] = [Skipped(**entry) for entry in content["skipped"]]
    return Result(**{each.name: content[each.name] for each in dataclasses.fields(Result)})
