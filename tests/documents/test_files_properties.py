"""A document that is divided into files at random is the same document once it is bundled."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from modelarts_contract.comparison.states import changes
from modelarts_documents.files import bundle
from modelarts_documents.schema import find

ROOT = "/api/openapi.yaml"
NAMES = ("Dog", "Cat", "Owl", "Cow")
FOLDERS = ("/api", "/api/models", "/api/a b/models", "/shared", "/api/100%")
STEMS = ("item", "Dog", "list.v1")
PROPERTIES = ("a", "$ref", "example", "x-y", "~/%")
HOLDERS = (("components", "schemas"), ("$defs",), ("definitions",), ("x/y", "~ %z"))


@dataclass(frozen=True)
class Target:
    """A placeholder for a reference to a component."""

    name: str


Schemas = Mapping[str, Any]
Division = Mapping[str, tuple[str, tuple[str, ...], bool]]
"""For each component its file, the keys that lead to it, and whether references name an anchor instead of these."""
targets = st.sampled_from(NAMES).map(Target)
leaves = targets | st.sampled_from([{"type": "string"}, {"type": "integer"}, True, {"enum": [{"$ref": "a"}, 1]}])
schemas = st.recursive(
    leaves,
    lambda inside: (
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(PROPERTIES), inside, max_size=3)},
            optional={"required": st.just(["a"]), "example": st.just({"$ref": "nowhere.yaml"})},
        )
        | st.fixed_dictionaries({"items": inside, "type": st.just("array")})
        | st.fixed_dictionaries({"anyOf": st.lists(inside, min_size=1, max_size=2)})
    ),
    max_leaves=5,
)
# A component is an object, so that no circle is without content.
properties = st.dictionaries(st.sampled_from(PROPERTIES), schemas, max_size=3)
components = st.fixed_dictionaries(
    {name: st.fixed_dictionaries({"title": st.just(name), "properties": properties}) for name in NAMES}
)
values = st.recursive(
    st.sampled_from(["text", 1, None]),
    lambda inside: st.lists(inside, max_size=2) | st.dictionaries(st.sampled_from(PROPERTIES), inside, max_size=3),
    max_leaves=8,
)


@st.composite
def divisions(draw: st.DrawFn) -> Division:
    found: dict[str, tuple[str, tuple[str, ...], bool]] = {}
    for name in NAMES:
        folder, stem, form = draw(st.sampled_from(FOLDERS)), draw(st.sampled_from(STEMS)), draw(st.integers(0, 3))
        if form == 0:
            found[name] = ROOT, ("components", "schemas", name), False
        elif form == 1:
            found[name] = (
                f"{folder}/{name}-{stem}.yaml" if draw(st.booleans()) else f"{folder}/{name}/{stem}.json",
                (),
                False,
            )
        else:
            holder = draw(st.sampled_from(HOLDERS))
            key = draw(st.sampled_from([name, f"{name} ~/%"]))
            found[name] = f"{folder}/{stem}.yaml", (*holder, key), form == 3 and holder == ("$defs",)
    return found


def reference(source: str, target: str, pointer: tuple[str, ...], anchor: str | None) -> str:
    uri = "" if source == target else quote(posixpath.relpath(target, posixpath.dirname(source)))
    steps = (quote(step.replace("~", "~0").replace("/", "~1"), safe="") for step in pointer)
    fragment = anchor or "".join(f"/{step}" for step in steps)
    return f"{uri}#{fragment}" if fragment or not uri else uri


def placed(node: Any, source: str, division: Division) -> Any:
    """The node with references in place of placeholders, as they are written in the file."""
    if isinstance(node, Target):
        target, pointer, has_anchor = division[node.name]
        return {"$ref": reference(source, target, pointer, node.name if has_anchor else None)}
    if isinstance(node, list):
        return [placed(each, source, division) for each in node]
    return {key: placed(each, source, division) for key, each in node.items()} if isinstance(node, dict) else node


def files_of(parts: Schemas, division: Division) -> dict[str, Any]:
    """The files of a document whose operations respond with the components."""
    files: dict[str, Any] = {}
    paths = {}
    for name in NAMES:
        content = {"application/json": {"schema": placed(Target(name), ROOT, division)}}
        operation = {"operationId": f"get{name}", "responses": {"200": {"description": "d", "content": content}}}
        paths[f"/{name}"] = {"get": operation}
    files[ROOT] = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    for name, (file, pointer, has_anchor) in division.items():
        schema = placed(parts[name], file, division) | ({"$anchor": name} if has_anchor else {})
        if not pointer:
            files[file] = schema
            continue
        holder = files.setdefault(file, {})
        for step in pointer[:-1]:
            holder = holder.setdefault(step, {})
        holder[pointer[-1]] = schema
    return files


def bundled(files: Mapping[str, Any]) -> dict[str, Any]:
    return bundle(ROOT, lambda place: json.dumps(files[place]).encode()).document


WHOLE = {name: (ROOT, ("components", "schemas", name), False) for name in NAMES}


def assert_same(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Both are the same behind their references."""
    ahead: list[tuple[Any, Any, bool]] = [(first["paths"], second["paths"], False)]
    seen = set()
    while ahead:
        ours, theirs, is_data = ahead.pop()
        while not is_data and isinstance(ours, dict) and isinstance(ours.get("$ref"), str):
            ours = find(first, ours["$ref"])
        while not is_data and isinstance(theirs, dict) and isinstance(theirs.get("$ref"), str):
            theirs = find(second, theirs["$ref"])
        if (id(ours), id(theirs)) in seen or not isinstance(ours, dict | list):
            assert isinstance(ours, dict | list) or ours == theirs
            continue
        seen.add((id(ours), id(theirs)))
        assert type(ours) is type(theirs)
        assert len(ours) == len(theirs)
        for key in ours if isinstance(ours, dict) else range(len(ours)):
            is_keyword = key == "enum" or (key == "example" and "type" in ours)  # or a property that is called so
            ahead.append((ours[key], theirs[key], is_data or is_keyword))


@settings(max_examples=30)
@given(components, divisions(), divisions())
def test_a_divided_document_is_the_undivided_one(
    parts: Schemas,
    division: Division,
    other: Division,
) -> None:
    """Whole files, parts of files, anchors, names with any characters, files of one name in different folders."""
    whole, first, second = (bundled(files_of(parts, each)) for each in (WHOLE, division, other))

    assert_same(whole, first)
    assert_same(first, second)


@settings(max_examples=10)
@given(components, divisions())
def test_nothing_changes_on_the_wire_when_a_document_is_divided(parts: Schemas, division: Division) -> None:
    states = ({"a": bundled(files_of(parts, each))} for each in (WHOLE, division))

    assert [change for change in changes(*states) if change.broken not in (None, "callers")] == []


@settings(max_examples=30)
@given(components, divisions(), values)
def test_validators_judge_by_the_files_as_by_the_bundle(parts: Schemas, division: Division, value: Any) -> None:
    """Validators that read the files themselves."""
    files = files_of(parts, division)
    document = bundled(files)

    registry = jsonschema_rs.Registry([(f"file://{quote(place)}", content) for place, content in files.items()])
    for name in NAMES:
        ours = find(document, f"#/paths/~1{name}/get/responses/200/content/application~1json/schema")
        reference = placed(Target(name), "/api/judge", division)
        judge = jsonschema_rs.Draft202012Validator(reference, base_uri="file:///api/judge", registry=registry)
        bundles = jsonschema_rs.Draft202012Validator({**ours, "components": document.get("components", {})})
        assert judge.is_valid(value) == bundles.is_valid(value), name
