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


def test_a_schema_that_is_none_is_named_with_its_place():
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
