"""Entries of the ledger of observations, made of the file that a run at a real service has left (run/evidence.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from modelarts_contract import har
from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Kind
from modelarts_contract.redaction import is_replaced
from modelarts_contract.run.assumptions import places
from modelarts_contract.run.evidence import FORMAT
from modelarts_contract.seen import Seen, dig
from modelarts_contract.validation import in_form

__all__ = ["EvidenceError", "added"]

DIFFERS = "the emulator follows the document; nobody has decided what to follow"
NAME_LENGTH = 100  # characters of a file's name
NEW = (Kind.UNKNOWN_FIELD, Kind.UNKNOWN_VALUE)
Entry = dict[str, Any]


class EvidenceError(Exception):
    """The file has no evidence of a run; the message says why."""


def added(file: Path, ledger: Path) -> list[Path]:
    """Write what the file adds to the folder of observations, a file each; none that exists is changed.

    Raises EvidenceError, har.HarError, OSError.
    """
    exchanges = list(har.read(file))
    found = har.content_of(file)["log"].get("_evidence")
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise EvidenceError(f"{file} is not the evidence.json of a run (format {FORMAT})")
    try:
        entries = dict(Observations(exchanges, found).entries())
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise EvidenceError(f"{file} is damaged: {type(error).__name__}: {error}") from error
    new = {ledger / f"{name}.yaml": entry for name, entry in entries.items() if not (ledger / f"{name}.yaml").exists()}
    for path, entry in new.items():
        with path.open("x", encoding="utf-8") as output:
            yaml.safe_dump(entry, output, sort_keys=False, allow_unicode=True, width=110)
    return list(new)


class Observations:
    """The observations of one run; `found` is what its file says besides its exchanges."""

    def __init__(self, exchanges: Sequence[Exchange], found: Mapping[str, Any]) -> None:
        self.documents, self.found = Documents(), found
        self.seen = {number: Seen.of(each, self.documents) for number, each in enumerate(exchanges, 1)}
        region = found["region"] or "a region that is not published"
        self.source = f"contract run of version {found['toolkit']} at {region}, {found['started_at'][:10]}"

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """Each observation with the name of its file, the same for the same observation of another run."""
        for each in self.found["assumptions"]:
            yield from self.of_assumption(**each)
        for finding in self.found["findings"]:
            for each in (finding, *finding["also"]):
                yield from self.of_finding(each)
        for seen in filter(None, self.seen.values()):
            for new in in_form(seen):
                if new.kind in NEW and not is_replaced(new.field) and not is_replaced(new.value):
                    named = f"new {new.document} {new.operation} {new.place} {new.value if new.kind is NEW[1] else ''}"
                    yield named_entry(named, self.entry(new.message, seen, new.where) | {"differs": DIFFERS})

    def of_assumption(
        self, document: str, place: str, text: str, outcome: str, exchanges: Sequence[int]
    ) -> Iterator[tuple[str, Entry]]:
        """The observation that settles an assumption which the documents still have."""
        pointer, known = places(document).get(place, ((), None))
        if outcome not in ("confirmed", "contradicted") or text != known:
            return
        for seen in [seen for number in exchanges[:1] if (seen := self.seen.get(number)) is not None]:
            shown = (each.where for each in seen.places if pointer in [part.pointer for part in each.parts])
            where = ".".join(map(str, next(shown, ())))
            observed = f"What {document} states at {place} was {outcome}. It was an assumption: {text}"
            entry = self.entry(observed, seen, where) | {"assumption": f"{document} {place}"}
            differs = {"differs": DIFFERS} if outcome == "contradicted" else {}
            yield named_entry(f"{outcome} {document} {place}", entry | differs)

    def of_finding(self, finding: Mapping[str, Any]) -> Iterator[tuple[str, Entry]]:
        """The observation of a finding that has its exchange."""
        request, response = finding["request"], finding["response"]
        if request is None or response is None:
            return
        sent, received = request["body"].encode(), response["body"].encode()
        exchange = Exchange(request["method"], request["url"], response["status"], {}, sent, {}, received)
        seen = Seen.of(exchange, self.documents)
        if seen is not None:
            entry = self.entry(f"{finding['title']}: {finding['message']}", seen, finding["where"])
            name = f"finding {finding['document']} {finding['operation']} {finding['id']}"
            yield named_entry(name, entry | {"differs": DIFFERS})

    def entry(self, observed: str, seen: Seen, where: str) -> Entry:
        """The observation of an exchange, with what its response has at a place, which may be one within an object."""
        path = {name: value for name, value in seen.path.items() if name != "project_id"}
        request = {"path": path, "query": dict(seen.query), "body": seen.sent}
        place = re.sub(r"\[(\d+)\]", r".\1", where)
        ways = (place, *(".".join(map(str, each.where)) for each in seen.places if place))
        within_objects = re.compile(rf"(?:[a-z]\w*\.)*{re.escape(place)}")
        found = ((each, dig(seen.shown, each)) for each in filter(within_objects.fullmatch, ways))
        shown = next(({"has": nested(each.split("."), value)} for each, value in found if value is not None), {})
        sent = {name: part for name, part in request.items() if part}
        return {
            "observed": observed,
            "source": self.source,
            "strength": "user",
            "operation": f"{seen.operation.name} {seen.operation.operation_id}",
            **({"request": sent} if sent else {}),
            "response": {"status": seen.exchange.status, **shown},
        }


def nested(where: Sequence[str], value: Any) -> Any:
    """The value within the objects and lists that lead to it; a list has it as its first entry."""
    for step in reversed(where):
        value = [value] if step.isdecimal() else {step: value}
    return value


def named_entry(name: str, entry: Entry) -> tuple[str, Entry]:
    """The entry with its name as that of a file."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:NAME_LENGTH], entry
