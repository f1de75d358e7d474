"""The file that somebody sends after a run at a real service: what it showed of the documents, and not whose it was.

It is a HAR file, which `contract check` reads as well. Its exchanges are redacted as recordings are, and name no host
that is not published. The member `_evidence` of its log has the rest: the versions, the region, the verdict of the run
and of each operation, each assumption of the documents with the numbers of exchanges that confirm or contradict it,
the findings, and what is new.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract import har
from modelarts_contract.documents import load
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding
from modelarts_contract.redaction import Redaction
from modelarts_contract.run.reports import verdict
from modelarts_contract.run.result import Result
from modelarts_toolkit.settings.endpoints import DOMAINS

__all__ = ["EVIDENCE", "FORMAT", "write"]

EVIDENCE = "evidence.json"
FORMAT = 1
UNKNOWN_HOST = "service.invalid"
OF_MACHINE = ("curl", "repeat", "known")  # members of a finding that only its owner needs


class Sender:
    """Makes what is sent of a run at a service, whose exchanges are redacted by the same redaction."""

    def __init__(self, redaction: Redaction, addresses: dict[str, str]) -> None:
        self.redaction, self.addresses = redaction, addresses

    def public(self, url: str) -> str:
        """The URL with the host of the service, if that is published."""
        parts = urlsplit(url)
        behind = urlsplit(self.addresses.get(f"{parts.scheme}://{parts.netloc}", url))
        host = behind.hostname if region_of(behind.hostname) is not None else UNKNOWN_HOST
        return parts._replace(scheme="https", netloc=str(host)).geturl()

    def finding(self, found: Finding) -> dict[str, Any]:
        """A finding whose exchange is redacted, without what only its owner needs, and values that are somebody's."""
        where = ".".join(map(self.redaction.published, found.where.split(".")))
        request = found.request and replace(found.request, url=self.public(str(found.request.url)))
        clean = replace(found, message=self.redaction.published(found.message), where=where, request=request, also=())
        members = clean.members()
        shown = {name: value for name, value in members.items() if name not in OF_MACHINE}
        return {**shown, "id": found.id, "also": [self.finding(each) for each in found.also]}


def write(
    file: Path,
    result: Result,
    exchanges: Sequence[Exchange] = (),
    redaction: Redaction | None = None,
    addresses: dict[str, str] | None = None,
) -> None:
    """Write the file; the exchanges, and those of the findings, are redacted already. Raises OSError."""
    redaction = redaction or Redaction()
    sender = Sender(redaction, addresses or {})
    region = region_of(urlsplit(result.service).hostname)
    found = {
        "format": FORMAT,
        "toolkit": version("modelarts-toolkit"),
        "python": platform.python_version(),
        "documents": {name: load(name)["info"]["version"] for name in result.documents},
        "region": region,
        "cloud": DOMAINS.get(region or ""),
        "started_at": result.started_at,
        "duration_s": result.duration_s,
        "verdict": verdict(result),
        "is_interrupted": result.is_interrupted,
        "trouble": redaction.published(result.trouble),
        "statuses": dict(sorted(Counter(str(each.status) for each in exchanges).items())),
        "skipped": [asdict(each) for each in result.skipped],
        "operations": {
            name: {
                id_: {"verdict": each.verdict, "reason": redaction.published(each.reason), "statuses": each.statuses}
                for id_, each in document.operations.items()
            }
            for name, document in result.documents.items()
        },
        "assumptions": [asdict(each) for each in result.assumptions],
        "findings": [sender.finding(each) for each in result.findings],
        "notes": [redaction.published(each) for each in result.notes],
    }
    public = (replace(each, url=sender.public(each.url)) for each in exchanges)
    har.write(file, public, {"_evidence": found})


def region_of(host: str | None) -> str | None:
    """The region of a published host, such as `modelarts.eu-de.otc.t-systems.com`; None for any other."""
    region, _, domain = str(host).partition(".")[2].partition(".")
    return region if domain and DOMAINS.get(region) == domain else None
