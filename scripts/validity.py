"""Whether a bundled document is valid OpenAPI 3.1: as a whole, and in each of its schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import jsonschema_rs
from jsonschema_specifications import REGISTRY

from modelarts_documents.keys import objects
from modelarts_documents.schema import graph, operations, parts, pointer_of, starts

COMPONENT = 3  # keys that lead to one
SURROGATE = re.compile("[\ud800-\udfff]")
OPERATION = re.compile(r"'(\w+)' operation in '([^']+)'")
"""How the validator names the place of what is wrong with an operation's parameters."""

# Keywords of JSON Schema 2020-12 and OpenAPI 3.1. Both specifications allow any other word, and so would let a
# misspelt one pass.
VOCABULARIES = ("core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content")
KEYWORDS = {"discriminator", "example", "externalDocs", "xml"}
for _name in VOCABULARIES:
    KEYWORDS |= REGISTRY.contents(f"https://json-schema.org/draft/2020-12/meta/{_name}")["properties"].keys()
FORMATS = frozenset(
    ["binary", "byte", "date", "date-time", "double", "duration", "email", "float", "hostname", "idn-email",
     "idn-hostname", "int32", "int64", "ipv4", "ipv6", "iri", "iri-reference", "json-pointer", "password", "regex",
     "relative-json-pointer", "time", "uri", "uri-reference", "uri-template", "uuid"]
)  # fmt: skip
RUNTIME = Path(__file__).resolve().parents[1] / "overlays/modelarts_runtime"
VIEWS = re.findall(r"^class (\w+View):", (RUNTIME / "views.py").read_text(encoding="utf-8"), re.MULTILINE)
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
TYPE = {"enum": ["boolean", "integer", "number", "string"]}
UNIT = {"enum": ["ms", "s", "RFC 3339"]}
# What the values of our own keys are, wherever they stand.
EXTENSIONS = {
    "x-also-in": {"const": "header"},
    "x-converted-from": {"type": "array", "items": TYPE},
    "x-duration-name": TEXT,
    "x-duration-unit": UNIT,
    "x-error-codes": TEXTS,
    "x-facts": {"const": "phases"},
    "x-known-keys": TEXTS,
    "x-known-values": {"type": "array"},
    "x-pagination": {
        "type": "object",
        "properties": dict.fromkeys(("id", "items", "limit", "position", "total"), TEXT),
    },
    "x-source": TEXT,
    "x-time-name": TEXT,
    "x-time-unit": UNIT,
    "x-usual-type": TEXT,
    "x-view": {"enum": VIEWS},
}
EXTENSION = jsonschema_rs.Draft202012Validator({"properties": EXTENSIONS})
REGEX = jsonschema_rs.Draft202012Validator({"format": "regex"}, validate_formats=True)  # knows ECMA-262


def faults(document: dict[str, Any], *, is_known: bool = False) -> Iterator[tuple[Sequence[str], str]]:
    """Everything that is wrong with the document: the keys that lead to the place, and the fact.

    With `is_known` the document was valid before, and is not validated as a whole again, which takes seconds.
    """
    found = [*reference_faults(document), *text_faults(document, ())]
    if not found:
        found = [*operation_faults(document), *schema_faults(document)]
    if not found:  # the walks below need schemas
        found = [*circle_faults(document), *word_faults(document), *extension_faults(document)]
    if not found and not is_known:  # what is not a schema would be reported again, less clearly
        found = list(specification_faults(document))
    yield from found


def specification_faults(document: dict[str, Any]) -> Iterator[tuple[Sequence[str], str]]:
    """What the schema of OpenAPI itself says, and its validator."""
    from openapi_spec_validator import OpenAPIV31SpecValidator  # tests that import this file need not wait for it

    place: Sequence[str] | None = None
    try:
        for fault in OpenAPIV31SpecValidator(document).iter_errors():
            if getattr(fault, "validator", "") == "format" and fault.validator_value == "regex":
                continue  # in the dialect of Python; `word_faults` knows the right one
            fact = str(getattr(fault, "message", fault)).splitlines()[0]
            operation = OPERATION.search(fact)
            place = ["paths", operation[2], operation[1]] if operation else [*map(str, fault.absolute_path)]
            yield place, f"this is not OpenAPI 3.1: {fact}"
    except (AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        if place is None:  # after a fault it can only stumble
            yield [], f"this is not OpenAPI 3.1: {type(error).__name__} {error}"


def reference_faults(document: dict[str, Any]) -> Iterator[tuple[Sequence[str], str]]:
    """References to components of another kind; the bundler has followed each."""
    for where, kind, node in objects(document):
        reference = node.get("$ref")
        if isinstance(reference, str):
            target = pointer_of(reference)
            if target[:1] == ("components",) and len(target) == COMPONENT and target[1] != kind:
                yield where, f"`$ref: {reference}` is none of `{kind}`"


def circle_faults(document: dict[str, Any]) -> Iterator[tuple[Sequence[str], str]]:
    """Schemas that are put together of themselves, which describes nothing."""
    for name, schema in document.get("components", {}).get("schemas", {}).items():
        place = ("components", "schemas", name)
        for part, where in parts(document, schema, place):
            for branch in (each for word in ("allOf", "anyOf", "oneOf") for each in part.get(word, ())):
                if isinstance(branch, dict) and "$ref" in branch and pointer_of(branch["$ref"]) == place:
                    yield where, f"{name} is put together of itself: refer to it from a property, or a list"


def text_faults(node: Any, where: Sequence[str]) -> Iterator[tuple[Sequence[str], str]]:
    """Texts that no file can hold."""
    if isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from text_faults(str(key), where)
            yield from text_faults(value, (*where, str(key)))
    elif isinstance(node, str) and SURROGATE.search(node):
        yield where, f"{node!a} has half of a character"


def operation_faults(document: dict[str, Any]) -> Iterator[tuple[Sequence[str], str]]:
    """What every operation of ours needs although OpenAPI does not: responses, and tags that are declared."""
    declared = document.get("tags")
    named = [tag.get("name") for tag in declared if isinstance(tag, dict)] if isinstance(declared, list) else []
    tags = [name for name in named if isinstance(name, str)]
    for path, method, _, operation in operations(document):
        where, name = ["paths", path, method], operation.get("operationId", f"{method.upper()} {path}")
        if not isinstance(operation.get("responses"), dict) or not operation["responses"]:
            yield where, f"{name} has no responses: describe at least its success"
        written = operation.get("tags")
        for tag in written if isinstance(written, list) else ():
            if isinstance(tag, str) and tag not in tags:
                yield where, f'{name} has the unknown tag "{tag}": declare it under `tags`{nearest(tag, tags)}'


def word_faults(document: dict[str, Any]) -> Iterator[tuple[Sequence[str], str]]:
    """Keywords and formats that no specification knows, and patterns of another dialect than ECMA-262."""
    for node in graph(document, *starts(document), follow=False):
        where, schema = node.pointer, node.schema
        for word in schema:
            if word not in KEYWORDS and not word.startswith("x-"):
                yield where, f'unknown keyword "{word}" in a schema{nearest(word, KEYWORDS)}'
        written = schema.get("format")
        if isinstance(written, str) and written not in FORMATS:
            yield where, f'unknown format "{written}"{nearest(written, FORMATS)}'
        for pattern in (schema.get("pattern"), *schema.get("patternProperties", ())):
            if pattern is not None and not REGEX.is_valid(pattern):
                yield where, f"{pattern!r} is not a regular expression of ECMA-262, the dialect of JSON Schema"


def extension_faults(document: dict[str, Any]) -> Iterator[tuple[Sequence[str], str]]:
    """Keys of ours whose values mean nothing."""
    for where, _, node in objects(document):
        for error in EXTENSION.iter_errors({key: node[key] for key in EXTENSIONS.keys() & node.keys()}):
            yield where, f"`{error.instance_path[0]}`: {error.message.splitlines()[0]}"


def schema_faults(document: dict[str, Any]) -> Iterator[tuple[Sequence[str], str]]:
    for where, schema in starts(document):
        try:
            jsonschema_rs.meta.validate(schema)
        except jsonschema_rs.ValidationError as error:
            name = where[-1] if where[:2] == ("components", "schemas") else "this"
            yield [*where, *map(str, error.instance_path)], f"{name} is no JSON Schema: {error.message.splitlines()[0]}"


def nearest(word: str, known: Any) -> str:
    found = get_close_matches(word, known, 1)
    return f'; did you mean "{found[0]}"?' if found else ""
