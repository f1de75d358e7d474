"""Texts that are inserted into the files of the documents; everything else in the files stays as it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from .sources import Part

__all__ = ["Insertion", "entry_of_list", "entry_of_mapping", "inserted", "parameter"]

PLAIN = re.compile(r"[A-Za-z][\w.-]*")
WORDS_OF_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


@dataclass(frozen=True, order=True)
class Insertion:
    """A text to insert into a file, before the character of this number."""

    index: int
    text: str


def inserted(text: str, insertions: Iterable[Insertion]) -> str:
    """The text with the insertions."""
    for insertion in sorted(insertions, reverse=True):
        text = text[: insertion.index] + insertion.text + text[insertion.index :]
    return text


def entry_of_mapping(mapping: Part | None, entry: Mapping[str, Any]) -> Iterator[Insertion]:
    """Insert the entry at the begin of the mapping; nothing if there is none, or it is not written in a block."""
    if mapping is not None and isinstance(mapping.node, yaml.MappingNode) and not mapping.node.flow_style:
        mark = mapping.node.value[0][0].start_mark
        yield Insertion(mark.index - mark.column, indented(entry, mark.column))


def parameter(part: Part, entry: Mapping[str, Any]) -> Iterator[Insertion]:
    """Insert the parameter at the begin of the operation's list, or the list before its responses."""
    listed, responses = part.child("parameters"), key_of(part, "responses")
    if listed is not None and isinstance(listed.node, yaml.SequenceNode) and not listed.node.flow_style:
        mark = listed.node.start_mark
        yield Insertion(mark.index - mark.column, indented([entry], mark.column))
    elif listed is None and responses is not None:
        mark = responses.start_mark
        yield Insertion(mark.index - mark.column, indented({"parameters": [entry]}, mark.column))


def entry_of_list(part: Part, key: str, value: Any, assumption: str) -> Iterator[Insertion]:
    """Insert the value at the end of the list under the key, and the assumption beside it or behind another one."""
    listed, name = part.child(key), key_of(part, key)
    if listed is None or name is None or not isinstance(listed.node, yaml.SequenceNode) or not listed.node.value:
        return
    last = listed.node.value[-1]
    dash = " " * (last.start_mark.column - len("- "))
    added = f", {scalar(value)}" if listed.node.flow_style else f"\n{dash}- {scalar(value)}"
    yield Insertion(last.end_mark.index, added)
    known = part.child("x-assumption")
    if known is not None:
        yield from sentence(known, assumption)
    elif isinstance(part.node, yaml.MappingNode) and part.node.flow_style:
        yield Insertion(part.node.value[-1][1].end_mark.index, f", x-assumption: {scalar(assumption)}")
    else:
        mark = name.start_mark
        yield Insertion(mark.index - mark.column, indented({"x-assumption": assumption}, mark.column))


def sentence(text: Part, added: str) -> Iterator[Insertion]:
    """Insert a sentence at the end of a text that is written without quotes or in them, but not in a block."""
    if isinstance(text.node, yaml.ScalarNode) and text.node.style not in ("|", ">"):
        quote = len("'") if text.node.style else 0
        yield Insertion(text.node.end_mark.index - quote, f" {added}")


def key_of(part: Part, key: str) -> yaml.Node | None:
    """The node of the key itself."""
    pairs = part.node.value if isinstance(part.node, yaml.MappingNode) else ()
    return next((name for name, _ in pairs if name.value == key), None)


def indented(content: Any, column: int) -> str:
    """The content as lines of YAML that begin at the column."""
    return "".join(f"{' ' * column}{line}\n" for line in lines(content))


def lines(content: Any) -> Iterator[str]:
    """The content in the style of the documents: mappings in blocks, lists of values in one line."""
    if isinstance(content, list):
        for item in content:
            first, *rest = lines(item)
            yield from (f"- {first}", *(f"  {line}" for line in rest))
        return
    for key, value in content.items():
        name = scalar(key)
        is_nested = isinstance(value, list) and any(isinstance(item, dict) for item in value)
        if is_nested or (isinstance(value, dict) and value):
            yield from (f"{name}:", *(f"  {line}" for line in lines(value)))
        elif isinstance(value, list | dict):
            yield f"{name}: {flow(value)}"
        else:
            yield f"{name}: {value if key in ('description', 'x-assumption') else scalar(value)}"


def flow(value: Any) -> str:
    return f"[{', '.join(map(scalar, value))}]" if isinstance(value, list) else "{}"


def scalar(value: Any) -> str:
    """The value in YAML, in quotes where it would read as another type."""
    if not isinstance(value, str):
        return json.dumps(value)
    if PLAIN.fullmatch(value) and value.lower() not in WORDS_OF_YAML:
        return value
    return f"'{value}'" if "'" not in value and value.isprintable() else json.dumps(value)
