"""Whatever the document: the same in other words is no change, and what rejects a value breaks whoever sends it."""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from modelarts_contract.comparison.document import compare
from modelarts_contract.comparison.states import ComparisonError, changes, state
from modelarts_documents.schema import find, graph

NAMES = ("A", "B", "C")
Schema = dict[str, Any]


def ref(name: str, **beside: Any) -> Schema:
    return {"$ref": f"#/components/schemas/{name}", **beside}


def an_object(properties: dict[str, Schema], **more: Any) -> Schema:
    return {"type": "object", "properties": properties, **more}


SCALARS: list[Schema] = [
    {"type": "string"},
    {"type": "string", "maxLength": 5},
    {"type": "integer", "minimum": 1},
    {"type": ["string", "null"]},
    {"type": "number"},
    {"enum": ["a", "b"]},
    {"type": "boolean"},
]


def larger(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    properties = st.dictionaries(st.sampled_from("abcd"), inner, min_size=1, max_size=3)
    objects = st.tuples(properties, st.sets(st.sampled_from("abcd"))).map(
        lambda found: an_object(found[0], required=sorted(found[1] & found[0].keys()))
    )
    branch = st.tuples(objects, st.sampled_from(NAMES).map(ref))
    return st.one_of(
        st.sampled_from(NAMES).map(ref),
        objects,
        inner.map(lambda schema: {"type": "array", "items": schema}),
        inner.map(lambda schema: {"type": "object", "additionalProperties": schema}),
        branch.map(lambda found: {"allOf": [found[1], an_object({"extra": found[0]})]}),
        branch.map(lambda found: {**found[1], "properties": {"beside": found[0]}}),
        st.sampled_from(["anyOf", "oneOf"]).map(lambda word: {word: [*map(ref, NAMES)]}),
        st.sampled_from(NAMES).map(lambda name: {"anyOf": [ref(name), {"type": "null"}]}),
    )


SCHEMAS = st.recursive(st.sampled_from(SCALARS), larger, max_leaves=6)


@st.composite
def documents(draw: st.DrawFn) -> Schema:
    """Components that refer to each other, told apart by a constant; an operation sends one and shows one."""
    components = {
        name: an_object({"kind": {"const": name}, "value": copy.deepcopy(draw(SCHEMAS))}, required=["kind", "value"])
        for name in NAMES
    }
    return with_body(copy.deepcopy(draw(SCHEMAS)), components)


def with_body(schema: Schema, components: Schema, sides: str = "request response") -> Schema:
    content = {"content": {"application/json": {"schema": schema}}}
    operation = {"operationId": "op", "responses": {"200": content if "response" in sides else {}}}
    operation |= {"requestBody": content} if "request" in sides else {}
    return {"openapi": "3.1.0", "paths": {"/": {"post": operation}}, "components": {"schemas": components}}


def body(document: Schema) -> Schema:
    found: Schema = document["paths"]["/"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    return found


def places(document: Schema) -> list[Schema]:
    return [dict_ for node in graph(document, ((), body(document))) if isinstance(dict_ := node.schema, dict)]


def rewritten(schema: Schema, new: Schema) -> None:
    schema.clear()
    schema.update(new)


def inlined(document: Schema, schema: Schema) -> Schema | None:
    if schema.keys() != {"$ref"}:
        return None
    return dict(copy.deepcopy(find(document, schema["$ref"])))


def reordered(_: Schema, schema: Schema) -> Schema:
    lists = {key: value[::-1] if isinstance(value, list) else value for key, value in schema.items()}
    return dict(reversed(lists.items()))


def spelled_out(_: Schema, schema: Schema) -> Schema:
    return {**schema, "minLength": schema.get("minLength", 0), "uniqueItems": False, "description": "The same."}


def with_null_apart(_: Schema, schema: Schema) -> Schema | None:
    if "null" not in schema.get("type", ()) or isinstance(schema["type"], str):
        return None
    return {"oneOf": [{"type": "null"}, {**schema, "type": [each for each in schema["type"] if each != "null"]}]}


def divided(_: Schema, schema: Schema) -> Schema:
    """Each keyword in a schema of its own."""
    return {"allOf": [{key: value} for key, value in schema.items()]}


REWRITES: dict[str, Callable[[Schema, Schema], Schema | None]] = {
    "a reference is inlined": inlined,
    "the order changes": reordered,
    "a default is written": spelled_out,
    "null stands apart": with_null_apart,
    "the schema stands in allOf": lambda _, schema: {"allOf": [dict(schema)]},
    "keywords are divided": divided,
}


@pytest.mark.parametrize("name", REWRITES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
@given(document=documents(), data=st.data())
def test_the_same_in_other_words_changes_no_message(name: str, document: Schema, data: st.DataObject) -> None:
    new = copy.deepcopy(document)
    found = [(place, schema) for place in places(new) if (schema := REWRITES[name](new, dict(place))) is not None]
    assume(found)
    rewritten(*data.draw(st.sampled_from(found)))

    assert [str(change) for change in compare("one", document, new) if change.reach == "wire"] == []
    assert [str(change) for change in compare("one", new, document) if change.reach == "wire"] == []


NARROWER = {"string": {"maxLength": 2}, "array": {"maxItems": 1}, "object": {"maxProperties": 1}}


def sides_of(document: Schema) -> tuple[Schema, Schema]:
    """The document with the body in its request only, and in its response only."""
    components = document["components"]["schemas"]
    return with_body(body(document), components, "request"), with_body(body(document), components, "response")


def breaks(old: Schema, new: Schema) -> bool:
    return any(change.breaking and change.reach == "wire" for change in compare("one", old, new))


@settings(max_examples=150)
@given(document=documents(), data=st.data())
def test_a_narrower_value_breaks_who_sends_it_wherever_it_stands_and_nobody_who_reads_it(
    document: Schema, data: st.DataObject
) -> None:
    new = copy.deepcopy(document)
    found = [place for place in places(new) if place.get("type") in ("string", "integer", "number", "array", "object")]
    assume(found)
    place = data.draw(st.sampled_from(found))
    place.update(NARROWER.get(place["type"], {"maximum": 9}))
    (request, response), (narrow_request, narrow_response) = sides_of(document), sides_of(new)

    assert (breaks(request, narrow_request), breaks(narrow_request, request)) == (True, False)
    assert (breaks(response, narrow_response), breaks(narrow_response, response)) == (False, True)


def value(document: Schema, schema: Any, random: Random, depth: int = 6) -> Any:
    """A value that the schema probably accepts."""
    held = [schema]
    for each in held:
        held += [find(document, each["$ref"])] if "$ref" in each else []
        held += [*each.get("allOf", ()), *(random.choice(each[word]) for word in ("anyOf", "oneOf") if word in each)]
    said = {key: inside for each in reversed(held) for key, inside in each.items()}
    if "enum" in said or "const" in said:
        return random.choice(said.get("enum", [said.get("const")]))
    kinds = said.get("type", "string")
    kind = random.choice(kinds) if isinstance(kinds, list) else kinds
    if kind == "object":
        members = {name: inside for each in held for name, inside in each.get("properties", {}).items()}
        names = [name for name in members if depth > 0 or name in ("kind", "value")]
        found = {name: value(document, members[name], random, depth - 1) for name in names if depth > -3}
        others = [each["additionalProperties"] for each in held if "additionalProperties" in each]
        return found | {name: value(document, others[0], random, depth - 1) for name in "xy" if others and depth > 0}
    if kind == "array":
        return [value(document, said["items"], random, depth - 1) for _ in range(random.randrange(3)) if depth > 0]
    simple = {"null": None, "boolean": True, "string": random.choice(["", "abcdefg"]), "number": 1.5}
    return random.randrange(-1, 20) if kind == "integer" else simple[kind]


@settings(max_examples=150)
@given(document=documents(), data=st.data(), random=st.randoms(use_true_random=False))
def test_a_value_that_is_rejected_now_breaks_who_sends_it_and_one_that_is_new_who_reads_it(
    document: Schema, data: st.DataObject, random: Random
) -> None:
    """A validator judges: it knows nothing of the comparison."""
    new = copy.deepcopy(document)
    rewritten(data.draw(st.sampled_from(places(new))), copy.deepcopy(data.draw(SCHEMAS)))
    schemas = [{**body(each), "components": each["components"]} for each in (document, new)]
    accepts, accepts_now = (jsonschema_rs.Draft202012Validator(each).is_valid for each in schemas)
    sent = [value(document, body(document), random) for _ in range(5)]
    (request, response), (new_request, new_response) = sides_of(document), sides_of(new)

    if any(accepts(each) and not accepts_now(each) for each in sent):
        assert breaks(request, new_request)
        assert breaks(new_response, response)


def large(components: int, operations: int, **more: Any) -> Schema:
    """A document whose schemas refer to each other."""
    random = Random(1)
    names = [f"C{number}" for number in range(components)]
    words = [{"type": kind, "description": "One of the fields of the thing."} for kind in ("string", "integer")]

    def field() -> Schema:
        name = random.choice(names)
        return random.choice(
            [ref(name), {"type": "array", "items": ref(name)}, {"anyOf": [ref(name), {"type": "null"}]}]
        )

    schemas = {
        name: an_object(
            {f"a{number}": random.choice(words) for number in range(5)} | {f"b{number}": field() for number in range(5)}
        )
        for name in names
    }
    schemas["C7"]["properties"] |= more
    contents = [{"content": {"application/json": {"schema": ref(random.choice(names))}}} for _ in range(operations)]
    paths = {
        f"/{number}": {"post": {"operationId": f"op{number}", "requestBody": each, "responses": {"200": each}}}
        for number, each in enumerate(contents)
    }
    return {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}


def test_large_documents_and_deep_ones_are_compared_in_time() -> None:
    """Each operation says the change once for each direction, at its shortest place; the limit leaves room for a slow
    machine."""
    start = time.process_time()
    old, new = large(1500, 300), large(1500, 300, quite_new={"type": "string"})
    changes = list(compare("one", old, new))
    chain = [an_object({"next": ref(f"C{number + 1}")}) for number in range(3000)]
    deep = [
        with_body(ref("C0"), {f"C{number}": each for number, each in enumerate([*chain, {"type": kind}])}, "request")
        for kind in ("string", "integer")
    ]

    assert len(changes) == len({(each.operation, each.place.split()[0]) for each in changes})
    assert [change.breaking for change in compare("one", *deep)] == [True]
    assert time.process_time() - start < 30


JUNK = st.sampled_from([None, True, 7, -1.5, "x", "#/components/schemas/A", [], [1], {}, {"a": 1}, {"$ref": "#/paths"}])


@pytest.mark.parametrize("examples", [30, pytest.param(1000, marks=pytest.mark.soak)])
def test_a_malformed_document_is_compared_or_rejected(examples: int, tmp_path: Path) -> None:
    """Whatever stands at whichever place, with a file and a line where it is rejected."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(document=documents(), random=st.randoms(use_true_random=False), junk=st.lists(JUNK, min_size=1, max_size=3))
    def run(document: Schema, random: Random, junk: list[Any]) -> None:
        new = copy.deepcopy(document)
        for value in junk:
            holders = [each for each in everything(new) if each]
            holder = random.choice(holders)
            holder[random.choice([*(holder if isinstance(holder, dict) else range(len(holder)))])] = copy.deepcopy(
                value
            )
        file = tmp_path / "new.json"
        file.write_text(json.dumps(new), "utf-8")
        found = rejection(document, file)
        assert not found or re.search(r"new\.json:\d+: |^new lacks a part", found), found

    run()


def rejection(document: Schema, file: Path) -> str:
    """Why the file cannot be compared with the document."""
    try:
        list(changes({"new": document}, state(str(file))))
    except ComparisonError as error:
        return str(error)
    return ""


def everything(node: Any) -> Iterator[Any]:
    """The maps and lists in it."""
    if isinstance(node, dict | list):
        yield node
        for each in node.values() if isinstance(node, dict) else node:
            yield from everything(each)
