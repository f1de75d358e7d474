"""What the documents say of fields and operations, so that a new field appears on the page by regeneration."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import modelarts_openapi


class Field(NamedTuple):
    """A member of a response: where it is, what the document says of it, and its value."""

    path: str
    description: str
    value: Any


@cache
def _document(name: str) -> dict[str, Any]:
    return modelarts_openapi.load(name)


def fields(document: str, schema: str, value: Mapping[str, Any]) -> Iterator[Field]:
    """The members of a response in their order, with those of the objects in it; what is null or empty is left out.

    `schema` names a component of the document, such as `TrainingJob`.
    """
    yield from _fields(document, {"$ref": f"#/components/schemas/{schema}"}, value, "", "")


def _fields(document: str, schema: Mapping[str, Any], value: object, path: str, description: str) -> Iterator[Field]:
    known = _resolved(document, schema)
    if isinstance(value, Mapping):
        properties = known.get("properties", {})
        for name, each in value.items():
            member = properties.get(name, {})
            text = member.get("description") or _resolved(document, member).get("description", "")
            yield from _fields(document, member, each, f"{path}.{name}".removeprefix("."), str(text))
    elif isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        for index, each in enumerate(value):
            yield from _fields(document, known.get("items", {}), each, f"{path}[{index}]", description)
    elif value not in (None, "", []):
        yield Field(path, " ".join(description.split()), value)


def _resolved(document: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema behind references, and of alternatives the one that is not null."""
    while True:
        choices = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
        if "$ref" in schema:
            schema = _document(document)["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif choices:
            schema = choices[0]
        else:
            return schema
