"""What is known about each operation, from records of runs; `evidence.json` holds those of this version.

The file is written by `scripts/evidence.py` of the project; a service that somebody tried is added with `seen_in`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from .comparison.document import NAMES
from .comparison.shape import is_text
from .documents import Documents, Operation, resolve
from .exchange import Exchange

__all__ = ["Evidence", "Proof", "Seen", "fingerprint", "load", "proof_of", "seen_in"]

FINGERPRINT_LENGTH = 16
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Seen:
    """Responses of a real service: its host, the day (ISO 8601), and how many responses had which status."""

    host: str
    day: str
    statuses: Mapping[str, int]


@dataclass(frozen=True)
class Proof:
    """What is known about one operation.

    `clouds` document it; `generated`: the client has it; `emulated`: the emulator serves it. `cases` were generated
    from its document when it had this `fingerprint`, sent to the emulator and checked; `statuses` counts the responses.
    `stories` are tests of whole use cases that called it successfully, `executed` those of them whose jobs were real
    processes, `clients` programs of others that called it successfully.
    """

    document: str
    operation: str
    method: str
    path: str
    clouds: Sequence[str] = ()
    generated: bool = False
    emulated: bool = False
    cases: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    fingerprint: str = ""
    stories: Sequence[str] = ()
    executed: Sequence[str] = ()
    clients: Sequence[str] = ()
    real: Sequence[Seen] = ()

    @property
    def key(self) -> tuple[str, str]:
        return self.document, self.operation


@dataclass(frozen=True)
class Evidence:
    """All operations, and the day (ISO 8601) of the last run by its name: `contract`, `stories`, `clients`."""

    runs: Mapping[str, str]
    operations: Sequence[Proof]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Evidence:
        proofs = [
            Proof(**{**given, "real": tuple(Seen(**entry) for entry in given["real"])})
            for given in content["operations"]
        ]
        return cls(content["runs"], proofs)

    def and_seen(self, added: Mapping[tuple[str, str], Seen]) -> Evidence:
        """With what was seen in addition, by document and operation."""
        more = [replace(proof, real=(*proof.real, *filter(None, [added.get(proof.key)]))) for proof in self.operations]
        return replace(self, operations=more)


def load() -> Evidence:
    """The evidence of this version."""
    return Evidence.of_json(json.loads(files(__package__).joinpath("evidence.json").read_text("utf-8")))


def fingerprint(operation: Operation) -> str:
    """A hash of what the document says to programs about the operation, with all components that it refers to.

    It stays if only texts, examples or extensions change.
    """
    meaning = {"": without_texts(operation.definition)}
    ahead = list(references(meaning))
    while ahead:
        reference = ahead.pop()
        if reference not in meaning:
            meaning[reference] = without_texts(resolve(operation.document, {"$ref": reference}))
            ahead += references(meaning[reference])
    signature = [operation.method, operation.path, meaning]
    return sha256(json.dumps(signature, sort_keys=True).encode()).hexdigest()[:FINGERPRINT_LENGTH]


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict) and isinstance(reference := node.get("$ref"), str):
        yield reference
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        yield from references(child)


def without_texts(node: Any, *, named: bool = False) -> Any:
    """The node without what only people read; `named`: its keys are names that the document gives."""
    if isinstance(node, list):
        return [without_texts(child) for child in node]
    if not isinstance(node, dict):
        return node
    kept = {key: child for key, child in node.items() if named or not is_for_people(key, child)}
    return {key: without_texts(child, named=key in NAMES and not named) for key, child in kept.items()}


def is_for_people(key: str, value: Any) -> bool:
    """Whether the keyword says nothing to programs; a password is a text like others, but for those who see it."""
    return is_text(key) or key == "examples" or (key, value) == ("format", "password")


def proof_of(operation: Operation) -> Proof:
    """What the document itself says about its operation."""
    clouds = list(operation.definition.get("x-availability", ()))
    return Proof(operation.name, operation.operation_id, operation.method, operation.path, clouds)


def seen_in(exchanges: Iterable[Exchange], documents: Documents) -> dict[tuple[str, str], Seen]:
    """What a recording has of real services, by document and operation; exchanges with this machine do not count."""
    statuses: dict[tuple[str, str], Counter[str]] = {}
    where: dict[tuple[str, str], tuple[str, str]] = {}
    for exchange in exchanges:
        address = urlsplit(exchange.url)
        found = documents.find(exchange.method, address.path)
        if found is None or not address.hostname or address.hostname in LOOPBACK:
            continue
        key = found[0].name, found[0].operation_id
        statuses.setdefault(key, Counter())[str(exchange.status)] += 1
        where[key] = address.hostname, exchange.started_at.date().isoformat()
    return {key: Seen(*where[key], dict(sorted(statuses[key].items()))) for key in statuses}
