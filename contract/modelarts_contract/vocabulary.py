"""The words that the documents publish: what a redacted recording may show, because it identifies nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import modelarts_openapi

from .documents import METHODS, resolve

__all__ = ["Vocabulary", "vocabulary"]

# Fields whose examples name engines, flavors and products: their words are published, too.
CATALOGUE = frozenset(
    {"engine_id", "engine_name", "engine_version", "flavor_id", "flavor_name", "spec_code", "product_name"}
)
NAMES = frozenset({"name", "key"})  # fields that hold published words in some objects, and names of people in others
MESSAGE_WORDS = ("denied", "exists", "expected", "fit", "invalid", "match", "missing", "permission", "rejected")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
NUMBER = re.compile(r"[a-z]?\d{1,4}[a-z]?", re.IGNORECASE)  # in names of versions and sizes: 1, v2, p100, 8u
AROUND = re.compile(r"^\d{1,2}|\d{1,4}$")  # numbers at a word: python3, 4xlarge
SEPARATOR = re.compile(r"[-_.()]+")


class Vocabulary:
    """What the documents say: `values` of fields, of which `open_fields` may get more, `maps`, names and words."""

    def __init__(self) -> None:
        self.values: dict[str, set[str]] = {}
        self.open_fields: set[str] = set()
        self.fields: set[str] = set()
        self.maps: set[str] = set()
        self.words: set[str] = set()
        self.prose: set[str] = set(MESSAGE_WORDS)
        self._seen: set[tuple[str, str]] = set()
        for name in modelarts_openapi.NAMES:
            document = modelarts_openapi.load(name)
            for path in document["paths"]:
                self._add_words(re.sub(r"\{\w+\}", "", path))
            self._read(document, document["paths"], "")
        for field in self.fields:
            self._add_words(field)
        for values in self.values.values():
            self._add_words(" ".join(values))

    def knows(self, text: str) -> bool:
        """Whether the text consists of published words and short numbers, with at least one word."""
        parts = [part for part in SEPARATOR.split(text) if part]
        others = [part for part in parts if not NUMBER.fullmatch(part)]
        return bool(others) and all(self._is_word(part) for part in others)

    def _is_word(self, part: str) -> bool:
        letters = AROUND.sub("", part)
        found = [letters.lower()] if letters.lower() in self.words else [word.lower() for word in WORD.findall(letters)]
        return "".join(found) == letters.lower() and all(
            word in self.words or word.removesuffix("s") in self.words for word in found
        )

    def _add_words(self, text: str) -> None:
        for part in re.findall(r"[A-Za-z0-9]+", text):
            self.words |= {part.lower(), *(found.lower() for found in WORD.findall(part) if len(found) > 1)}

    def _read(self, document: Mapping[str, Any], node: Any, field: str) -> None:
        """Gather what this part of the document says about the field."""
        if isinstance(node, list):
            for child in node:
                self._read(document, child, field)
        if not isinstance(node, dict):
            return
        if "$ref" in node:
            if (node["$ref"], field) not in self._seen:
                self._seen.add((node["$ref"], field))
                self._read(document, resolve(document, node), field)
            return
        if "name" in node and "in" in node:
            field = str(node["name"])
            self.fields.add(field)
        if isinstance(node.get("additionalProperties"), dict):
            self.maps.add(field)
        if "x-known-values" in node and field not in NAMES:
            self.open_fields.add(field)
        for key, child in node.items():
            if key in ("enum", "x-known-values", "const"):
                listed = child if isinstance(child, list) else [child]
                self.values.setdefault(field, set()).update(value for value in listed if isinstance(value, str))
            elif key == "x-error-codes":
                self.values.setdefault("error_code", set()).update(child)
            elif key == "properties":
                self.fields |= child.keys()
                for name, schema in child.items():
                    self._read(document, schema, name)
            elif key in ("example", "examples"):
                for text in catalogued(child, ""):
                    self._add_words(text)
            elif key in ("description", "summary"):
                self.prose |= set(re.findall(r"[a-z]+", str(child).lower()))
            else:
                self._read(document, child, field)
                if key in METHODS:
                    self._add_words(child.get("operationId", ""))


def catalogued(example: Any, field: str) -> Iterator[str]:
    """The names of engines, flavors and products in an example."""
    if isinstance(example, list | dict):
        for key, child in example.items() if isinstance(example, dict) else ((field, child) for child in example):
            yield from catalogued(child, key)
    elif isinstance(example, str) and field in CATALOGUE:
        yield example


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of all documents, read once."""
    return Vocabulary()
