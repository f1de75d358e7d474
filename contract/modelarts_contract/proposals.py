"""Changes of the documents that would describe what a recording has and they do not, as a patch."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .validation import Finding, Kind

__all__ = ["patch"]

ASSUMPTION = "Seen in a recording of the service, not documented."


def patch(findings: Iterable[tuple[str, Finding]], openapi: Path) -> str:
    """A unified diff for the folder `openapi/`, with a property for each unknown field; empty without any.

    `findings` come with the name of their document. The properties' descriptions are for a person to write.
    """
    wanted: dict[Path, dict[str, Any]] = {}
    for document, finding in findings:
        if finding.kind is Kind.UNKNOWN_FIELD and finding.component:
            for folder in (document, "shared"):
                file = openapi / folder / "schemas" / f"{finding.component}.yaml"
                if file.exists():
                    wanted.setdefault(file, {}).setdefault(finding.where.rpartition(".")[2], finding.value)
    return "".join(difference(file, openapi, fields) for file, fields in sorted(wanted.items()))


def difference(file: Path, openapi: Path, fields: Mapping[str, Any]) -> str:
    before = file.read_text("utf-8").splitlines(keepends=True)
    if "properties:\n" not in before:
        return ""
    place = before.index("properties:\n") + 1
    after = [*before[:place], *(line for name, value in fields.items() for line in lines(name, value)), *before[place:]]
    name = f"{openapi.name}/{file.relative_to(openapi)}"
    return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def lines(name: str, value: Any) -> list[str]:
    """The property in YAML, of the type that was seen."""
    kind = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}.get(
        type(value)
    )
    found = [f"  {name}:\n"]
    if kind:
        found.append(f"    type: [{kind}, 'null']\n")
    if kind == "array":
        found.append("    items: {}\n")
    if kind == "integer":
        found.append("    format: int64\n")
    return [*found, f"    description: {name}\n", f"    x-assumption: {ASSUMPTION}\n"]
