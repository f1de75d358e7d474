"""An invalid document is found out before anything is made of it."""

import pytest

from validity import faults


def document(**members):
    operation = {"operationId": "show", "responses": {"200": {"description": "It."}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "paths": {"/a": {"get": operation}},
    } | members


def test_a_valid_document_has_no_faults():
    assert list(faults(document())) == []


def test_an_invalid_schema_is_named_with_its_place():
    wrong = document(components={"schemas": {"Order": {"properties": {"count": {"type": "intger"}}}}})

    [(path, fact)] = faults(wrong)

    assert path == ["components", "schemas", "Order", "properties", "count", "type"]
    assert fact.startswith('Order is no JSON Schema: "intger" is not')


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (
            lambda operation: operation["responses"]["200"].pop("description"),
            ["paths", "/a", "get", "responses", "200"],
        ),
        (lambda operation: operation.update(operationId=3), ["paths", "/a", "get", "operationId"]),
    ],
)
def test_what_openapi_does_not_allow_is_named_with_its_place(spoil, place):
    wrong = document()
    spoil(wrong["paths"]["/a"]["get"])

    assert [path for path, _ in faults(wrong)] == [place]


def test_a_parameter_that_the_path_has_not_is_named_with_its_operation():
    wrong = document()
    wrong["paths"]["/a/{id}"] = {"get": {"operationId": "other", "responses": {"200": {"description": "It."}}}}

    [(path, fact)] = faults(wrong)

    assert path == ["paths", "/a/{id}", "get"]
    assert "id" in fact


MISSPELT = [
    ({"propertys": {}}, 'unknown keyword "propertys" in a schema; did you mean "properties"?'),
    ({"type": "string", "format": "datetimes"}, 'unknown format "datetimes"; did you mean "date-time"?'),
    ({"type": "string", "colour": "red"}, 'unknown keyword "colour" in a schema'),
]


@pytest.mark.parametrize(("schema", "fact"), MISSPELT)
@pytest.mark.parametrize(
    "path",
    [
        ["components", "schemas", "Order"],
        ["components", "schemas", "Order", "properties", "first"],
        ["components", "schemas", "Order", "anyOf", "0", "items"],
        ["paths", "/a", "get", "parameters", "0", "schema"],
        ["paths", "/a", "get", "responses", "200", "content", "application/json", "schema", "additionalProperties"],
    ],
    ids="/".join,
)
def test_a_misspelt_keyword_or_format_is_named_with_its_place(path, schema, fact):
    """Neither JSON Schema nor OpenAPI forbids it, and the client would silently lack what it says."""
    wrong = document()
    node = wrong
    for key, following in zip(path, [*path[1:], None], strict=True):
        inner = schema if following is None else [] if following == "0" else {}
        if isinstance(node, list):
            node.append(inner)
            node = node[-1]
        else:
            node = node.setdefault(key, inner)

    assert [(found, text) for found, text in faults(wrong) if "unknown" in text] == [(path, fact)]


def test_words_of_our_own_and_names_of_members_are_free():
    order = {"type": "object", "x-source": "page", "properties": {"propertys": {"type": "string"}, "format": {}}}

    assert list(faults(document(components={"schemas": {"Order": order}}))) == []


def test_an_operation_without_responses_is_named():
    wrong = document()
    wrong["paths"]["/a"]["get"]["responses"] = {}

    assert list(faults(wrong)) == [(["paths", "/a", "get"], "show has no responses: describe at least its success")]


def test_a_tag_that_is_not_declared_is_named():
    wrong = document(tags=[{"name": "orders"}])
    wrong["paths"]["/a"]["get"]["tags"] = ["order"]

    assert list(faults(wrong)) == [
        (["paths", "/a", "get"], 'show has the unknown tag "order": declare it under `tags`; did you mean "orders"?')
    ]
