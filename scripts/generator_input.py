"""What openapi-python-client is given of a document: operations without references, schemas with the words it knows.

The generator leaves out what it does not know; all that a client would lose by that is rejected here, at its place.
A schema has the number of its place as its `example`, an operation as its summary; the generator hands both on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from modelarts_documents.keys import Pointer, is_json
from modelarts_documents.schema import find, operations, pointer_of, resolve
from parsed import Fact

UNIONS = ("anyOf", "oneOf")
# Words that say what a value is made of; all others only limit it.
SHAPES = frozenset(
    ["$ref", "additionalProperties", "allOf", "const", "enum", "items", "prefixItems", "properties", "type", *UNIONS]
)
OF_OBJECTS = ("additionalProperties", "properties", "required")
OTHER_CONSTANTS = ((bool, "boolean"), (float, "number"))
SUCCESSES = ("1", "2", "3")


@dataclass(frozen=True)
class Call:
    """An operation of the document, with its parameters by what the generator knows them as, and its media type."""

    place: Pointer
    path: str
    written: Mapping[str, Any]
    parameters: dict[tuple[str, str], tuple[Mapping[str, Any], Pointer]]
    media: str


class GeneratorInput:
    """`content` is what the generator reads, unless there are `facts`: what is wrong."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.facts: list[Fact] = []
        self.places: list[Pointer] = []
        self.calls: list[Call] = []
        self.bodies: list[tuple[Pointer, Any]] = []
        self.names: dict[Pointer, list[str]] = {}  # of components, by what they are behind references
        schemas = {}
        for name, written in document.get("components", {}).get("schemas", {}).items():
            place = ("components", "schemas", name)
            made = self.schema(written, place)
            if "$ref" not in made:
                schemas[name] = made
            self.names.setdefault(self.behind(place), []).append(name)
        paths: dict[str, Any] = {}
        for path, method, item, written in operations(document):
            wire_path, made = self._operation(path, method, item, written)
            paths.setdefault(wire_path, {})[method] = made
        about = {"title": "", "version": ""}
        self.content = {"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": schemas}}

    def behind(self, place: Pointer) -> Pointer:
        """Where the schema is that a reference at this place leads to."""
        here = find(self._document, "#" + "".join(f"/{escaped(step)}" for step in place))
        while isinstance(here, Mapping) and isinstance(here.get("$ref"), str):
            place, here = pointer_of(here["$ref"]), find(self._document, here["$ref"])
        return place

    def _reject(self, place: Pointer, fact: str) -> None:
        self.facts.append((place, fact))

    def _resolved(self, node: Mapping[str, Any], place: Pointer) -> tuple[Mapping[str, Any], Pointer]:
        return resolve(self._document, node), self.behind(place)

    def _operation(
        self, path: str, method: str, item: Mapping[str, Any], written: Mapping[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        place, name = (*self.behind(("paths", path)), method), written["operationId"]
        parameters, wire_path = [], path
        known: dict[tuple[str, str], tuple[Mapping[str, Any], Pointer]] = {}
        for holder, where in ((written, place), (item, place[:-1])):
            for number, reference in enumerate(holder.get("parameters", ())):
                parameter, there = self._resolved(reference, (*where, "parameters", str(number)))
                location, given = parameter["in"], parameter["name"]
                if location == "cookie":
                    self._reject(there, f"{name}: cookies are not supported")
                if "schema" not in parameter:
                    self._reject(there, f"{name}: the parameter `{given}` has `content`: describe it with `schema`")
                if location == "path":  # the generator knows letters, digits, `_` and `-`; on the wire no name is seen
                    given = re.sub(r"^(?=\d)|[^a-zA-Z0-9_-]", "_", given)
                    wire_path = wire_path.replace(f"{{{parameter['name']}}}", f"{{{given}}}")
                if (location, given) not in known:
                    known[location, given] = parameter, there
                    schema = self.schema(parameter.get("schema", {}), (*there, "schema"))
                    required = parameter.get("required", False)
                    parameters.append({"in": location, "name": given, "required": required, "schema": schema})
        made = {"operationId": name, "tags": written.get("tags", [])[:1], "summary": str(len(self.calls))}
        media = ""
        if "requestBody" in written:
            body, there = self._resolved(written["requestBody"], (*place, "requestBody"))
            media, *others = body.get("content") or [""]
            if others or not is_json(media):
                self._reject((*place, "requestBody"), f"{name}: a body is JSON, and of one kind")
            else:
                schema = body["content"][media].get("schema", {})
                there = (*there, "content", media, "schema")
                self.bodies.append((there, schema))
                content = {"application/json": {"schema": self.schema(schema, there)}}
                made["requestBody"] = {"required": body.get("required", False), "content": content}
        self.calls.append(Call(place, path, written, known, media))
        responses = dict(self._responses(name, place, written["responses"]))
        if not responses:
            self._reject((*place, "responses"), f"{name}: no response is a success")
        return wire_path, {**made, "parameters": parameters, "responses": responses}

    def _responses(self, name: str, place: Pointer, written: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The successes; rejections are errors, whatever they hold."""
        for status, reference in written.items():
            if not status.startswith(SUCCESSES):
                continue
            response, there = self._resolved(reference, (*place, "responses", status))
            content = {} if place[-1] == "head" else response.get("content") or {}
            media = next(filter(is_json, content), None)
            made: dict[str, Any] = {}
            if media:
                schema = self.schema(content[media].get("schema", {}), (*there, "content", media, "schema"))
                made = {"application/json": {"schema": schema}}
            elif any(each.startswith("text/") for each in content):
                made = {"text/plain": {"schema": {"type": "string"}}}
            elif content:
                self._reject((*place, "responses", status), f"{name}: a body of a success is JSON or text, not bytes")
            yield status, {"description": "", "content": made}

    def schema(self, written: Any, place: Pointer) -> dict[str, Any]:
        """The schema as the generator reads it."""
        if not isinstance(written, Mapping):  # true and false
            written = {}
        if "$ref" in written:
            return self._reference(written, place)
        found: dict[str, Any] = {"example": str(len(self.places)), "description": described(written)}
        found |= {word: written[word] for word in ("title", "type", "required") if word in written}
        self.places.append(place)
        if isinstance(found.get("type"), list) and len(found["type"]) == 1:
            found["type"] = found["type"][0]
        if self._is_enumeration(found, written, place):
            return found
        parts = list(self._conjoined(written, place))
        unions = [word for word in UNIONS if any(has_shape(part) for part in written.get(word, ()))]
        if unions:
            for word in (*unions[1:], *(["allOf"] if parts else []), *(written.keys() & {"items", "properties"})):
                self._reject(place, f"`{unions[0]}` beside `{word}`: write what all alternatives share into each")
            found.pop("type", None)
            found[unions[0]] = [
                self.schema(part, (*place, unions[0], str(number))) for number, part in enumerate(written[unions[0]])
            ]
        elif parts:
            found = self._merged(found, written, place, parts)
        else:
            found |= self._inside(written, place)
        return found

    def _is_enumeration(self, found: dict[str, Any], written: Mapping[str, Any], place: Pointer) -> bool:
        """Whether the schema lists its values; a `const` of another type only has that type."""
        if found.get("type") == "boolean" or not ("enum" in written or "const" in written):
            return found.get("type") == "boolean"
        values = written["enum"] if "enum" in written else [written["const"]]
        kinds = {type(value) for value in values if value is not None}
        if kinds in ({str}, {int}):
            found["enum"] = values
        elif values == [None]:
            found["type"] = "null"
        elif "enum" in written:
            self._reject(place, "the values of an `enum` are texts, or whole numbers, and at least one")
        else:
            found.pop("type", None)
            found |= next(({"type": name} for kind, name in OTHER_CONSTANTS if kind in kinds), {})
        return True

    def _conjoined(self, written: Mapping[str, Any], place: Pointer) -> Iterator[tuple[Mapping[str, Any], Pointer]]:
        """The parts of an `allOf`, at any depth, that are more than limits."""
        for number, part in enumerate(written.get("allOf", ())):
            where = (*place, "allOf", str(number))
            if isinstance(part, Mapping) and "$ref" not in part:
                yield from self._conjoined(part, where)
                part = {word: value for word, value in part.items() if word != "allOf"}
            if has_shape(part) or (isinstance(part, Mapping) and "required" in part):
                yield part, where

    def _merged(
        self,
        found: dict[str, Any],
        written: Mapping[str, Any],
        place: Pointer,
        parts: list[tuple[Mapping[str, Any], Pointer]],
    ) -> dict[str, Any]:
        """An object of all parts, or the only part."""
        own = {word: written[word] for word in OF_OBJECTS if word in written}
        found.pop("type", None)
        if len(parts) == 1 and not own.keys() & {"properties", "required"}:
            part, where = parts[0]
            if "$ref" in part:
                return found | {"allOf": [self._reference(part, where)]}
            if not self._is_object(part):
                rest = {word: value for word, value in written.items() if word != "allOf"}
                return self.schema({**rest, **part}, where)
        for part, where in parts:
            if not self._is_object(part):
                self._reject(where, "a part of an `allOf` that is not an object: describe the value in one schema")
                return found
        made = [self.schema(part, where) for part, where in parts]
        if own:
            made.append(self.schema(own, place))
        return found | {"allOf": made} | {word: part[word] for part in made for word in OF_OBJECTS[:1] if word in part}

    def _is_object(self, written: Any, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the generator takes the schema for an object and nothing else."""
        if not isinstance(written, Mapping) or any(word in written for word in ("enum", "const")):
            return False
        if "$ref" in written:
            name = written["$ref"]
            return name not in seen and self._is_object(find(self._document, name), seen | {name})
        if any(has_shape(part) for word in UNIONS for part in written.get(word, ())):
            return False
        parts = [part for part, _ in self._conjoined(written, ())]
        return (
            all(self._is_object(part, seen) for part in parts)
            if parts
            else written.get("type") in ("object", ["object"])
            or ("type" not in written and any(word in written for word in OF_OBJECTS))
        )

    def _inside(self, written: Mapping[str, Any], place: Pointer) -> dict[str, Any]:
        """What an object or a list holds."""
        found: dict[str, Any] = {}
        if written.get("properties"):
            found["properties"] = {
                name: self.schema(part, (*place, "properties", name)) for name, part in written["properties"].items()
            }
        others = written.get("additionalProperties", True)
        if "additionalProperties" in written:
            is_schema = isinstance(others, Mapping) and others
            found["additionalProperties"] = (
                self.schema(others, (*place, "additionalProperties")) if is_schema else others is not False
            )
        types = written.get("type", ())
        if "array" in ([types] if isinstance(types, str) else types):
            items = [
                self.schema(part, (*place, "prefixItems", str(number)))
                for number, part in enumerate(written.get("prefixItems", ()))
            ]
            if not items or isinstance(written.get("items"), Mapping):
                items.append(self.schema(written.get("items"), (*place, "items")))
            found["items"] = items[0] if len(items) == 1 else {"anyOf": items, "example": str(len(self.places))}
            self.places += [(*place, "prefixItems")] * (len(items) > 1)
        return found

    def _reference(self, written: Mapping[str, Any], place: Pointer) -> dict[str, Any]:
        """The reference to a component, past those that are only references themselves."""
        target = self.behind(place)
        if len(target) != len(("components", "schemas", "name")) or target[:2] != ("components", "schemas"):
            self._reject(
                place, f"`$ref: {written['$ref']}` is not a component: move the schema to `components/schemas`"
            )
        for word in sorted((written.keys() & SHAPES) - {"$ref", "type"}):
            self._reject(place, f"`{word}` beside `$ref`: write both into an `allOf`")
        return {"$ref": "#" + "".join(f"/{step}" for step in target)}


def escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def has_shape(schema: Any) -> bool:
    """Whether the schema says what a value is made of."""
    return isinstance(schema, Mapping) and not SHAPES.isdisjoint(schema)


def described(schema: Mapping[str, Any]) -> str:
    """The description, and what the types of the client do not say about values of the schema."""
    lines = [schema.get("description", "")]
    if "default" in schema:
        lines.append(f"The service's default: {schema['default']!r}.")
    if known := schema.get("x-known-values"):
        lines.append(f"Known values: {', '.join(str(value) for value in known)}.")
    if known := schema.get("x-known-keys"):
        lines.append(f"Known keys: {', '.join(known)}.")
    return "\n".join(lines).strip()
