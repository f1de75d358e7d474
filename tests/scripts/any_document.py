"""Documents as anybody writes them, made of ours by random changes, and the clients that they become."""

from __future__ import annotations

import copy
import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema_rs
import yaml
from hypothesis import strategies as st
from tests.generated.bodies import JSON

from bundle import bundle
from client import write_client
from generate import reject
from modelarts_documents.files import DocumentError
from modelarts_documents.keys import OBJECTS, objects
from modelarts_documents.schema import operations, parts, self_contained
from parsed import ClientError
from validity import EXTENSIONS, faults

__all__ = ["CAT", "DOG", "PET", "accepted", "client_of", "documents", "near", "small_document", "sources"]

ROOT = Path(__file__).resolve().parents[2]
DATA = yaml.safe_load((ROOT / "tests/data/changes_of_documents.yaml").read_text())
CAT, DOG = (DATA["document"]["components"]["schemas"][name] for name in ("Cat", "Dog"))
PET = {"$ref": "#/components/schemas/Pet"}
SCALARS = {"string": st.text(max_size=8), "integer": st.integers(-9, 99), "boolean": st.booleans()}
WILD: list[Any] = [None, 1, -1, 0.5, "", "x", [], ["kind"], {"a": 1}, "\ud800", "a\x00b\n", "200", True, {}]
OURS = {"v1": {"listTrainingJobs"}, "v2": {"createAlgorithm", "showTrainingJobTasks"}, "iam": {"createToken"}}


def small_document() -> dict[str, Any]:
    """Some operations with a union of objects."""
    document: dict[str, Any] = copy.deepcopy(DATA["document"])
    return document


def sources() -> list[dict[str, Any]]:
    """The documents that are changed: small ones, and ours with few operations."""
    found = [small_document(), bundle(ROOT / "tests/data/openapi/shop/openapi.yaml").document]
    found += [few_operations(bundle(ROOT / f"openapi/{name}/openapi.yaml").document, OURS[name]) for name in OURS]
    for document in found:
        document["components"]["schemas"] |= small_document()["components"]["schemas"]
    return found


def few_operations(document: dict[str, Any], chosen: set[str]) -> dict[str, Any]:
    """The document with these operations only, and what they need."""
    paths: dict[str, Any] = {}
    for path, method, item, operation in operations(document):
        if operation["operationId"] in chosen:
            paths.setdefault(path, {"parameters": item.get("parameters", [])})[method] = operation
    kept = {kind: dict(named) for kind, named in document["components"].items() if kind != "examples"}
    found = {**document, "paths": paths, "components": kept}
    while True:  # what nothing refers to goes, round by round
        text = json.dumps(found)
        unused = [(kind, name) for kind in kept for name in kept[kind] if f'"#/components/{kind}/{name}"' not in text]
        if not (unused := [each for each in unused if each[0] != "securitySchemes"]):
            return copy.deepcopy(found)
        for kind, name in unused:
            del kept[kind][name]


def wrapped(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Schemas of values that hold one of the schema, or are one in other words."""
    return [
        {"type": "array", "items": schema},
        {"type": "object", "additionalProperties": schema},
        {"type": "object", "properties": {"a": schema}},
        {"anyOf": [schema, {"type": "null"}]},
        {"oneOf": [DOG, schema]},
        {"allOf": [schema, {"properties": {"a": {"type": "string"}}}]},
    ]


@st.composite
def documents(draw: st.DrawFn, known: list[dict[str, Any]]) -> dict[str, Any]:
    """One of the documents with one to four changes at random places; most changes leave it valid."""
    document, keys, names = copy.deepcopy(draw(st.sampled_from(known))), DATA["keys"], DATA["names"]
    for _ in range(draw(st.integers(1, 4))):
        change = draw(st.sampled_from(["keys", "replaced", "wrapped", "renamed", "moved"] * 3 + ["wild"]))
        places = [each for each in objects(document) if each[2] and (each[1] in keys or change == "wild")]
        _, kind, node = draw(st.sampled_from(places))
        if change == "wild":
            words = {*node, *OBJECTS.get(kind, ()), *(("x-pages", *EXTENSIONS) if kind in keys else ())}
            node[draw(st.sampled_from(sorted(words)))] = copy.deepcopy(draw(st.sampled_from(WILD)))
        elif change == "renamed" and isinstance(node.get("properties"), dict) and node["properties"]:
            named = node["properties"]
            named[draw(st.sampled_from(names))] = named.pop(draw(st.sampled_from(sorted(named))))
        else:
            new = draw(st.sampled_from(keys[kind]))
            if change == "wrapped" and kind == "schemas":
                new = draw(st.sampled_from(wrapped(dict(node))))
            elif change == "moved":
                new = draw(st.sampled_from([other for _, other_kind, other in places if other_kind == kind]))
            new = copy.deepcopy(new)
            if change != "keys" and kind == "schemas":
                node.clear()
            node.update(new)
    return document


def near(document: dict[str, Any], schema: Any, depth: int = 2) -> st.SearchStrategy[Any]:
    """Values that have much in common with those of the schema, and any others."""
    choices = [JSON]
    members: dict[str, st.SearchStrategy[Any]] = {}
    required = set[str]()
    for part, _ in parts(document, schema):
        types = part.get("type", ())
        choices += [SCALARS[name] for name in ([types] if isinstance(types, str) else types) if name in SCALARS] * 2
        known = [*part.get("enum", ()), *(part[word] for word in ("const",) if word in part)]
        choices += [st.sampled_from(known)] if known else []
        if depth:
            required |= {*part.get("required", ())}
            members |= {name: near(document, held, depth - 1) for name, held in part.get("properties", {}).items()}
            items, others = (part.get(word, False) for word in ("items", "additionalProperties"))
            choices += [st.lists(near(document, items, depth - 1), max_size=2)] if items else []
            names = st.text(max_size=3)
            choices += [st.dictionaries(names, near(document, others, depth - 1), max_size=2)] if others else []
    fixed = {name: members.get(name, JSON) for name in required}
    rest = {name: held for name, held in members.items() if name not in required}
    whole = [st.fixed_dictionaries(fixed, optional=rest)] * 2 + [st.fixed_dictionaries({}, optional=members)]
    return st.one_of([*choices, *(whole if members or required else ())])


def accepted(document: dict[str, Any], schema: Any, data: st.DataObject) -> list[Any]:
    """Some values that the schema accepts, often."""
    validator = jsonschema_rs.Draft202012Validator(self_contained(document, {"allOf": [schema]}))
    drawn = data.draw(st.lists(near(document, schema), min_size=4, max_size=4))
    return [value for value in drawn if validator.is_valid(value)]


def client_of(document: dict[str, Any], folder: Path, name: str) -> str | ModuleType:
    """The package that the document becomes, with all of its modules imported, or why it is rejected."""
    file = folder / "openapi.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    try:
        bundled = bundle(file)
        reject(bundled, faults(bundled.document))
        try:
            write_client(bundled.document, folder / name / "api", "A client.")
        except ClientError as error:
            reject(bundled, error.facts)
    except DocumentError as error:
        return str(error)
    (folder / name / "__init__.py").touch()
    (folder / name / "phases.py").write_text("Phase = str\n")
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    for module in sorted((folder / name).rglob("*.py")):
        importlib.import_module(".".join(module.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"))
    return sys.modules[f"{name}.api"]
