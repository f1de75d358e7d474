"""Changes of the documents that would describe what a recording has and they do not, as a patch."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .insertions import Insertion, entry_of_list, entry_of_mapping, inserted, parameter
from .sources import Part, Sources
from .validation import Finding, Kind

__all__ = ["patch"]

ASSUMPTION = "Seen in a recording of the service, not documented."
VALUE_ASSUMPTION = "That {} is possible was seen in a recording of the service."
DESCRIPTION = "Not described by the service."
LISTS = {Kind.UNKNOWN_VALUE: "x-known-values", Kind.UNKNOWN_CODE: "x-error-codes"}


def patch(findings: Iterable[Finding], openapi: Path) -> tuple[str, list[Finding]]:
    """A unified diff for the folder `openapi/`, empty if there is nothing to add, and what has no place there.

    It adds unknown fields, values, codes, statuses and parameters, each marked as an assumption. Descriptions are for a
    person to write. A field that is missing may be missing, so there is nothing to write. Raises SourcesError.
    """
    written = [finding for finding in findings if finding.pointer and finding.kind is not Kind.MISSING_FIELD]
    sources = Sources(openapi.resolve())
    found: dict[Path, set[Insertion]] = {}
    unplaced = []
    for finding in {key(finding): finding for finding in written}.values():
        part = sources.find(finding.document, finding.pointer)
        made = [] if part is None else list(insertions(finding, part))
        if part is not None and made:
            found.setdefault(part.file, set()).update(made)
        else:
            unplaced.append(finding)
    text = "".join(difference(file, sources.folder, made) for file, made in sorted(found.items()))
    return text, unplaced


def key(finding: Finding) -> tuple[object, ...]:
    """What the finding adds to which part."""
    is_value = finding.kind in (Kind.UNKNOWN_VALUE, Kind.UNKNOWN_CODE, Kind.UNKNOWN_STATUS)
    added = finding.value if is_value else finding.where.rpartition(".")[2]
    return finding.kind, finding.document, finding.pointer, added


def difference(file: Path, openapi: Path, insertions: Iterable[Insertion]) -> str:
    before = file.read_text("utf-8")
    after = inserted(before, insertions)
    name = f"{openapi.name}/{file.relative_to(openapi)}"
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))


def insertions(finding: Finding, part: Part) -> Iterator[Insertion]:
    marks = {"description": DESCRIPTION, "x-assumption": ASSUMPTION}
    if finding.kind is Kind.UNKNOWN_FIELD:
        name = finding.where.rpartition(".")[2]
        yield from entry_of_mapping(part.child("properties"), {name: schema_of(finding.value) | marks})
    elif finding.kind in LISTS:
        yield from entry_of_list(part, LISTS[finding.kind], finding.value, VALUE_ASSUMPTION.format(word(finding.value)))
    elif finding.kind is Kind.UNKNOWN_STATUS:
        yield from entry_of_mapping(part.child("responses"), {str(finding.value): marks})
    elif finding.kind is Kind.UNKNOWN_PARAMETER:
        yield from parameter(part, {"name": finding.where, "in": "query", **marks, "schema": {"type": "string"}})


def word(value: Any) -> str:
    """The value as a word within a sentence of YAML without quotes."""
    return str(value) if re.fullmatch(r"[\w.-]+", str(value)) else "another value"


def schema_of(value: Any) -> dict[str, Any]:
    """A schema for what was seen; null is allowed, because a response may lack any value."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    kind = kinds.get(type(value))
    schema: dict[str, Any] = {"type": [kind, "null"]} if kind else {}
    if kind == "array":
        schema["items"] = {}
    if kind == "integer":
        schema["format"] = "int64"
    return schema
