"""Any document becomes a client that loses nothing, or is rejected with a file, a line and a reason."""

import json
import re
import sys
from typing import get_args, get_type_hints, is_typeddict
from urllib.parse import quote, unquote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scripts.any_document import (
    CAT,
    DOG,
    PET,
    ROOT,
    accepted,
    client_of,
    documents,
    near,
    small_document,
    sources,
)

from adapter import parse
from bundle import bundle
from modelarts_documents.schema import json_schema, operations, resolve
from modelarts_runtime.client import Client
from modelarts_runtime.errors import ApiError
from modelarts_runtime.model import Model
from modelarts_runtime.responses import is_rejection
from modelarts_runtime.types import plain

SOURCES = sources()
SETTINGS = ROOT / "scripts/openapi-python-client.yaml"
TEXT = {"type": "string"}
JSON = "application/json"
BOTH = [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]
OPEN = [{"type": "object", "properties": {"kind": TEXT, name: TEXT}} for name in ("cat", "dog")]

SHARED = [{**each, "properties": {**each["properties"], "kind": {"enum": ["cat", "dog"]}}} for each in (CAT, DOG)]


@pytest.fixture
def made(tmp_path):
    """What a document becomes; all packages have names of their own, and are forgotten."""
    before = sys.path[:], set(sys.modules)

    def make(document):
        folder = tmp_path / f"made_{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return client_of(document, folder, f"{folder.name}_{id(made)}")

    yield make
    sys.path[:] = before[0]
    for name in set(sys.modules) - before[1]:
        if name.startswith("made_"):
            del sys.modules[name]


def document_of(schema, **schemas):
    """A document whose only response has the schema."""
    document = small_document()
    document["components"]["schemas"] |= {"Whole": schema, **schemas}
    answer = {
        "200": {"description": "d", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Whole"}}}}
    }
    document["paths"]["/whole"] = {"get": {"operationId": "showWhole", "tags": ["pets"], "responses": answer}}
    return document


def requested(function, **arguments):
    """The request that arrives; the service rejects it."""
    arrived = []

    def handler(request):
        arrived.append(request)
        return httpx.Response(400)

    client = Client("http://service.test", httpx_args={"transport": httpx.MockTransport(handler)})
    with client, pytest.raises(ApiError):
        function(client=client, **arguments)
    return arrived[0]


def call(package, operation, *arguments, status=200, **response):
    """The request that arrives, and what the method gives."""
    arrived = []

    def handler(request):
        arrived.append(request)
        return httpx.Response(status, **response)

    with Client("http://service.test", httpx_args={"transport": httpx.MockTransport(handler)}) as client:
        result = getattr(package.Api(client).pets, operation)(*arguments)
    return arrived[0], result


DISTINGUISHED = {
    "by const and enum": ({"oneOf": [CAT, DOG]}, {}),
    "by the names of a discriminator": (
        {"oneOf": BOTH, "discriminator": {"propertyName": "kind"}}, {"Cat": OPEN[0], "Dog": OPEN[1]},
    ),
    "by the mapping of a discriminator": (
        {
            "anyOf": [*BOTH, {"type": "null"}],
            "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}},
        },
        {"Cat": OPEN[0], "Dog": OPEN[1]},
    ),
}  # fmt: skip
HOLDERS = {
    "whole": (PET, lambda value: value, lambda result: result),
    "list": ({"type": "array", "items": PET}, lambda value: [value], lambda result: result[0]),
    "map": ({"type": "object", "additionalProperties": PET}, lambda value: {"a": value}, lambda result: result["a"]),
    "field": ({"type": "object", "properties": {"a": PET}}, lambda value: {"a": value}, lambda result: result.a),
    "lists in a field": (
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "array", "items": PET}}}},
        lambda value: {"a": [[value]]}, lambda result: result.a[0][0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("by", DISTINGUISHED)
@pytest.mark.parametrize("holder", HOLDERS)
def test_a_union_of_objects_becomes_the_right_class_and_an_unknown_one_stays_as_it_came(made, by, holder):
    union, schemas = DISTINGUISHED[by]
    schema, put, take = HOLDERS[holder]
    package = made(document_of(schema, Pet=union, **schemas))
    assert not isinstance(package, str), package
    names = ("Cat", "Dog") if "names" in by else ("cat", "dog")

    for kind in (*names, "bird", None, ["cat"]):
        sent = put({"kind": kind, "owner": {"kind": "cat"}, "x": 1})
        _, result = call(package, "show_whole", json=sent)
        value = take(result)
        assert isinstance(value, Model) == (kind in names), sent
        assert not isinstance(value, Model) or "const" in by or type(value).__name__.lower() == str(kind).lower(), sent
        assert plain(result) == sent, sent


def test_a_union_is_sent_as_a_dict_of_any_of_its_classes(made):
    package = made(small_document())
    body = get_type_hints(package.Api(Client("http://x")).pets.make_pet)["body"]
    request, result = call(package, "make_pet", {"kind": "dog"}, json={"kind": "dog"})

    assert {each.__name__ for each in get_args(body)} == {"CatDict", "DogDict"}
    assert (request.content, type(result).__name__) == (b'{"kind":"dog"}', "Dog")


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize(
    ("union", "fact"),
    [
        ({"oneOf": OPEN}, "cannot distinguish: require a property in each"),
        ({"oneOf": [CAT, {"type": "object"}]}, "cannot distinguish"),
        ({"oneOf": SHARED}, "cannot distinguish"),
        ({"anyOf": [{"type": "array", "items": CAT}, {"type": "array", "items": DOG}]}, "several lists of objects"),
        ({"oneOf": BOTH, "properties": {"a": TEXT}}, "`oneOf` beside `properties`"),
        ({"$ref": "#/components/schemas/Cat", "properties": {"a": TEXT}}, "`properties` beside `\\$ref`"),
        ({"$ref": "#/components/schemas/Cat/properties/kind"}, "is not a component: move the schema"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "a part of an `allOf` that is not an object"),
        ({"enum": [True, False]}, "the values of an `enum` are texts, or whole numbers"),
        ({"enum": [0.5]}, "the values of an `enum` are texts, or whole numbers"),
        ({"enum": []}, "the values of an `enum` are texts, or whole numbers, and at least one"),
        ({"$ref": "#/components/schemas/Pet"}, "leads back to itself"),
        ({"allOf": [PET, {"properties": {"a": TEXT}}]}, "Pet is put together of itself"),
        ({"oneOf": [{"oneOf": [PET, BOTH[0]]}, BOTH[1]]}, "Pet is put together of itself"),
        ({"type": "object", "properties": {"!": TEXT, "?": TEXT}}, "have the same python_name"),
        ({"$ref": "#/components/schemas/Pets"}, "names nothing in"),
        ({"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Pet"}}, "a map that holds itself"),
        ({"type": "string", "pattern": "(?i)a"}, "is not a regular expression of ECMA-262"),
        ({"type": "object", "properties": {"a": {"x-time-unit": "s", "x-time-name": "a b", "type": "integer"}}},
         "`x-time-name` is the name of an attribute"),
        ({"x-known-values": 1}, '`x-known-values`: 1 is not of type "array"'),
        ({"x-view": "View"}, '`x-view`: "View" is not one of'),
        ({"type": "object", "properties": {"a": {"type": "integer", "x-usual-type": ["integer"]}}}, "`x-usual-type`: "),
        ({"allOf": 1}, 'no JSON Schema: 1 is not of type "array"'),
        ({"type": "object", "title": "Any", "properties": {"a": TEXT}}, "`Any` has a meaning in the generated code"),
    ],
)  # fmt: skip
def test_what_no_class_can_express_is_rejected_wherever_it_stands(made, union, fact, holder):
    rejection = made(document_of(HOLDERS[holder][0], Pet=union))

    assert isinstance(rejection, str)
    assert re.search(fact, rejection)
    assert all(re.match(r"\S+\.json:\d+: [^<]+$", line) for line in rejection.splitlines()), rejection


@pytest.mark.parametrize(
    ("keys", "fact"),
    [
        ({"parameters": [{"name": "q", "in": "query", "content": {JSON: {"schema": CAT}}}]}, "has `content`"),
        ({"parameters": [{"name": "make_pet", "in": "query", "schema": TEXT}]}, "needs another name"),
        ({"parameters": [{"name": "q", "in": "query", "schema": {"type": "array", "items": CAT}}]}, "list of objects"),
        ({"operationId": "show-pet", "tags": ["pets"]}, "two operations become one name, `pets.show_pet`"),
        ({"operationId": "models"}, "`pets.models` has a meaning"),
        ({"responses": {"200": {"description": "d", "content": {"application/pdf": {}}}}}, "not bytes"),
        ({"requestBody": {"content": {"text/plain": {"schema": TEXT}}}}, "a body is JSON"),
        ({"operationId": ["a"]}, 'is not of type "string"'),
        ({"x-pages": ["a"]}, "`x-pages` and `x-page-addresses` have a text for each cloud"),
        ({"x-pages": {"otc": 1}}, "have a text for each cloud"),
        ({"x-pagination": {"items": 1}}, '`x-pagination`: 1 is not of type "string"'),
        ({"summary": "\ud800"}, "half of a character|invalid Unicode character"),
    ],
)  # fmt: skip
def test_what_no_call_can_express_is_rejected_at_its_operation(made, keys, fact):
    document = small_document()
    document["paths"]["/pets"]["post"] |= keys
    rejection = made(document)

    assert isinstance(rejection, str)
    assert re.search(fact, rejection)


@pytest.mark.parametrize("path", ["/pets/{pet}", "/pets/{a.b}", "/{größe}", '/"q"/{1}', "/a\\b/{class}"])
def test_a_path_is_sent_as_it_is_written_with_booleans_as_in_json(made, path):
    document = small_document()
    item = document["paths"].pop("/pets/{id}")
    item["get"]["parameters"] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "boolean"}}
        for name in re.findall(r"{([^{}]+)}", path)
    ]
    package = made({**document, "paths": {path: item}})
    assert not isinstance(package, str), package
    request, _ = call(package, "show_pet", *[True] * len(item["get"]["parameters"]), json={})

    assert request.url.path == re.sub(r"{[^{}]+}", "true", path)


@pytest.mark.parametrize(
    "media", ["application/merge-patch+json", "application/vnd.x.v2+json", f"{JSON}; charset=utf-8"]
)
def test_a_body_is_sent_with_the_documented_media_type(made, media):
    document = small_document()
    document["paths"]["/pets"]["post"]["requestBody"]["content"] = {media: {"schema": PET}}
    request, _ = call(made(document), "make_pet", {"kind": "cat"}, json={"kind": "cat"})

    assert (request.headers["Content-Type"], request.content) == (media, b'{"kind":"cat"}')


def test_a_document_of_3_0_becomes_the_client_that_its_words_mean(made):
    document = small_document()
    lives = {"type": "integer", "nullable": True, "minimum": 0, "exclusiveMinimum": True, "example": 9}
    document["components"]["schemas"]["Cat"]["properties"]["lives"] = lives
    package = made({**document, "openapi": "3.0.3"})
    assert not isinstance(package, str), package

    assert get_args(get_type_hints(package.models.CatDict)["lives"]) == (int, type(None))


def test_a_list_of_objects_can_be_a_body(made):
    document = small_document()
    content = {JSON: {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Cat"}}}}
    document["paths"]["/pets"]["post"]["requestBody"] = {"required": True, "content": content}
    package = made(document)
    request, _ = call(package, "make_pet", [{"kind": "cat"}], json={"kind": "cat"})

    assert request.content == b'[{"kind":"cat"}]'
    assert "CatDict" in str(get_type_hints(package.Api(Client("http://x")).pets.make_pet)["body"])


def test_a_null_body_is_sent(made):
    document = small_document()
    document["components"]["schemas"]["Pet"]["oneOf"].append({"type": "null"})
    request = requested(sys.modules[f"{made(document).__name__}.api.pets.make_pet"].sync, body=None)

    assert (request.headers["Content-Type"], request.content) == (JSON, b"null")


@pytest.mark.parametrize(
    "name", ["example", "examples", "$ref", "properties", "items", 'a"b', "größe", "class", "_x", "1"]
)
def test_a_property_may_have_any_name(made, name):
    document = small_document()
    document["components"]["schemas"]["Cat"] = {
        **CAT,
        "properties": {**CAT["properties"], name: {"$ref": "#/components/schemas/Dog"}},
    }
    package = made(document)
    assert not isinstance(package, str), package
    body = {"kind": "cat", name: {"kind": "dog", "x": 1}}
    _, result = call(package, "make_pet", body, json=body)

    assert plain(result) == body
    assert "DogDict" in str(get_type_hints(package.models.CatDict)[name])


@pytest.mark.parametrize("name", ["_x", "1thing", "class", "größe"])
def test_an_operation_may_have_any_name_and_a_document_no_object(made, name):
    operation = {"operationId": name, "tags": ["pets"], "responses": {"204": {"description": "gone"}}}
    text = {"200": {"description": "d", "content": {"text/plain": {"schema": TEXT}}}}
    item = {"delete": operation, "get": {**operation, "operationId": "showText", "responses": text}}
    item["head"] = {**operation, "operationId": "lookAt", "responses": {"200": {"description": "d", "content": {}}}}
    document = {**small_document(), "paths": {"/t": item}}
    del document["components"]
    package = made(document)
    assert not isinstance(package, str), package

    assert call(package, "show_text", text="a")[1] == "a"
    assert call(package, "look_at")[0].method == "HEAD"


@pytest.mark.parametrize("keys", [{"paths": {}}, {"paths": {"/pets": {}}}, {"paths": {}, "components": {}}])
def test_a_document_without_operations_becomes_a_client_without_methods(made, keys):
    package = made(small_document() | keys)

    assert not isinstance(package, str), package
    assert ("Cat" in package.models.__all__) == ("components" not in keys)
    assert package.Api(Client("http://x"))


@pytest.mark.parametrize("way", [lambda secret: secret, lambda secret: {"anyOf": [secret, {"type": "null"}]}])
def test_a_password_is_not_shown_wherever_its_schema_stands(made, way):
    document = small_document()
    document["components"]["schemas"]["Secret"] = {"type": "string", "format": "password"}
    document["components"]["schemas"]["Cat"]["properties"]["key"] = way({"$ref": "#/components/schemas/Secret"})
    cat = made(document).models.Cat.from_dict({"kind": "cat", "key": "hidden"})

    assert (cat.key, "hidden" in repr(cat)) == ("hidden", False)


@pytest.mark.parametrize("text", ["a\0b", "a\\", 'a"', '"""', "a\x0b\nb\r"])
def test_a_text_may_have_any_characters(made, text):
    document = small_document()
    document["paths"]["/pets"]["post"] |= {"summary": text, "description": text}
    document["components"]["schemas"]["Cat"]["properties"]["lives"]["description"] = text
    package = made(document)

    assert not isinstance(package, str), package
    assert text[0] in package.Api(Client("http://x")).pets.make_pet.__doc__


def test_a_parameter_may_have_any_value(made):
    document = small_document()
    document["paths"]["/pets/{id}"]["get"]["parameters"][0]["schema"] = True

    assert call(made(document), "show_pet", "a/b", json={"kind": "cat"})[0].url.raw_path == b"/pets/a%2Fb"


def check(folder, document, data):
    """A rejection has a place in each line; a client gives back what came, and names no class that it does not have."""
    found = client_of(document, folder, f"made_{folder.name}")
    if isinstance(found, str):
        assert all(re.match(r"\S+:\d+: (?!.*object at 0x)", line) for line in found.splitlines()), found
        return
    for name in found.models.__all__:
        kind = getattr(found.models, name)
        if name.endswith("Dict") and is_typeddict(kind):
            assert get_type_hints(kind) is not None, kind
    modules = [module for name, module in sys.modules.items() if name.startswith(f"made_{folder.name}.api.api.")]
    for path, method, _, operation in operations(document):
        [module] = [each for each in modules if (each.__doc__ or "").endswith(f": `{method.upper()} {path}`.")]
        response = resolve(document, operation["responses"].get("200", {}))
        schema = json_schema(response)
        if schema is None or method == "head":
            continue
        value, request = data.draw(near(document, schema)), httpx.Request(method, "http://service.test")
        try:
            result = module._parse_response(httpx.Response(200, request=request, content=json.dumps(value).encode()))
        except ApiError:  # no object, or a rejection under a success status
            assert not isinstance(value, dict) or is_rejection(value), value
        else:
            assert json.dumps(plain(result), sort_keys=True) == json.dumps(value, sort_keys=True), value
    check_requests(bundle(folder / "openapi.json").document, found, data)


def entries(value):
    return value if isinstance(value, list) else [value]


def words(value):
    """A value as it is written in the query, a path or a header: a text for each entry of a list."""
    return [each if isinstance(each, str) else json.dumps(each) for each in entries(value)]


def can_stand(value, location):
    """Whether a parameter there can have the value, whatever the document says."""
    if any(each is None or isinstance(each, dict | list) for each in entries(value)):
        return False
    text = "".join(words(value))
    is_printable = text.isascii() and text.isprintable() and text == text.strip()
    return {"query": True, "path": text not in ("", ".", ".."), "header": is_printable}[location]


def bodies_of(document, operation, module, data):
    """Arguments for a body, dicts and models, each with what it is on the wire; none where the body may be absent."""
    if not operation.is_body_required:
        yield {}, None
    if operation.body:
        kinds = get_type_hints(module._get_kwargs)["body"]
        kinds = [each for each in (get_args(kinds) or [kinds]) if isinstance(each, type) and issubclass(each, Model)]
        for value in accepted(document, json_schema(resolve(document, operation.written["requestBody"])), data):
            models = [kind.from_dict(value) for kind in kinds] if isinstance(value, dict) else []
            yield from (({"body": body}, json.dumps(value, sort_keys=True)) for body in (value, *models))


def check_requests(document, package, data):
    """What the schemas of a request accept arrives as it is."""
    for operation in parse(document, SETTINGS).operations:
        module = sys.modules[f"{package.__name__}.api.{operation.tag}.{operation.name}"]
        given = {}
        for each in operation.parameters:
            location = "header" if each.is_header_too else each.location
            values = [value for value in accepted(document, each.written["schema"], data) if can_stand(value, location)]
            if values and (each.is_required or data.draw(st.booleans())):
                given[each.python_name] = values[0]
        if any(each.is_required and each.python_name not in given for each in operation.parameters):
            continue
        path = operation.path
        for each in (each for each in operation.parameters if each.location == "path"):
            path = path.replace(f"{{{each.name}}}", quote(words(given[each.python_name])[0], safe=""))
        for body, content in bodies_of(document, operation, module, data):
            request = requested(module.sync, **given, **body)
            sent = json.dumps(json.loads(request.content), sort_keys=True) if request.content else None
            assert (sent, unquote(request.url.raw_path.decode().partition("?")[0])) == (content, unquote(path)), (
                operation
            )
            for each in operation.parameters:
                expected = words(given[each.python_name]) if each.python_name in given else []
                if each.location == "query":
                    assert request.url.params.get_list(each.name) == expected, each
                if expected and (each.location == "header" or each.is_header_too):
                    assert request.headers[each.name] == expected[0], each


SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck))


def test_parameters_of_every_type_and_place_arrive_as_they_are(made):
    schemas = {kind: {"type": kind} for kind in ("boolean", "integer", "string")}
    lists = {f"{kind}s": {"type": "array", "items": schema} for kind, schema in schemas.items()}
    document = small_document()
    item = document["paths"].pop("/pets/{id}")
    item["get"]["parameters"] = [
        {"name": f"{location}-{kind}", "in": location, "required": location == "path", "schema": schema}
        for location, known in (("path", schemas), ("query", schemas | lists), ("header", schemas))
        for kind, schema in known.items()
    ]
    document["paths"]["/all/" + "/".join(f"{{path-{kind}}}" for kind in schemas)] = item
    package = made(document)
    assert not isinstance(package, str), package

    @settings(SLOW, max_examples=40, derandomize=True)
    @given(st.data())
    def arrive(data):
        check_requests(document, package, data)

    arrive()


@settings(SLOW, max_examples=15, derandomize=True)
@given(document=documents(SOURCES), data=st.data())
def test_a_changed_document_becomes_a_client_or_is_rejected_at_its_place(tmp_path_factory, document, data):
    check(tmp_path_factory.mktemp("any"), document, data)


@pytest.mark.soak
@settings(SLOW, max_examples=500)
@given(document=documents(SOURCES), data=st.data())
def test_many_changed_documents_become_clients_or_are_rejected_at_their_places(tmp_path_factory, document, data):
    check(tmp_path_factory.mktemp("any"), document, data)
