"""Changes of the documents that would describe what a recording has and they do not.

They are written as an OpenAPI Overlay (https://spec.openapis.org/overlay/v1.0.0.html) for each bundled document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from modelarts_contract.documents import load
from modelarts_contract.finding import Finding, Kind
from modelarts_documents.keys import Pointer
from modelarts_documents.schema import pointer_of

__all__ = ["overlays"]

MARKS = {
    "description": "Not described by the service.",
    "x-assumption": "Seen in a recording of the service, not documented.",
}
LISTS = {Kind.UNKNOWN_VALUE: "x-known-values", Kind.UNKNOWN_CODE: "x-error-codes"}
TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
Action = dict[str, Any]
Place = tuple[str | int, ...]


class BlockStyle(yaml.SafeDumper):
    """Writes a part that is used twice in full."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature of the base class
        return True


def overlays(findings: Iterable[Finding]) -> str:
    """YAML with one overlay per document, empty if there is nothing to add.

    It adds unknown fields, values, codes, statuses and parameters, each marked as an assumption. Descriptions are for a
    person to write. A field that is missing may be missing, so there is nothing to write.
    """
    found: dict[str, list[Action]] = {}
    for finding in (each for each in findings if each.pointer):  # a call that no document has leads to none
        known = found.setdefault(finding.document, [])
        known += [action for action in actions(finding) if action not in known]
    return "".join(
        yaml.dump(
            {
                "overlay": "1.0.0",
                "info": {"title": f"Seen in a recording of {name}", "version": "1"},
                "extends": f"{name}.json",
                "actions": listed,
            },
            Dumper=BlockStyle,
            sort_keys=False,
            allow_unicode=True,
            explicit_start=True,
            width=120,
        )
        for name, listed in found.items()
        if listed
    )


def actions(finding: Finding) -> Iterator[Action]:
    """The additions that make the finding's value a documented one."""
    place, node = located(load(finding.document), finding.pointer)
    if finding.kind is Kind.UNKNOWN_FIELD:
        name = finding.where.rpartition(".")[2]
        yield action(place, {"properties": {name: schema_of(finding.value) | MARKS}})
    elif finding.kind is Kind.UNKNOWN_STATUS:
        yield action((*place, "responses"), {str(finding.value): MARKS})
    elif finding.kind is Kind.UNKNOWN_PARAMETER:
        parameter = {"name": finding.where, "in": "query", **MARKS, "schema": {"type": "string"}}
        has_others = "parameters" in node
        yield action((*place, "parameters"), parameter) if has_others else action(place, {"parameters": [parameter]})
    elif finding.kind in LISTS:
        yield action((*place, LISTS[finding.kind]), finding.value)
        assumption = f"That {finding.value} is possible was seen in a recording of the service."
        yield action(place, {"x-assumption": " ".join(filter(None, [node.get("x-assumption"), assumption]))})


def action(place: Place, update: Any) -> Action:
    """The action with its target as a JSONPath."""
    return {"target": "$" + "".join(f"[{step!r}]" for step in place), "update": update}


def located(document: Mapping[str, Any], pointer: Pointer) -> tuple[Place, Mapping[str, Any]]:
    """The part of the document to which the pointer leads, with the way to it behind references."""
    place: Place = ()
    node: Any = document
    for step in pointer:
        key = int(step) if isinstance(node, list) else step
        place, node = (*place, key), node[key]
        if isinstance(node, Mapping) and isinstance(reference := node.get("$ref"), str):
            place, node = located(document, pointer_of(reference))
    return place, node


def schema_of(value: Any) -> dict[str, Any]:
    """A schema for what was seen; null is allowed, because a response may lack any value."""
    kind = TYPES.get(type(value))
    schema: dict[str, Any] = {"type": [kind, "null"]} if kind else {}
    if kind == "array":
        schema["items"] = {}
    if kind == "integer":
        schema["format"] = "int64"
    return schema
