"""Whether an overlay is understood: unknown keys, kinds, operations, schemas, parameters and places are errors."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml

from modelarts_documents.schema import Part, members, operations, parts, resolve, walk

__all__ = ["OVERLAYS", "OverlayError", "checked", "read"]

OVERLAYS = Path(__file__).parent / "overlays"
SCHEMA = OVERLAYS / "_schema.yaml"
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
NAMED = re.compile(r"\{([\w.-]+)\}")
EXPRESSION = re.compile(r"\$[^\s{}]+")
KNOWN_EXPRESSION = re.compile(
    r"\$(known\.|name\.|short-name$|login\.|token$|new-token$|any$|none$|request\.|response\.)"
)
PLACES = {"place", "one", "last", "limit", "name", "time"}  # `one` has no `*`, `last` has one at the end only
CONDITIONS = {"when", "recent", "assumed"}
HOLDERS = {"properties", "items", "prefixItems", "additionalProperties", "patternProperties"}
Steps = tuple[str | int, ...]


class OverlayError(ValueError):
    """An overlay says something that is not understood; the text names file and line, or the place in it."""


def read(file: Path) -> dict[str, Any]:
    """The overlay in a file; an empty one if it has comments only. Raises OverlayError if it is no YAML mapping."""
    try:
        text = file.read_text("utf-8")
        wrong = [*not_of_json(yaml.compose(text, LOADER), {})]
        found = {} if wrong else yaml.load(text, LOADER) or {}  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        number = error.problem_mark.line + 1 if error.problem_mark else 1
        raise OverlayError(f"overlays/{file.name}:{number}: {error.problem}") from None
    except (UnicodeDecodeError, yaml.reader.ReaderError) as error:
        number = file.read_bytes()[: int(getattr(error, "start", 0))].count(b"\n") + 1
        raise OverlayError(f"overlays/{file.name}:{number}: the file is not text in UTF-8: {error.reason}") from None
    if wrong:
        places = ((f"overlays/{file.name}:{node.start_mark.line + 1}", said) for node, said in wrong)
        raise OverlayError("\n".join(map(": ".join, places)))
    if not isinstance(found, dict):
        raise OverlayError(f"overlays/{file.name}:1: an overlay is a mapping")
    return found


def not_of_json(node: Any, done: dict[int, bool]) -> Iterator[tuple[Any, str]]:
    """The nodes that YAML allows within a node and JSON does not; `done` is false of the nodes around it."""
    if node is None or id(node) in done:
        yield from () if done.get(id(node), True) else [(node, "an anchor that is used within itself")]
        return
    done[id(node)], keys = False, list[Any]()
    for entry in () if isinstance(node, yaml.ScalarNode) else node.value:
        key, inner = entry if isinstance(entry, tuple) else (None, entry)
        if key and key.value in keys:
            yield key, f"{key.value!r} stands here twice"
        if key and key.tag.rpartition(":")[2] not in ("str", "int", "merge"):
            yield key, "a key has to be a text: quote it"
        keys.append(key and key.value)
        yield from not_of_json(inner, done)
    if node.tag.endswith(":timestamp"):
        yield node, "a time has to be a text: quote it"
    done[id(node)] = True


@cache
def grammar() -> tuple[Mapping[str, Any], Any]:
    """The schema of overlays, with its validator."""
    schema = read(SCHEMA)
    return schema, jsonschema_rs.Draft202012Validator(schema)


def checked(name: str, document: Mapping[str, Any], overlay: dict[str, Any], file: Path | None) -> None:
    """Raise OverlayError if the overlay of a document of this name says something that is not understood."""
    found = dict(problems(document, overlay))
    if not found:
        return
    root = yaml.compose(file.read_text("utf-8"), yaml.SafeLoader) if file else None
    places = {steps: line(root, steps) if root else ".".join(map(str, steps)) for steps in found}
    label = f"overlays/{file.name}" if file else f"overlay of {name}"
    raise OverlayError("\n".join(f"{label}:{places[steps]}: {message}" for steps, message in found.items()))


def line(node: Any, steps: Steps) -> int:
    """The line of what the steps lead to from a node, from 1; of the last one that is there."""
    found = 1
    for step in steps:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[int(step)]
        elif isinstance(node, yaml.MappingNode):
            entries = [*node.value, *(entry for key, value in node.value if key.value == "<<" for entry in value.value)]
            key, node = next(((key, value) for key, value in entries if key.value == str(step)), (node, None))
            found = key.start_mark.line + 1
            continue
        found = node.start_mark.line + 1 if node else found
    return found


def problems(document: Mapping[str, Any], overlay: dict[str, Any]) -> Iterator[tuple[Steps, str]]:
    """What is not understood, by the steps that lead to it."""
    schema, validator = grammar()
    written = [own.get("operationId", "") for *_, own in operations(document)]
    known = {"operation": written, "schema": [*schemas(document)], "parameter": parameters(document, "path", "header")}
    known["query"] = parameters(document, "query")
    written_places = [*walk(schema, schema, overlay)]
    offers = [each.value for each in written_places if each.where[:1] == ("facts",) and each.where[3:] == ("offers",)]
    known["name"] = [NAMED.sub("{}", str(name)) for each in offers if isinstance(each, dict) for name in each]
    for place in written_places:
        for part in place.parts:
            rule, value = part.schema, place.value
            if isinstance(value, dict) and rule.get("additionalProperties") is False:
                for key in (each for each in value if each not in rule["properties"]):
                    yield (*place.where, key), unknown(rule.get("title", "key"), key, rule["properties"])
            if rule.get("title") == "kind" and isinstance(value, dict) and value.keys() <= CONDITIONS:
                yield place.where, "no kind says what is true"
            names = rule.get("propertyNames", {}).get("format", "")
            texts = [(rule.get("format", ""), value, place.where)] if isinstance(value, str) else []
            texts += [(names, key, (*place.where, key)) for key in value] if isinstance(value, dict) else []
            for form, text, where in texts:
                if form in known and form != "name" and text not in known[form]:
                    yield where, unknown(form, text, known[form])
                elif form in PLACES:
                    yield from ((where, wrong) for wrong in unknown_places(document, known, where, form, text))
        for expression in EXPRESSION.findall(place.value) if isinstance(place.value, str) else ():
            if not KNOWN_EXPRESSION.match(expression):
                yield place.where, f"unknown expression {expression}"
    for error in validator.iter_errors(json.loads(json.dumps(overlay))):  # keys that are numbers become texts
        if "additionalProperties" not in error.schema_path[-1:]:
            yield tuple(error.instance_path), str(error.message)


def unknown(noun: str, word: Any, known: Iterable[str]) -> str:
    nearest = difflib.get_close_matches(str(word), known, 1)
    return f"unknown {noun} {word!r}" + (f": did you mean {nearest[0]!r}?" if nearest else "")


def schemas(document: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = document.get("components", {}).get("schemas", {})
    return found


def parameters(document: Mapping[str, Any], *places: str) -> list[str]:
    """The names of all parameters in these places: path, query, header."""
    written = [
        resolve(document, each)
        for _, _, item, own in operations(document)
        for each in (*item.get("parameters", ()), *own.get("parameters", ()))
    ]
    return [each["name"] for each in written if each["in"] in places]


def unknown_places(
    document: Mapping[str, Any], known: Mapping[str, list[str]], where: Steps, form: str, text: str
) -> Iterator[str]:
    """What is wrong with a place in the facts of a schema: `a.*.b`, `a as b`, `{parameter}`, or a name with these."""
    name, text = str(where[1]), text.partition(" as ")[0]
    if name not in known["schema"] or (form == "time" and text == "Date"):
        return
    is_name = form == "name" or (form == "limit" and "{" in text)
    if is_name and NAMED.sub("{}", text) not in known["name"]:
        yield f"no fact offers {text!r}" + unknown("", text, known["name"]).partition(f"{text!r}")[2]
    if "*" in {"one": text, "time": text, "limit": text, "last": text[:-1]}.get(form, ""):
        yield f"{text!r} has a *, and has to be one place"
    named = NAMED.findall(text) if "{" in text or is_name else [text]
    for place in named:
        is_parameter = "{" in text and place in known["parameter"]
        whole = {"$ref": f"#/components/schemas/{name}"}
        if not is_parameter and not has(document, [*parts(document, whole)], place.split(".")):
            yield f"schema {name} has no place {place}"


def has(document: Mapping[str, Any], found: list[Part], steps: list[str]) -> bool:
    """Whether schemas have a place, in which `*` is any entry or member; what they leave open has every place."""
    if not steps or not found:
        return bool(found)
    if not any(HOLDERS & part.schema.keys() for part in found):
        types = [part.schema["type"] for part in found if "type" in part.schema]
        return any("object" in each or "array" in each for each in types) or not types
    step, *rest = steps
    names = [name for part in found for name in part.schema.get("properties", ())] if step == "*" else [step]
    inner = [each for name in names for each in members(document, found, name)]
    return has(document, inner or members(document, found, 0), rest)
