"""What a run found, and the file `results.json` that says so to programs.

The file is one JSON object, in UTF-8: `format`, `cases` and the fields of `Result`. Later versions of the format may
add fields; a change of what a field means raises `format`.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from modelarts_contract.exchange import Exchange

__all__ = ["FORMAT", "Finding", "Message", "OperationResult", "PromiseResult", "Result", "Skipped", "read", "write"]

FORMAT = 3
Verdict = Literal["kept", "broken", "not available", "inconclusive", "not checked"]
FILE = "results.json"
BODY_LENGTH = 20_000  # characters of a body that a finding keeps


@dataclass(frozen=True)
class Message:
    """A request or a response, without secrets; `status` is a response's."""

    headers: Mapping[str, str]
    body: str
    method: str | None = None
    url: str | None = None
    status: int | None = None

    @classmethod
    def of(cls, exchange: Exchange) -> tuple[Message, Message | None]:
        """The request and the response, None if there was none."""
        request = cls(
            exchange.request_headers, body_text(exchange.request_body), method=exchange.method, url=exchange.url
        )
        if not exchange.status and not exchange.response_body:
            return request, None
        return request, cls(exchange.response_headers, body_text(exchange.response_body), status=exchange.status)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A promise of the documents that the service broke; each once per operation and check."""

    id: str  # the same for the same finding in other runs
    identity: tuple[str, ...]  # what makes it the same: operation, check, kind, what of it
    document: str = ""
    operation: str | None = None  # operationId; null for a request that no document has
    label: str  # "GET /v2/..."
    check: str
    title: str
    message: str
    phase: str | None = None  # where it was found; null for findings about the whole run
    request: Message | None = None  # null where no single request shows it
    response: Message | None = None
    curl: str = ""  # the request as a command
    repeat: str = ""  # the command of this package that finds it again
    known: bool = False  # whether the baseline lists it: then it does not fail the run
    also: tuple[str, ...] = ()  # other operations that fail in the same way

    @classmethod
    def of(
        cls,
        identity: tuple[str, str, str, str],
        exchange: Exchange | None = None,
        *,
        title: str,
        message: str,
        phase: str | None = None,
        curl: str = "",
    ) -> Finding:
        """The finding of this identity, whose last part can have values that differ in another run."""
        label, check, kind, what = identity
        identity = label, check, kind, without_values(what)
        request, response = Message.of(exchange) if exchange is not None else (None, None)
        return cls(
            id=sha256("\0".join(identity).encode(errors="replace")).hexdigest()[:6],
            identity=identity,
            label=label,
            check=check,
            title=title,
            message=message,
            phase=phase,
            request=request,
            response=response,
            curl=curl,
        )


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
    processor_s: float = 0.0  # time of processors that the run and all its processes took
    schemathesis_s: float = 0.0  # how much of that was schemathesis
    findings: Sequence[Finding] = ()
    promises: Sequence[PromiseResult] = ()
    skipped: Sequence[Skipped] = ()
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
    content["findings"] = [Finding(**fields(found)) for found in content["findings"]]
    content["promises"] = [PromiseResult(**promise) for promise in content["promises"]]
    content["skipped"] = [Skipped(**entry) for entry in content["skipped"]]
    return Result(**{each.name: content[each.name] for each in dataclasses.fields(Result)})


def fields(content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a finding, or of another entry of a record, as JSON has them."""
    lists = {name: tuple(value) for name, value in content.items() if isinstance(value, list)}
    messages = {part: Message(**content[part]) for part in ("request", "response") if content[part]}
    return {**content, **lists, **messages}


def without_values(message: str) -> str:
    """The message without ids, numbers and values, so that it is the same in another run."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "…", message)
    return re.sub(r"\b[0-9a-f]{8}[0-9a-f-]{20,}\b|\d+", "…", text)[:200]


def body_text(body: bytes) -> str:
    """The beginning of a body."""
    return body[: 4 * BODY_LENGTH].decode("utf-8", "replace")[:BODY_LENGTH]
