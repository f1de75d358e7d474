"""Evidence as tables of Markdown and of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .evidence import Evidence, Proof

__all__ = ["as_markdown", "as_text"]

SHOWN = 1  # names in a cell
TITLES = {"v2": "Training, v2", "v1": "Training, v1", "iam": "IAM"}
CLOUDS = {"otc": "OTC", "huaweicloud": "Huawei"}
COLUMNS = (
    "operation",
    "documented by",
    "generated",
    "emulated",
    "fuzzed",
    "use cases",
    "executed",
    "accepted by",
    "real service",
)
INTRODUCTION = """\
---
hide: [navigation, toc] # the tables are wide
---

# Coverage

What runs of tests and clients have shown about each operation; `make evidence` writes this page from their records.
`modelarts contract evidence --output json` has the same for programs, with all names.

| column | what it says |
|---|---|
| documented by | the clouds that have a page for it |
| generated | the client has it, sync and async |
| emulated | the emulator serves it |
| fuzzed | cases that `modelarts contract run` made, of one request or more; `200 × 13`: 13 responses had status 200 |
| use cases | tests of whole use cases (`tests/stories`) that called it with success: the first one, and how many more |
| executed | those of these tests whose jobs were real processes |
| accepted by | clients of others that called it with success (`make test-clients`), by the name that they send |
| real service | where and when a real service responded to it |
"""


def as_markdown(evidence: Evidence) -> Iterator[str]:
    """The page `docs/coverage.md`, line by line."""
    yield from INTRODUCTION.splitlines()
    days = ", ".join(f"{name} {day}" for name, day in sorted(evidence.runs.items()))
    yield from ("", f"Days of the runs: {days}; `make evidence` repeats them.")
    for name, title in TITLES.items():
        yield from ("", f"## {title}", "", f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}")
        for proof in evidence.operations:
            if proof.document == name:
                yield f"| {' | '.join([proof.operation, *cells(proof)])} |"


def as_text(evidence: Evidence) -> Iterator[str]:
    """A line per operation, with columns of the same width."""
    rows = [COLUMNS, *((f"{proof.document}.{proof.operation}", *cells(proof)) for proof in evidence.operations)]
    widths = [max(len(row[index]) for row in rows) for index in range(len(COLUMNS))]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def cells(proof: Proof) -> list[str]:
    return [
        ", ".join(CLOUDS.get(cloud, cloud) for cloud in proof.clouds) or "no",
        "yes" if proof.generated else "no",
        "yes" if proof.emulated else "not emulated",
        f"{proof.cases} cases: {counted(proof.statuses)}" if proof.cases else "no",
        named(proof.stories),
        named(proof.executed),
        named(proof.clients),
        named([f"{seen.host} on {seen.day} ({counted(seen.statuses)})" for seen in proof.real]),
    ]


def counted(statuses: Mapping[str, int]) -> str:
    return ", ".join(f"{status} × {count}" for status, count in sorted(statuses.items())) or "none"


def named(names: Sequence[str]) -> str:
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" + {rest}" if rest > 0 else "") or "no"
