"""What runs have shown about each operation, as totals and tables: made from `tests/data/evidence.json`."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from operation_examples import Example, examples
from operation_reference import DOCUMENTS, anchor

FILE = Path(__file__).parent.parent / "tests" / "data" / "evidence.json"
OBSERVED = FILE.parent / "observed"
STRENGTHS = ("test", "vendor", "user", "client", "page")
CLOUDS = {"otc": "OTC", "huaweicloud": "Huawei"}
COLUMNS = ("operation", "documented by", "emulated", "cases", "use cases", "other clients", "observed")
Proof = Mapping[str, Any]


def tables() -> Iterator[str]:
    """The lines after those that somebody wrote."""
    evidence = json.loads(FILE.read_text("utf-8"))
    proofs: list[Proof] = evidence["operations"]
    days = ", ".join(f"{name} {day}" for name, day in sorted(evidence["runs"].items()))
    yield from ("## In numbers", "", f"{total(proofs)} The runs are of these days: {days}.", "")
    heads = ("document", "operations", "emulated", "tried", "use cases", "clients")
    yield from (f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}")
    for name, title in DOCUMENTS.items():
        of_document = [proof for proof in proofs if proof["document"] == name]
        yield f"| {title} | {' | '.join(map(str, (len(of_document), *counts(of_document))))} |"
    yield f"| all | {' | '.join(map(str, (len(proofs), *counts(proofs))))} |"
    for name, title in DOCUMENTS.items():
        yield from ("", f"## {title}", "", f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}")
        for proof in proofs:
            if proof["document"] == name:
                yield f"| {' | '.join(cells(proof, examples()[name, proof['operation']]))} |"


@cache
def observed() -> dict[str, list[str]]:
    """By operation (`v2 createTrainingJob`): how many observations there are of each strength, the strongest first."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for path in OBSERVED.rglob("*.yaml"):
        entry = yaml.safe_load(path.read_text("utf-8"))
        if "operation" in entry:
            found[entry["operation"]][entry["strength"]] += 1
    return {
        operation: [f"{strengths[name]} {name}" for name in STRENGTHS if strengths[name]]
        for operation, strengths in found.items()
    }


def counts(proofs: Sequence[Proof]) -> list[int]:
    """Of how many operations there is each kind of evidence."""
    return [sum(bool(proof[key]) for proof in proofs) for key in EVIDENCE]


EVIDENCE = ("emulated", "cases", "stories", "clients")


def total(proofs: Sequence[Proof]) -> str:
    emulated, tried, stories, clients = counts(proofs)
    return (
        f"{emulated} of {len(proofs)} documented operations are emulated; {tried} are tried with generated cases, "
        f"{stories} called by a use case, {clients} by clients of others."
    )


def cells(proof: Proof, example: Example) -> list[str]:
    tag = example.operation.definition["tags"][0]
    page = f"reference/{proof['document']}/{tag}.md#{anchor(example.operation.definition['summary'])}"
    stories = f"{len(proof['stories'])}, {len(proof['executed'])} executed" if proof["stories"] else "–"
    return [
        f"[{proof['operation']}]({page})",
        ", ".join(CLOUDS.get(cloud, cloud) for cloud in proof["clouds"]),
        "✓" if proof["emulated"] else "no",
        str(proof["cases"] or "–"),
        stories,
        ", ".join(proof["clients"]) or "–",
        ", ".join(observed().get(f"{proof['document']} {proof['operation']}", ())) or "–",
    ]
