"""Files of YAML and JSON are loaded, and many of them become one document, whatever OpenAPI allows of references."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelarts_documents.files import Bundle, DocumentError, File, bundle, shown
from modelarts_documents.schema import find

Files = Mapping[str, Any]
Write = Callable[[Files], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the files of a document, texts as they are, and gives its root file."""

    def write(files: Files) -> Path:
        for name, content in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return tmp_path / next(iter(files))

    return write


def load(data: str | bytes, name: str = "/a.yaml") -> Any:
    return File(name, data.encode() if isinstance(data, str) else data).content


def fault(make: Callable[[], object]) -> tuple[str, int, str]:
    """The file's name, the line and the fact of an error."""
    with pytest.raises(DocumentError) as caught:
        make()
    found = re.fullmatch(r"(.*?):(\d+): (.*)", str(caught.value))
    assert found is not None, caught.value
    return Path(found[1]).name, int(found[2]), found[3]


def root(schema: Any, **more: Any) -> dict[str, Any]:
    """A document whose only operation responds with the schema."""
    response = {"description": "d", "content": {"application/json": {"schema": schema}}}
    return {"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": response}}}}, **more}


def schema_of(bundled: Bundle) -> Any:
    return bundled.document["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]


def components(bundled: Bundle, kind: str = "schemas") -> dict[str, Any]:
    found: dict[str, Any] = bundled.document["components"][kind]
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "[no, On, 2024-01-01, 1_000, 12:30:00, '3', 0b1]",
            ["no", "On", "2024-01-01", "1_000", "12:30:00", "3", "0b1"],
        ),
        ("[3, -3, +3, 017, 0o17, 0x1F]", [3, -3, 3, 17, 15, 31]),
        ("[1.5, .5, 1., 1e3]", [1.5, 0.5, 1.0, 1000.0]),
        ("[true, True, FALSE, null, Null, ~, ]", [True, True, False, None, None, None]),
        ("200: a\nnull: b\nyes: c\n'<<': d", {"200": "a", "null": "b", "yes": "c", "<<": "d"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("!!str 3", "3"),
        ("# a comment\n--- {a: 1}\n", {"a": 1}),
        ('{"a": "\\ud83d\\ude00 \\/",\t"b": 1e2}', {"a": "😀 /", "b": 100.0}),
    ],
)
def test_scalars_are_those_of_the_core_schema_of_yaml_1_2(text: str, value: Any) -> None:
    assert load(text) == value


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("text", ['{"ä": 1}', "a: ä"])
def test_the_encodings_of_json_and_yaml_are_read(encoding: str, text: str) -> None:
    assert load(text.encode(encoding)) == yaml.safe_load(text)


FAULTY_FILES: dict[str, tuple[str | bytes, int, str]] = {
    "an open bracket": ("a: [1", 1, "neither JSON nor YAML"),
    "a tab": ("a: 1\nb:\tc: d", 2, "neither JSON nor YAML"),
    "a key that is written twice": ("a: 1\nb: 2\na: 3", 3, "`a` is written twice"),
    "a key that is written twice in JSON": ('{"a": 1,\n\t"a": 2}', 2, "`a` is written twice"),
    "JSON that ends early": ('{"a": 1,\n "b": }x', 2, "neither JSON nor YAML"),
    "a merge key": ("a: 1\n<<: {b: 2}", 2, "merge keys"),
    "a composed key": ("a: 1\n[b]: 2", 2, "composed keys"),
    "a tag": ("a: 1\nb: !!binary aGFsbG8=", 2, "the tag tag:yaml.org,2002:binary"),
    "an alias within what it names": ("a: &x\n  b: *x", 2, "the alias *x"),
    "aliases of aliases": (
        "".join(f"a{number}: &a{number} [{f'*a{number - 1}, ' * 9 if number else 'b'}]\n" for number in range(9)),
        *(8, "aliases make more than"),
    ),
    "two documents": ("a: 1\n---\nb: 2", 3, "second document"),
    "an empty file": ("# nothing\n", 1, "empty"),
    "a number that is none in JSON": ("a: 1\nb: .inf", 2, ".inf is not a number"),
    "a number that is too large": ('{"a": 1,\n"b": 1e999}', 2, "1e999 is not a number"),
    "bytes that are not text": (b"a: \xff\xfe", 1, "neither JSON nor YAML"),
    "JSON in JSON in JSON": ("[" * 100_000, 1, "200 levels"),
    "mappings in mappings of JSON": ('{"b": 1, "a": ' * 300 + "1" + "}" * 300, 1, "200 levels"),
    "mappings in mappings in mappings": ("\n".join(" " * depth + "a:" for depth in range(300)), 201, "200 levels"),
}


@pytest.mark.parametrize("name", FAULTY_FILES)
def test_a_file_that_is_no_plain_yaml_is_named_with_the_line(name: str) -> None:
    text, line, fact = FAULTY_FILES[name]

    found = fault(lambda: load(text))

    assert found[0] == "a.yaml"
    assert abs(found[1] - line) <= 1  # what is open is noticed later
    assert fact in found[2]


@pytest.mark.parametrize("indent", [None, 1, "\t"])
def test_every_mapping_of_json_and_yaml_has_its_line(indent: Any) -> None:
    value = {"a": {"b": [{"c": '{"}\n'}, {}]}, "d": {}}
    text = json.dumps(value, indent=indent)
    file = File("/a.json", text.encode())

    lines = [file.location(part).line for part in (file.content, file.content["a"], file.content["a"]["b"][1])]

    assert lines == ([1, 2, 7] if indent else [1, 1, 1])
    assert File("/a.yaml", b"a: 1\nb:\n  c: {}\n").location({}).line == 1


DOG = "{type: string}"
REFERENCES: dict[str, tuple[Files, str]] = {
    "a whole file": ({"Dog.yaml": DOG}, "Dog.yaml"),
    "a file in a folder above": ({"../Dog.json": {"type": "string"}}, "../Dog.json"),
    "a part of a file": ({"a.yaml": f"components: {{schemas: {{Dog: {DOG}}}}}"}, "a.yaml#/components/schemas/Dog"),
    "a list's entry": ({"a.yaml": f"oneOf: [{DOG}]"}, "a.yaml#/oneOf/0"),
    "escaped names": ({"a b%/c.yaml": {"a/b~c d": {"type": "string"}}}, "a%20b%25/c.yaml#/a~1b~0c%20d"),
    "an anchor": ({"a.yaml": "$defs: {A: {$anchor: dog, type: string}}"}, "a.yaml#dog"),
    "an anchor of a component": ({"a.yaml": "components: {schemas: {A: {$anchor: b, type: string}}}"}, "a.yaml#b"),
    "an anchor in a map of schemas": ({"a.yaml": "A: {$anchor: dog, type: string}"}, "a.yaml#dog"),
    "references to references": ({"a.yaml": "$ref: b.yaml#/B", "b.yaml": "B: {$ref: c.yaml}", "c.yaml": DOG}, "a.yaml"),
    "a part of what is referred to": ({"a.yaml": "A: {$ref: b.yaml}", "b.yaml": f"B: {DOG}"}, "a.yaml#/A/B"),
    "a name that a schema has": (
        {"a.yaml": "$id: https://a.test/b/a\n$defs: {D: {$id: d, type: string}}\n$ref: d"},
        "a.yaml",
    ),
    "an extension of the root": ({}, "#/x-schemas/Dog"),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_a_reference_leads_to_its_schema(write: Write, name: str) -> None:
    files, reference = REFERENCES[name]
    document = root({"$ref": reference}, **{"x-schemas": {"Dog": {"type": "string"}}})

    found = bundle(write({"in/openapi.yaml": document, **{f"in/{file}": text for file, text in files.items()}}))

    schema = schema_of(found)
    while "$ref" in schema:
        part: Any = found.document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            part = part[step]
        schema = part
    assert schema == {"type": "string"}


def test_a_component_has_the_kind_of_the_place_and_the_name_of_its_pointer_or_file(write: Write) -> None:
    operation = {
        "parameters": [{"$ref": "all.yaml#/Limit"}],
        "requestBody": {"$ref": "all.yaml#/Body"},
        "responses": {"200": {"$ref": "r/Page.yaml"}, "default": {"$ref": "r/Error.yaml"}},
        "callbacks": {"done": {"$ref": "all.yaml#/Done"}},
    }
    found = bundle(
        write(
            {
                "openapi.yaml": {"paths": {"/a": {"$ref": "a.yaml"}}, "webhooks": {"w": {"$ref": "a.yaml"}},
                                 "components": {"securitySchemes": {"key": {"$ref": "all.yaml#/Key"}}}},
                "a.yaml": {"get": operation},
                "all.yaml": {
                    "Limit": {"name": "limit", "in": "query", "schema": {"$ref": "#/Number"}},
                    "Number": {"type": "integer"},
                    "Body": {"content": {"a/b": {"examples": {"e": {"$ref": "#/Example"}}}}},
                    "Example": {"value": {"$ref": "none.yaml"}},
                    "Done": {"{$request.body#/url}": {"$ref": "a.yaml"}, "other": {"$ref": "b.yaml"}},
                    "Key": {"type": "apiKey"},
                },
                "b.yaml": {"post": {"responses": {"200": {"$ref": "r/Page.yaml"}}}},
                "r/Page.yaml": {"headers": {"H": {"$ref": "../H.yaml"}}, "links": {"next": {"$ref": "../Next.yaml"}}},
                "r/Error.yaml": {"description": {"$ref": "../texts.yaml#/error"}},
                "H.yaml": {"schema": {"$ref": "all.yaml#/Number"}},
                "Next.yaml": {"operationId": "a", "parameters": {"$ref": "data"}},
                "texts.yaml": {"error": "It failed."},
            }
        )
    )  # fmt: skip

    assert {kind: [*of] for kind, of in found.document["components"].items()} == {
        "securitySchemes": ["key"],
        "callbacks": ["Done"],
        "examples": ["Example"],
        "headers": ["H"],
        "links": ["Next"],
        "parameters": ["Limit"],
        "pathItems": ["b"],
        "requestBodies": ["Body"],
        "responses": ["Error", "Page"],
        "schemas": ["Number"],
    }
    assert components(found, "callbacks")["Done"]["{$request.body#/url}"] == {"$ref": "#/paths/~1a"}
    assert components(found, "responses")["Error"] == {"description": "It failed."}
    assert components(found, "examples")["Example"] == {"value": {"$ref": "none.yaml"}}
    assert components(found, "securitySchemes") == {"key": {"type": "apiKey"}}
    assert found.document["webhooks"]["w"]["get"]["parameters"] == [{"$ref": "#/components/parameters/Limit"}]


def test_references_in_data_stay_and_properties_can_have_any_name(write: Write) -> None:
    """A property is a schema, also one that is called `$ref` or `example`."""
    data = {"$ref": "none.yaml"}
    schema = {
        "properties": {"$ref": {"$ref": "T.yaml"}, "example": {"$ref": "T.yaml"}, "x-a": {"$ref": "T.yaml"}},
        "example": data,
        "examples": [data],
        "default": data,
        "enum": [data],
        "const": data,
        "x-y": data,
    }
    found = schema_of(bundle(write({"openapi.yaml": root(schema), "T.yaml": "type: string"})))

    reference = {"$ref": "#/components/schemas/T"}
    assert found == {**schema, "properties": dict.fromkeys(("$ref", "example", "x-a"), reference)}


def test_keys_beside_a_reference_are_kept(write: Write) -> None:
    """Of a component beside the reference, of what is put in place beside its keys."""
    schemas = {"B": {"$ref": "b.json", "title": "Mine."}}
    document = root({"$ref": "A.yaml", "description": "Mine."}, components={"schemas": schemas})
    document["paths"]["/b"] = {"$ref": "b.yaml", "summary": "B"}

    files = {"A.yaml": "type: object", "b.yaml": "parameters: []", "b.json": {"$ref": "A.yaml", "title": "b"}}
    found = bundle(write({"openapi.yaml": document, **files}))

    assert schema_of(found) == {"$ref": "#/components/schemas/A", "description": "Mine."}
    assert components(found)["B"] == {"$ref": "#/components/schemas/b", "title": "Mine."}
    assert components(found)["b"] == {"$ref": "#/components/schemas/A", "title": "b"}
    assert found.document["paths"]["/b"] == {"parameters": [], "summary": "B"}


def test_circles_within_and_between_files_are_kept(write: Write) -> None:
    found = bundle(
        write(
            {
                "openapi.yaml": root({"$ref": "models/node.yml"}),
                "models/node.yml": "properties: {a: {$ref: '#'}, b: {items: {$ref: node.yml}}, c: {$ref: x/leaf.yml}}",
                "models/x/leaf.yml": "properties: {node: {$ref: ../node.yml}}",
            }
        )
    )  # fmt: skip

    node, leaf = components(found)["node"]["properties"], components(found)["leaf"]["properties"]
    assert node == {
        "a": {"$ref": "#/components/schemas/node"},
        "b": {"items": {"$ref": "#/components/schemas/node"}},
        "c": {"$ref": "#/components/schemas/leaf"},
    }
    assert leaf == {"node": {"$ref": "#/components/schemas/node"}}


def test_long_ways_from_one_reference_to_the_next_are_short(write: Write) -> None:
    names = [f"A{number}" for number in range(1500)]
    schemas = {name: {"$ref": f"#/components/schemas/{after}"} for name, after in pairwise(names)}
    document = root({"$ref": "#/components/schemas/A0"}, components={"schemas": {**schemas, names[-1]: {}}})

    assert bundle(write({"openapi.json": document})).document == document


def test_the_parts_of_a_component_stay_in_it(write: Write) -> None:
    dog = "$defs: {T: {type: string}}\nproperties: {t: {$ref: '#/$defs/T'}}"
    found = bundle(write({"openapi.yaml": root({"$ref": "Dog.yaml"}), "Dog.yaml": dog}))

    assert components(found)["Dog"]["properties"]["t"] == {"$ref": "#/components/schemas/Dog/$defs/T"}
    assert [*components(found)] == ["Dog"]


def test_parts_have_any_names(write: Write) -> None:
    dog = {"$defs": {"a%2F/~ {b}": {"type": "string"}}, "not": {"$ref": "#/$defs/a%252F~1~0%20%7Bb%7D"}}
    document = bundle(write({"openapi.yaml": root({"$ref": "Dog.json"}), "Dog.json": dog})).document

    assert find(document, document["components"]["schemas"]["Dog"]["not"]["$ref"]) == {"type": "string"}


def test_a_schema_in_an_extension_becomes_a_component(write: Write) -> None:
    """An extension is data, in which no reference is followed."""
    extension = {"Dog": {"items": {"$ref": "A.yaml"}}}
    found = bundle(write({"openapi.yaml": root({"$ref": "#/x-s/Dog"}, **{"x-s": extension}), "A.yaml": {}}))

    assert schema_of(found) == {"$ref": "#/components/schemas/Dog"}
    assert components(found) == {"Dog": {"items": {"$ref": "#/components/schemas/A"}}, "A": {}}
    assert found.document["x-s"] == extension


def test_a_component_that_the_document_names_keeps_its_name(write: Write) -> None:
    document = root(
        {"$ref": "models/dog_model.yaml"}, components={"schemas": {"Dog": {"$ref": "models/dog_model.yaml"}}}
    )
    found = bundle(write({"openapi.yaml": document, "models/dog_model.yaml": "type: string"}))
    parts = {"schemas": {"Dog": {"type": "string"}}}
    document = root({"$ref": "parts.yaml#/schemas/Dog"}, components={"$ref": "parts.yaml"})
    divided = bundle(write({"openapi.yaml": document, "parts.yaml": parts}))

    both = (found, divided)
    assert [components(each) for each in both] == [{"Dog": {"type": "string"}}] * 2
    assert [schema_of(each) for each in both] == [{"$ref": "#/components/schemas/Dog"}] * 2


def test_a_part_that_the_document_names_is_known_by_this_name(write: Write) -> None:
    dog = "$defs: {C: {type: string}}\nproperties: {c: {$ref: '#/$defs/C'}}"
    document = root({"$ref": "Dog.yaml"}, components={"schemas": {"Cat": {"$ref": "Dog.yaml#/$defs/C"}}})
    found = components(bundle(write({"openapi.yaml": document, "Dog.yaml": dog})))

    assert found["Dog"]["properties"]["c"] == {"$ref": "#/components/schemas/Cat"}


def test_different_components_of_one_name_get_names_that_do_not_depend_on_others(write: Write) -> None:
    """On further ones, that is: a comparison finds the same again."""
    kinds = ("dogs", "cats", "cows")

    def names(*of: str) -> dict[str, str]:
        document = root({"anyOf": [{"$ref": f"all/{kind}/item.yml"} for kind in of]})
        files = {f"all/{kind}/item.yml": {"title": kind} for kind in kinds}
        found = bundle(write({"openapi.yaml": document, **files}))
        return {schema["title"]: name for name, schema in components(found).items()}

    assert names("dogs") == {"dogs": "item"}
    assert names("dogs", "cats") == {"dogs": "all_dogs_item", "cats": "all_cats_item"}
    assert names("cows", "cats", "dogs") == {kind: f"all_{kind}_item" for kind in kinds}


def test_different_components_of_one_name_can_be_an_error(write: Write) -> None:
    document = root({"anyOf": [{"$ref": "a/A.yaml"}, {"$ref": "b/A.yaml"}]})
    file = write({"openapi.yaml": document, "a/A.yaml": "type: object", "b/A.yaml": "type: string"})

    assert "two different components are named schemas/A" in fault(lambda: bundle(file, rename=False))[2]


def test_a_name_of_the_document_is_nobody_elses(write: Write) -> None:
    """A component in a file of the same name gets another one; names that nobody can have do, too."""
    document = root(
        {"anyOf": [{"$ref": "A.yaml"}, {"$ref": "b c.yaml"}]}, components={"schemas": {"A": {"title": "root"}}}
    )
    found = bundle(write({"sub/openapi.yaml": document, "sub/A.yaml": "title: file", "sub/b c.yaml": "title: space"}))

    assert {name: schema["title"] for name, schema in components(found).items()} == {
        "A": "root", "A_": "file", "b_c": "space"
    }  # fmt: skip


def test_discriminators_map_to_components(write: Write) -> None:
    mapping = {"dog": "Dog.yaml", "cat": "./Cat.yaml", "cow": "#/$defs/Cow", "owl": "Owl", "fox": "Fox"}
    union = {"discriminator": {"propertyName": "kind", "mapping": mapping}, "$defs": {"Cow": {"title": "cow"}}}
    document = root({"$ref": "Pet.yaml"}, components={"schemas": {"Owl": {"title": "owl"}}})
    pets = {f"{name}.yaml": {"title": name} for name in ("Dog", "Cat")}

    found = components(bundle(write({"openapi.yaml": document, "Pet.yaml": union, **pets})))

    assert found["Pet"]["discriminator"]["mapping"] == {
        "dog": "#/components/schemas/Dog",
        "cat": "#/components/schemas/Cat",
        "cow": "#/components/schemas/Pet/$defs/Cow",
        "owl": "Owl",
        "fox": "Fox",
    }


def test_names_of_schemas_that_only_references_need_are_left_out(write: Write) -> None:
    """Local `$dynamicRef` stays as it is."""
    tree = {"$id": "https://a.test/tree", "$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}
    found = components(bundle(write({"openapi.yaml": root({"$ref": "tree.json"}), "tree.json": tree})))

    assert found == {"tree": {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}}}


NOWHERE = {
    "a missing file": ("Thing.yaml", "Thing.yaml` names no file: .*Thing.yaml cannot be read: No such file"),
    "a folder": ("parts", "parts cannot be read: Is a directory"),
    "a URL": (
        "https://me:secret@a.example.com/b.yaml?token=secret",
        "https://a.example.com/b.yaml cannot be read: it is a URL",
    ),
    "a component that is not there": ("#/components/schemas/Absent", "Absent` names nothing in .*openapi.yaml"),
    "a part of a file that is not there": ("parts/A.yaml#/properties/b", "names nothing in .*parts/A.yaml"),
    "an anchor that is not there": ("parts/A.yaml#b", "names nothing in .*parts/A.yaml"),
    "a part of a text": ("parts/A.yaml#/type/a", "names nothing"),
    "an index that is not there": ("parts/A.yaml#/required/7", "names nothing"),
    "what is not an address": ("http://[::1", "names nothing"),
    "itself": ("#/components/schemas/Self", "leads back to itself"),
    "a circle of files": ("parts/B.yaml", "leads back to itself"),
    "a part of a circle": ("#/components/schemas/Self/a", "names nothing"),
}


@pytest.mark.parametrize("name", NOWHERE)
def test_a_reference_that_leads_nowhere_is_named_with_its_line(write: Write, name: str) -> None:
    reference, fact = NOWHERE[name]
    circle = {"schemas": {"Self": {"$ref": "#/components/schemas/Self"}}}
    parts = {"A": "type: object\nrequired: [a]", "B": "$ref: C.yaml", "C": "$ref: B.yaml"}
    files = {f"parts/{part}.yaml": text for part, text in parts.items()}
    file = write({"openapi.yaml": root({"$ref": reference}, components=circle), **files})

    found = fault(lambda: bundle(file))

    assert found[0] == "openapi.yaml"
    assert re.search(fact, found[2])
    assert "secret" not in found[2]


@pytest.mark.parametrize("depth", [30, 45])
def test_files_in_place_can_be_in_each_other_however_deep(write: Write, depth: int) -> None:
    """Or are an error, never more."""
    text = "[" * 100 + "{$ref: %s.yaml}" + "]" * 100
    files = {f"{number}.yaml": text % (number + 1) for number in range(depth)}
    file = write({"openapi.yaml": "paths: {}\ninfo: {$ref: 0.yaml}", **files, f"{depth}.yaml": "a: 1"})

    assert fault(lambda: bundle(file))[2] == "the files are too deep in each other: write components"


def test_what_is_put_in_place_within_itself_is_an_error(write: Write) -> None:
    file = write({"openapi.yaml": {"openapi": "3.1.0", "paths": {"$ref": "paths.yaml"}, "info": {"$ref": "info.yaml"}},
                  "paths.yaml": {}, "info.yaml": "a:\n  b: {$ref: info.yaml}"})  # fmt: skip

    assert fault(lambda: bundle(file))[:2] == ("info.yaml", 2)


@pytest.mark.parametrize(
    ("document", "fact"),
    [
        ("[]", "not an OpenAPI document"),
        ("{openapi: 3.1.0}", "not an OpenAPI document"),
        ("paths:", "`paths` is not a mapping"),
        ("{swagger: '2.0', paths: {}}", "Swagger 2.0"),
    ],
)
def test_a_file_that_is_no_document_is_named(write: Write, document: str, fact: str) -> None:
    found = fault(lambda: bundle(write({"openapi.yaml": document})))

    assert found[:2] == ("openapi.yaml", 1)
    assert fact in found[2]


@pytest.mark.parametrize("key", ["webhooks", "components"])
def test_a_document_needs_no_paths(write: Write, key: str) -> None:
    document = {"openapi": "3.1.0", key: {}}

    assert bundle(write({"openapi.yaml": document})).document == document


def test_a_section_of_components_can_be_empty(write: Write) -> None:
    empty = root({"$ref": "A.yaml"}, components={"schemas": None})
    assert components(bundle(write({"openapi.yaml": empty, "A.yaml": {}}))) == {"A": {}}


def test_faults_of_the_bundle_are_located_in_its_files(write: Write) -> None:
    """By the keys that lead to the part, or as far as they lead."""
    document = root({"$ref": "schemas/A.yaml"})
    found = bundle(
        write({"openapi.yaml": document, "schemas/A.yaml": "\ntype: object\nproperties:\n  a:\n    type: b"})
    )

    lines = {
        ("components", "schemas", "A"): ("A.yaml", 2),
        ("components", "schemas", "A", "properties", "a", "type", "x"): ("A.yaml", 5),
        ("paths", "/a", "get"): ("openapi.yaml", 1),
        ("nothing",): ("openapi.yaml", 1),
    }
    places = {path: found.location(path) for path in lines}
    assert {path: (Path(place.place).name, place.line) for path, place in places.items()} == lines
    assert fault(lambda: raised(found.error(("components", "schemas", "A"), "Wrong.")))[1:] == (2, "Wrong.")


def raised(error: Exception) -> None:
    raise error


def test_urls_are_read_by_the_function_that_is_given() -> None:
    """From one that is relative to it, without secrets in what is said; files of this machine are not read for it."""
    pages = {
        "https://me:secret@a.example.com/api/openapi.json?token=secret": json.dumps(
            root({"$ref": "../Dog.json#/D"})
        ).encode(),
        "https://me:secret@a.example.com/Dog.json": b'{"D": {"$ref": "file:///etc/passwd"}}',
    }

    def read(place: str) -> bytes:
        if place not in pages:
            raise OSError("not found")
        return pages[place]

    with pytest.raises(DocumentError) as caught:
        bundle(next(iter(pages)), read)

    assert str(caught.value).startswith("https://a.example.com/Dog.json:1: `$ref: file:///etc/passwd` names no file: ")
    assert "cannot refer to files of this machine" in str(caught.value)
    pages["https://me:secret@a.example.com/Dog.json"] = b'{"D": {"type": "string"}}'
    assert components(bundle(next(iter(pages)), read)) == {"D": {"type": "string"}}


@pytest.mark.parametrize(
    "place",
    ["https://me:secret@a.example.com/b?secret", "https://a.test/b#secret", "https://me:se/secret@a.example.com/b"],
)
def test_secrets_of_urls_are_not_shown(place: str) -> None:
    assert "secret" not in shown(place)


def test_a_fact_is_one_line_also_about_a_text_of_several(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/b\n\u2028c"}}}))

    with pytest.raises(DocumentError) as caught:
        bundle(file)
    assert len(str(caught.value).splitlines()) == 1
