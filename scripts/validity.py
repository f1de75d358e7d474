"""Whether a bundled document is valid OpenAPI 3.1: as a whole, and in each of its schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import jsonschema_rs
from jsonschema_specifications import REGISTRY

from bundle import METHODS

OPERATION = re.compile(r"'(\w+)' operation in '([^']+)'")
"""How the validator names the place of what is wrong with an operation's parameters."""

# Keywords of JSON Schema 2020-12 and OpenAPI 3.1, by what their value holds. Both specifications allow any other word,
# and so would let a misspelt one pass.
VOCABULARIES = ("core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content")
WORDS: dict[str, dict[str, Any]] = {}
for _name in VOCABULARIES:
    _rules = REGISTRY.contents(f"https://json-schema.org/draft/2020-12/meta/{_name}")["properties"]
    WORDS |= {word: rule if isinstance(rule, dict) else {} for word, rule in _rules.items()}
ONE_SCHEMA = {word for word, rule in WORDS.items() if "$dynamicRef" in rule}
LISTS_OF_SCHEMAS = {word for word, rule in WORDS.items() if rule.get("$ref") == "#/$defs/schemaArray"}
NAMED_SCHEMAS = {word for word, rule in WORDS.items() if rule.get("additionalProperties", {}).get("$dynamicRef")}
KEYWORDS = WORDS.keys() | {"discriminator", "example", "externalDocs", "xml"}
FORMATS = frozenset(
    ["binary", "byte", "date", "date-time", "double", "duration", "email", "float", "hostname", "int32",
     "int64", "ipv4", "ipv6", "json-pointer", "password", "regex", "time", "uri", "uri-reference", "uuid"]
)  # fmt: skip


def faults(document: dict[str, Any], *, is_known: bool = False) -> Iterator[tuple[list[str], str]]:
    """Everything that is wrong with the document: the keys that lead to the place, and the fact.

    With `is_known` the document was valid before, and is not validated as a whole again, which takes seconds.
    """
    found = [*operation_faults(document), *word_faults(document), *schema_faults(document)]
    yield from found
    if not found and not is_known:  # what is not a schema would be reported again, less clearly
        from openapi_spec_validator import OpenAPIV31SpecValidator  # tests that import this file need not wait for it

        for fault in OpenAPIV31SpecValidator(document).iter_errors():
            fact = str(getattr(fault, "message", fault)).splitlines()[0]
            operation = OPERATION.search(fact)
            path = ["paths", operation[2], operation[1]] if operation else [*map(str, fault.absolute_path)]
            yield path, f"this is not OpenAPI 3.1: {fact}"


def operation_faults(document: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    """What every operation of ours needs although OpenAPI does not: responses, and tags that are declared."""
    tags = [tag["name"] for tag in document.get("tags", []) if isinstance(tag, dict) and "name" in tag]
    for path, item in document["paths"].items():
        for method in METHODS:
            operation = item.get(method) if isinstance(item, dict) else None
            if not isinstance(operation, dict):
                continue
            where, name = ["paths", path, method], operation.get("operationId", f"{method.upper()} {path}")
            if not isinstance(operation.get("responses"), dict) or not operation["responses"]:
                yield where, f"{name} has no responses: describe at least its success"
            for tag in operation.get("tags", []):
                if tag not in tags:
                    yield where, f'{name} has the unknown tag "{tag}": declare it under `tags`{nearest(tag, tags)}'


def word_faults(document: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    """Keywords and formats that no specification knows."""
    for where, schema in schemas(document):
        for word in schema:
            if word not in KEYWORDS and not word.startswith("x-"):
                yield where, f'unknown keyword "{word}" in a schema{nearest(word, KEYWORDS)}'
        written = schema.get("format")
        if isinstance(written, str) and written not in FORMATS:
            yield where, f'unknown format "{written}"{nearest(written, FORMATS)}'


def schema_faults(document: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    for name, schema in document.get("components", {}).get("schemas", {}).items():
        try:
            jsonschema_rs.meta.validate(schema)
        except jsonschema_rs.ValidationError as error:
            path = ["components", "schemas", name, *map(str, error.instance_path)]
            yield path, f"{name} is no JSON Schema: {error.message.splitlines()[0]}"


def schemas(document: dict[str, Any]) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Every schema of the document, at any depth, with the keys that lead to it."""
    named = document.get("components", {}).get("schemas", {})
    ahead = [(["components", "schemas", name], schema) for name, schema in named.items()]
    ahead += beside(document, [])
    while ahead:
        where, schema = ahead.pop()
        if not isinstance(schema, dict):
            continue
        yield where, schema
        for word, value in schema.items():
            if word in ONE_SCHEMA:
                ahead.append(([*where, word], value))
            elif word in LISTS_OF_SCHEMAS and isinstance(value, list):
                ahead += [([*where, word, str(index)], part) for index, part in enumerate(value)]
            elif word in NAMED_SCHEMAS and isinstance(value, dict):
                ahead += [([*where, word, name], part) for name, part in value.items()]


def beside(node: Any, where: list[str]) -> Iterator[tuple[list[str], Any]]:
    """The schemas of parameters, headers and bodies."""
    if isinstance(node, list):
        for index, part in enumerate(node):
            yield from beside(part, [*where, str(index)])
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "schema":
                yield [*where, key], value
            elif key not in ("example", "examples", "links") and [*where[:1], key] != ["components", "schemas"]:
                yield from beside(value, [*where, key])


def nearest(word: str, known: Any) -> str:
    found = get_close_matches(word, known, 1)
    return f'; did you mean "{found[0]}"?' if found else ""
