"""The adapter gives the templates dataclasses of our own, and is the only one that knows the generator."""

import copy
import re
from importlib.metadata import version
from pathlib import Path

import pytest

from adapter import parse
from bundle import bundle
from parsed import ClientError, Literals, Parameter, Value

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "scripts/openapi-python-client.yaml"
TEXT = Value("scalar", "str")
NULL = Value("null", "None")


def document(properties=None, **operation):
    """A document of one operation, whose body has the properties."""
    body = {"type": "object", "properties": properties or {"name": {"type": "string"}}, "required": ["name"]}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}
    call = {
        "operationId": "createOrder",
        "tags": ["orders"],
        "summary": "Create an order",
        "description": "Creates it.",
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "Created.", "content": content}},
        **operation,
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "paths": {"/orders/{order-id}": {"post": call}},
        "components": {"schemas": {"Order": body}},
    }


def parsed(properties=None, **operation):
    parameter = {"name": "order-id", "in": "path", "required": True, "schema": {"type": "string"}}
    return parse(document(properties, **{"parameters": [parameter], **operation}), SETTINGS)


def test_the_adapter_is_the_only_module_that_imports_the_generator():
    users = [
        file.name
        for file in (ROOT / "scripts").rglob("*.py")
        if re.search(r"^\s*(import|from) openapi_python_client", file.read_text(), re.MULTILINE)
    ]

    assert users == ["adapter.py"]


def test_the_generator_is_pinned_exactly():
    assert f'"openapi-python-client=={version("openapi-python-client")}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, TEXT),
        ({"type": "string", "format": "date-time"}, TEXT),
        ({"type": ["string", "null"]}, Value("union", parts=(TEXT, NULL))),
        ({"type": "integer", "default": 3}, Value("scalar", "int")),
        ({"type": "array", "items": {"type": "boolean"}}, Value("list", parts=(Value("scalar", "bool"),))),
        ({"$ref": "#/components/schemas/Order"}, Value("object", "Order")),
        ({"type": "object", "additionalProperties": {"type": "string"}}, Value("map", "OrderX", (TEXT,))),
        ({"enum": ["b", "a"]}, Value("literal", "OrderX")),
        ({}, Value("any", "Any")),
    ],
)
def test_every_kind_of_schema_has_a_value(schema, value):
    (order, *_) = parsed({"name": {"type": "string"}, "x": schema}).models

    assert {field.name: field.value for field in order.fields} == {"name": TEXT, "x": value}


def test_a_field_has_the_text_beside_a_reference_and_the_one_behind_it():
    source = document({"name": {"$ref": "#/components/schemas/Name", "description": "Name of the order."}})
    source["components"]["schemas"]["Name"] = {"type": "string", "description": "Letters only."}
    source["paths"] = {"/orders": source["paths"].popitem()[1]}

    (order,) = parse(source, SETTINGS).models
    assert [field.text for field in order.fields] == ["Name of the order. Letters only."]


def test_an_enumeration_has_its_values_sorted():
    assert parsed({"name": {"enum": ["b", "a"]}}).literals == (Literals("OrderName", "order_name", ("a", "b")),)


def test_an_operation_has_its_parameters_body_and_successes():
    (operation,) = parsed().operations

    assert (operation.name, operation.tag, operation.method) == ("create_order", "orders", "post")
    assert (operation.path, operation.url) == ("/orders/{order-id}", "/orders/{order_id}")
    assert operation.parameters == (Parameter("order-id", "order_id", "path", TEXT, is_required=True),)
    assert (operation.body, operation.is_body_required) == (Value("object", "Order"), True)
    assert [(s.low, s.high, s.value) for s in operation.successes] == [(200, 200, Value("object", "Order"))]


def test_the_document_is_left_as_it_was():
    source = bundle(ROOT / "openapi/iam/openapi.yaml").document
    before = copy.deepcopy(source)
    parse(source, SETTINGS)

    assert source == before


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"parameters": [{"name": "c", "in": "cookie", "schema": {"type": "string"}}]}, "cookies are not supported"),
        ({"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}}}, "content type text/plain"),
    ],
)
def test_what_the_client_cannot_express_is_rejected_with_its_place(change, fact):
    source = document(**change)
    source["paths"] = {"/orders": source["paths"].popitem()[1]}

    with pytest.raises(ClientError, match=fact) as caught:
        parse(source, SETTINGS)
    assert caught.value.facts[0][0][:2] == ["paths", "/orders"]


def test_examples_do_not_matter():
    """No type and no name of the client comes from an example."""

    def without(node, named=False):
        if isinstance(node, list):
            return [without(item) for item in node]
        if not isinstance(node, dict):
            return node
        kept = {key: value for key, value in node.items() if named or key not in ("example", "examples")}
        return {key: without(value, key == "properties") for key, value in kept.items()}

    written = bundle(ROOT / "openapi/v2/openapi.yaml").document
    one, other = parse(written, SETTINGS), parse(without(written), SETTINGS)

    assert len(str(without(written))) < len(str(written))
    assert (one.models, one.literals) == (other.models, other.literals)
