"""What one process of schemathesis, or the reading of a run, did: its findings and its responses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from modelarts_contract.finding import Finding, Message

__all__ = ["RECORD", "Outcome", "Response", "read", "to_line"]

RECORD = Path("record.jsonl")  # in the folder of a process of schemathesis


@dataclass(frozen=True)
class Response:
    """That an operation has responded, in a phase of a run."""

    phase: str
    operation: str  # its label
    status: int
    checks: int = 1  # how many were made of it
    grounded: bool = False  # whether a valid request about what exists got it
    code: str = ""  # the error code of a rejection
    request: Message | None = None  # of a grounded request that was rejected
    response: Message | None = None

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 400


@dataclass(frozen=True)
class Outcome:
    """What one run did: its exit status, its text, and its record: every response and every finding."""

    name: str
    exit_status: int
    output: str
    record: list[Response | Finding]

    @property
    def responses(self) -> list[Response]:
        return [each for each in self.record if isinstance(each, Response)]

    @property
    def findings(self) -> list[Finding]:
        """Every finding once."""
        found: dict[tuple[str, ...], Finding] = {}
        for each in self.record:
            if isinstance(each, Finding) and each.breaks_contract:
                found.setdefault(each.identity, each)
        return list(found.values())

    @property
    def notes(self) -> list[Finding]:
        """What is new and breaks nothing."""
        return [each for each in self.record if isinstance(each, Finding) and not each.breaks_contract]


def to_line(entry: Response | Finding) -> str:
    """The entry of a record as a line of a file."""
    content = entry.members() if isinstance(entry, Finding) else asdict(entry)
    return json.dumps({type(entry).__name__: content}) + "\n"


def read(file: Path) -> Iterator[Response | Finding]:
    """The entries of a record that was written line by line."""
    for line in file.read_text("utf-8").splitlines():
        ((name, content),) = json.loads(line).items()
        if name == "Finding":
            yield Finding.from_members(content)
        else:
            messages = {part: content[part] and Message(**content[part]) for part in ("request", "response")}
            yield Response(**{**content, **messages})
