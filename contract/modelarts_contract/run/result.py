"""What a run found, and the file `results.json` that says so to programs.

The file is one JSON object, in UTF-8. Later versions of the format may add fields; a change of what a field means
raises `format`.

    format       1
    service      URL of the service, or "emulator"
    is_emulator  whether the run started the service itself
    run          id of the run, which is in the names of all that it creates
    seed         of the generated cases
    started_at   ISO 8601, UTC
    duration_s   time on the wall from the first case to the last
    cases        cases that were sent and checked; `cases_per_s` by `duration_s`
    documents    by name of the document:
        operations   by operationId:
            method, path
            cases        sent and checked
            statuses     how many responses had which status: {"200": 12, "400": 3}
            phases       how many cases came from examples, coverage, fuzzing, stateful: {"coverage": 15}
            valid        well-formed requests about things that exist, {"tried": 9, "succeeded": 9}
            verdict      "kept", "broken", "not available" (to this account, or not published here), "inconclusive"
                         (no response, or temporary errors only), or "not checked"
            reason       why it is neither kept nor broken
        links        how often each led to a success, by "createAlgorithm -> showAlgorithm"
    promises     what no single response shows:
                 [{"name", "document", "status": "kept" | "broken" | "not available", "reason"}]
    news         fields and values that the documents do not have, and fields that are missing; they break nothing
    trouble      why nothing more was sent to the service, empty if all was
    is_interrupted  whether a signal ended the run before its time
    left         what the run created there and could not delete, empty if nothing is
    findings     broken promises of the documents, each once per operation and check:
        id           the same for the same finding in other runs
        identity     what makes it the same: operation, check, kind, what of it
        document, operation (operationId, null for a request that no document has), label ("GET /v2/...")
        check, title, message
        phase        where it was found; null for findings about the whole run
        request      {"method", "url", "headers", "body"}, null where no single request shows it
        response     {"status", "headers", "body"}
        curl         the request as a command
        also         other operations that fail in the same way
        repeat       the command of this package that finds it again
        known        whether the baseline lists it: then it does not fail the run
    skipped      what was left out: [{"what", "reason"}]
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["FORMAT", "Finding", "Message", "OperationResult", "PromiseResult", "Result", "Skipped", "read", "write"]

FORMAT = 2
Verdict = Literal["kept", "broken", "not available", "inconclusive", "not checked"]
FILE = "results.json"


@dataclass(frozen=True)
class Message:
    """A request or a response, without secrets; `status` is a response's."""

    headers: Mapping[str, str]
    body: str
    method: str | None = None
    url: str | None = None
    status: int | None = None


@dataclass(frozen=True)
class Finding:
    """A promise of the documents that the service broke."""

    id: str
    identity: Sequence[str]
    document: str
    operation: str | None
    label: str
    check: str
    title: str
    message: str
    phase: str | None
    request: Message | None
    response: Message | None
    curl: str
    repeat: str
    known: bool
    also: Sequence[str] = ()


@dataclass(frozen=True)
class OperationResult:
    """What was sent to an operation, and what came back."""

    method: str
    path: str
    cases: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    phases: Mapping[str, int] = field(default_factory=dict)
    valid: Mapping[str, int] = field(default_factory=dict)
    verdict: Verdict = "not checked"
    reason: str = ""

    @property
    def succeeded(self) -> bool:
        return any(status < "4" for status in self.statuses)


@dataclass(frozen=True)
class DocumentResult:
    """The operations and links of a document."""

    operations: Mapping[str, OperationResult]
    links: Mapping[str, int]


@dataclass(frozen=True)
class PromiseResult:
    """What no single response shows, such as that pages fit together."""

    name: str
    document: str
    status: Literal["kept", "broken", "not available"]
    reason: str = ""


@dataclass(frozen=True)
class Skipped:
    """Something that was not tried, and why."""

    what: str
    reason: str


@dataclass(frozen=True)
class Result:
    """What a run found."""

    service: str
    is_emulator: bool
    run: str
    seed: int
    started_at: str
    duration_s: float
    documents: Mapping[str, DocumentResult]
    findings: Sequence[Finding] = ()
    promises: Sequence[PromiseResult] = ()
    skipped: Sequence[Skipped] = ()
    news: Sequence[str] = ()
    trouble: str = ""
    is_interrupted: bool = False
    left: str = ""

    @property
    def cases(self) -> int:
        return sum(
            operation.cases for document in self.documents.values() for operation in document.operations.values()
        )

    @property
    def verdicts(self) -> Counter[str]:
        """How many operations have which verdict."""
        return Counter(each.verdict for document in self.documents.values() for each in document.operations.values())

    @property
    def new(self) -> list[Finding]:
        """The findings that the baseline does not list."""
        return [finding for finding in self.findings if not finding.known]

    @property
    def is_kept(self) -> bool:
        """Whether the service keeps every promise that was tried, save for those that the baseline lists."""
        return not self.new

    @property
    def exit_status(self) -> int:
        """0 if something was checked and all of that is kept, 1 if it is broken, 3 if the service cannot be tried, 4 if
        something is left there."""
        if self.left:
            return 4
        if self.trouble or not (self.findings or self.verdicts["kept"]):
            return 3
        return 0 if self.is_kept else 1


def write(result: Result, folder: Path) -> Path:
    """Write `results.json` into the folder, and return its path."""
    content = {
        "format": FORMAT,
        **dataclasses.asdict(result),
        "cases": result.cases,
        "cases_per_s": round(result.cases / result.duration_s, 1) if result.duration_s else 0.0,
    }
    file = folder / FILE
    file.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return file


def read(file: Path) -> Result:
    """Read `results.json`; raises ValueError for another format, OSError."""
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    if content.get("format") != FORMAT:
        raise ValueError(f"{file} has format {content.get('format')}: this version reads format {FORMAT}")
    documents = {
        name: DocumentResult(
            {id_: OperationResult(**operation) for id_, operation in document["operations"].items()}, document["links"]
        )
        for name, document in content["documents"].items()
    }
    findings = [
        Finding(
            **{
                **given,
                "identity": tuple(given["identity"]),
                "also": tuple(given["also"]),
                **{part: given[part] and Message(**given[part]) for part in ("request", "response")},
            }
        )
        for given in content["findings"]
    ]
    whole = {name.name: content[name.name] for name in dataclasses.fields(Result)}
    return Result(
        **{
            **whole,
            "documents": documents,
            "findings": findings,
            "promises": [PromiseResult(**given) for given in content["promises"]],
            "skipped": [Skipped(**given) for given in content["skipped"]],
        }
    )
