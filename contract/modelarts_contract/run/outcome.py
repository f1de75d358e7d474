"""What one process of schemathesis, or the reading of a run, did: its findings and its exchanges."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelarts_contract.exchange import Exchange

__all__ = ["RECORD", "Outcome", "body_text", "sent_and_received", "without_values"]

RECORD = Path("record.jsonl")  # in the folder of a process of schemathesis
BODY_LENGTH = 20_000  # characters of a body that a finding keeps


@dataclass(frozen=True)
class Outcome:
    """What one run did: its exit status, its text, and its record, a line for every exchange and every finding."""

    name: str
    exit_status: int
    output: str
    record: list[dict[str, Any]]

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Every finding once, with its phase."""
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for line in self.record:
            if "finding" in line:
                found.setdefault(tuple(line["finding"]["identity"]), {**line["finding"], "phase": line["phase"]})
        return list(found.values())

    @property
    def failures(self) -> int:
        """How many findings there are; a run that broke off counts as one."""
        return max(len(self.findings), int(self.exit_status != 0))

    @property
    def processor_s(self) -> float:
        """How much time of a processor the process of schemathesis took."""
        return float(sum(line.get("processor_s", 0) for line in self.record))

    def exchanges(self) -> Iterator[dict[str, Any]]:
        """Yield the line of every response."""
        yield from (line for line in self.record if "operation" in line)

    def cases(self) -> Counter[str]:
        """How many cases of each phase were sent, got a response, and were checked."""
        return Counter(line["phase"] for line in self.record if line.get("checks"))


def without_values(message: str) -> str:
    """The message without ids, numbers and values, so that it is the same in another run."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "…", message)
    return re.sub(r"\b[0-9a-f]{8}[0-9a-f-]{20,}\b|\d+", "…", text)[:200]


def sent_and_received(exchange: Exchange) -> dict[str, Any]:
    """The request and the response as records have them."""
    sent = {"headers": dict(exchange.request_headers), "body": body_text(exchange.request_body)}
    request = {"method": exchange.method, "url": exchange.url, **sent}
    if not exchange.status and not exchange.response_body:
        return {"request": request}
    received = {"headers": dict(exchange.response_headers), "body": body_text(exchange.response_body)}
    return {"request": request, "response": {"status": exchange.status, **received}}


def body_text(body: bytes) -> str:
    """The beginning of a body."""
    return body[: 4 * BODY_LENGTH].decode("utf-8", "replace")[:BODY_LENGTH]
