"""Changes of the documents that would describe what a recording has and they do not, as a patch of `openapi/`.

Texts are inserted into the files that the documents are written in; everything else in them stays as it is.
"""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .validation import Finding, Kind

__all__ = ["SourcesError", "patch"]

ASSUMPTION = "Seen in a recording of the service, not documented."
VALUE_ASSUMPTION = "That {} is possible was seen in a recording of the service."
MARKS = {"description": "Not described by the service.", "x-assumption": ASSUMPTION}
LISTS = {Kind.UNKNOWN_VALUE: "x-known-values", Kind.UNKNOWN_CODE: "x-error-codes"}
TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
Insertion = tuple[int, str]  # a text, and the number of the character before which it goes


class SourcesError(Exception):
    """The folder does not hold the sources of the documents; the message says what is missing."""


@dataclass(frozen=True)
class Part:
    """A part of a document: its file, and its node there, whose marks count characters."""

    file: Path
    node: yaml.Node

    def key(self, name: str) -> yaml.Node | None:
        """The node of the key itself."""
        pairs = self.node.value if isinstance(self.node, yaml.MappingNode) else ()
        return next((key for key, _ in pairs if key.value == name), None)

    def child(self, key: str) -> Part | None:
        """What the key leads to, or the index of a list; None if there is no such thing."""
        if isinstance(self.node, yaml.MappingNode):
            found = next((value for name, value in self.node.value if name.value == key), None)
            return None if found is None else Part(self.file, found)
        if isinstance(self.node, yaml.SequenceNode) and key.isdigit() and int(key) < len(self.node.value):
            return Part(self.file, self.node.value[int(key)])
        return None


class Sources:
    """The folder `openapi/` of a clone; raises SourcesError if a document is not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._roots: dict[Path, yaml.Node] = {}

    def find(self, document: str, pointer: Sequence[str]) -> Part | None:
        """The part of the bundled document to which the pointer leads; None if it is not written anywhere."""
        root = self.folder / document / "openapi.yaml"
        if not root.is_file():
            raise SourcesError(f"{root} does not exist: name the folder openapi of a clone")
        if pointer[:1] == ("components",) and len(pointer) > 2:
            _, kind, name, *steps = pointer
            files = [self.folder / owner / kind / f"{name}.yaml" for owner in (document, "shared")]
            found = next((self.root(file) for file in files if file.is_file()), None)
        else:
            found, steps = self.root(root), list(pointer)
        for step in steps:
            found = found and self.followed(found).child(step)
        return found and self.followed(found)

    def root(self, file: Path) -> Part:
        if file not in self._roots:
            try:
                node = yaml.compose(file.read_text("utf-8"), yaml.SafeLoader)
            except (OSError, yaml.YAMLError) as error:
                raise SourcesError(f"{file} cannot be read: {error}") from None
            if node is None:
                raise SourcesError(f"{file} is empty")
            self._roots[file] = node
        return Part(file, self._roots[file])

    def followed(self, part: Part) -> Part:
        """The part that a reference to a file names, else the part itself."""
        while (reference := part.child("$ref")) is not None and isinstance(reference.node, yaml.ScalarNode):
            part = self.root((part.file.parent / reference.node.value).resolve())
        return part


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
    return "".join(difference(file, sources.folder, made) for file, made in sorted(found.items())), unplaced


def key(finding: Finding) -> tuple[object, ...]:
    """What the finding adds to which part."""
    is_value = finding.kind in (Kind.UNKNOWN_VALUE, Kind.UNKNOWN_CODE, Kind.UNKNOWN_STATUS)
    added = finding.value if is_value else finding.where.rpartition(".")[2]
    return finding.kind, finding.document, finding.pointer, added


def difference(file: Path, openapi: Path, insertions: Iterable[Insertion]) -> str:
    before = after = file.read_text("utf-8")
    for index, text in sorted(insertions, reverse=True):
        after = after[:index] + text + after[index:]
    name = f"{openapi.name}/{file.relative_to(openapi)}"
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))


def insertions(finding: Finding, part: Part) -> Iterator[Insertion]:
    """What to insert into the part's file; nothing if the place is not written in a block."""
    if finding.kind is Kind.UNKNOWN_FIELD:
        entry = {finding.where.rpartition(".")[2]: schema_of(finding.value) | MARKS}
        yield from first_in_block(part.child("properties"), entry)
    elif finding.kind is Kind.UNKNOWN_STATUS:
        yield from first_in_block(part.child("responses"), {str(finding.value): MARKS})
    elif finding.kind is Kind.UNKNOWN_PARAMETER:
        parameter = {"name": finding.where, "in": "query", **MARKS, "schema": {"type": "string"}}
        listed, responses = part.child("parameters"), part.key("responses")
        if listed is not None:
            yield from first_in_block(listed, [parameter])
        elif responses is not None:
            yield above(responses, {"parameters": [parameter]})
    elif finding.kind in LISTS:
        yield from last_in_list(part, LISTS[finding.kind], finding.value)


class Style(yaml.SafeDumper):
    """That of the documents: mappings in blocks, lists of values in one line, lists of mappings indented."""

    def represent_mapping(self, tag: str, mapping: Any, flow_style: Any = None) -> yaml.MappingNode:  # noqa: ARG002
        return super().represent_mapping(tag, mapping, flow_style=False)

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, indentless=False)


def first_in_block(owner: Part | None, entry: Any) -> Iterator[Insertion]:
    if owner is not None and isinstance(owner.node, yaml.CollectionNode) and not owner.node.flow_style:
        yield above(owner.node, entry)


def above(node: yaml.Node, entry: Any) -> Insertion:
    """The entry as lines above the node, in its column."""
    mark = node.start_mark
    text = yaml.dump(entry, Dumper=Style, sort_keys=False, default_flow_style=None, allow_unicode=True, width=1000)
    return mark.index - mark.column, textwrap.indent(text, " " * mark.column)


def last_in_list(part: Part, name: str, value: Any) -> Iterator[Insertion]:
    """Insert the value at the end of the list under the key, and the assumption beside it or behind another one."""
    listed, key_node, known = part.child(name), part.key(name), part.child("x-assumption")
    if listed is None or key_node is None or not isinstance(listed.node, yaml.SequenceNode) or not listed.node.value:
        return
    last, scalar = listed.node.value[-1], in_flow(value)
    dash = " " * (last.start_mark.column - len("- "))
    yield last.end_mark.index, f", {scalar}" if listed.node.flow_style else f"\n{dash}- {scalar}"
    is_word = re.fullmatch(r"[\w.-]+", str(value))
    assumption = VALUE_ASSUMPTION.format(value if is_word else "another value")
    if known is not None:
        if isinstance(known.node, yaml.ScalarNode) and known.node.style not in ("|", ">"):
            yield known.node.end_mark.index - bool(known.node.style), f" {assumption}"  # before a quote
    elif isinstance(part.node, yaml.MappingNode) and part.node.flow_style:
        yield part.node.value[-1][1].end_mark.index, f", x-assumption: {in_flow(assumption)}"
    else:
        yield above(key_node, {"x-assumption": assumption})


def in_flow(value: Any) -> str:
    """The value as it stands in a list in brackets."""
    return yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=1000).strip()[1:-1]


def schema_of(value: Any) -> dict[str, Any]:
    """A schema for what was seen; null is allowed, because a response may lack any value."""
    kind = TYPES.get(type(value))
    schema: dict[str, Any] = {"type": [kind, "null"]} if kind else {}
    if kind == "array":
        schema["items"] = {}
    if kind == "integer":
        schema["format"] = "int64"
    return schema
