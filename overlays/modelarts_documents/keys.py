"""The words of OpenAPI and JSON Schema: what stands behind each key of a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pkgutil import get_data
from typing import Any

Pointer = tuple[str, ...]
"""The way to a part of a document, key by key; the indexes of lists are texts."""

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
CLIENT_KEYS = frozenset({"x-converted-from", "x-duration-name", "x-facts", "x-time-name", "x-usual-type", "x-view"})
"""Keys of the documents' sources that say how a client is made of them; published documents do not have them."""

DATA = "data"
"""The kind of what is no part of the description: payloads, values, texts and extensions."""
_TABLES = json.loads(get_data(__package__, "keys.json") or "")
# For each kind of object, the kinds of what its keys hold: `{kind}` is a map by any names, `[kind]` a list. The key `*`
# stands for all other keys that are no extensions. Keys that are missing hold data.
OBJECTS: Mapping[str, Mapping[str, str]] = _TABLES["objects"]
# The types of values, by kind and key.
VALUES: Mapping[str, Mapping[str, Sequence[str]]] = _TABLES["values"]
TYPES = {"array": list, "boolean": bool, "integer": int, "number": float, "string": str}
NOT_CHECKED = {"examples", "encoding", "links"}  # a document is understood without them
LISTS_OF_TEXTS = {"required", "tags", "type"}


def inner(kind: str, key: str) -> str:
    """The kind of what stands at the key of an object, map or list of this kind."""
    if kind[0] in "{[":
        return kind[1:-1]
    known = OBJECTS.get(kind, {})
    return known.get(key) or (DATA if key.startswith("x-") else known.get("*", DATA))


def objects(node: Any, kind: str = "document", pointer: Pointer = ()) -> Iterator[tuple[Pointer, str, dict[str, Any]]]:
    """Every object of the description in it, outer ones first, each with the way to it and its kind.

    References are not followed. The caller may change the keys of an object before it asks for the next one.
    """
    ahead = [(pointer, kind, node)]
    while ahead:
        where, kind, node = ahead.pop()
        is_list = isinstance(node, list)
        if not isinstance(node, dict) and not (is_list and kind[0] == "["):
            continue
        if not is_list and kind[0] not in "{[":
            yield where, kind, node
        below = [*(enumerate(node) if is_list else node.items())]
        ahead += (
            ((*where, str(key)), kind_there, value)
            for key, value in reversed(below)
            if (kind_there := inner(kind, str(key))) != DATA
        )


def misfits(document: Any) -> Iterator[tuple[Pointer, str]]:
    """The parts of a document whose types no program could expect at their places, each with what is wrong."""
    ahead: list[tuple[Pointer, str, Any]] = [((), "document", document)]
    while ahead:
        where, kind, node = ahead.pop()
        is_list = kind[0] == "["
        if not isinstance(node, list if is_list else dict):
            if kind != "schemas" or not isinstance(node, bool):
                yield where, f"`{where[-1]}` is not a {'list' if is_list else 'mapping'}"
            continue
        entries: Iterable[tuple[Any, Any]] = enumerate(node) if isinstance(node, list) else node.items()
        for key, value in entries:
            kind_there = inner(kind, str(key))
            if kind_there.strip("{[]}") not in {DATA, *NOT_CHECKED}:
                ahead.append(((*where, str(key)), kind_there, value))
                continue
            texts = value if key in LISTS_OF_TEXTS and kind in VALUES and isinstance(value, list) else ()
            types = VALUES.get(kind, {}).get(str(key))
            is_fit = types is None or isinstance(value, tuple(TYPES[each] for each in types))
            if not is_fit or not all(isinstance(each, str) for each in texts):
                yield (*where, str(key)), f"`{key}` has a value of another type than OpenAPI gives it"


def is_json(media: str) -> bool:
    """Whether the media type, with or without parameters, is one of JSON."""
    name = media.partition(";")[0].strip().lower()
    return name == "application/json" or name.endswith("+json")


def copied(document: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the document with all that is in it, at any depth."""
    found = dict(document)
    ahead: list[Any] = [found]
    for each in ahead:
        for key, value in [*(each.items() if isinstance(each, dict) else enumerate(each))]:
            if isinstance(value, dict | list):
                each[key] = value.copy()
                ahead.append(each[key])
    return found


def without_client_keys(document: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the document as it is published."""
    found = copied(document)
    for _, _, node in objects(found):
        for key in CLIENT_KEYS & node.keys():
            del node[key]
    return found
