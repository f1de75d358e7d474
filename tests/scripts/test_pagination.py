"""The iterators that `x-pagination` makes, and the mistakes in it that are rejected."""

import shutil
from pathlib import Path

import pytest
import yaml

from bundle import DocumentError
from generate import Document, build
from validity import faults

DATA = Path(__file__).resolve().parents[1] / "data/openapi"
SEARCH = {
    "operationId": "findOrders",
    "tags": ["orders"],
    "summary": "Find orders",
    "description": "Finds orders.",
    "x-pagination": {
        "in": "body",
        "limit": "size",
        "position": "from",
        "counts": "pages",
        "setting": "offset_unit",
        "first": 1,
        "items": "found.orders",
        "total": "found.count",
        "id": "first.name",
    },
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "title": "FindOrdersRequest",
                    "properties": {"size": {"type": "integer"}, "from": {"type": "integer"}},
                }
            }
        },
    },
    "responses": {
        "200": {
            "description": "A page.",
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "title": "OrderList",
                        "properties": {
                            "found": {
                                "type": ["object", "null"],
                                "properties": {
                                    "orders": {"type": ["array", "null"], "items": {"$ref": "../schemas/Order.yaml"}},
                                    "count": {"type": "integer"},
                                },
                            }
                        },
                    }
                }
            },
        }
    },
}


def make(folder, change=lambda operation: None):
    """The package of the tag after a search with pages has been added to the shop, with a change."""
    shutil.copytree(DATA, folder / "openapi")
    operation = yaml.safe_load(yaml.safe_dump(SEARCH))
    change(operation)
    item = {"parameters": [{"$ref": "../parameters/ProjectId.yaml"}], "post": operation}
    (folder / "openapi/shop/paths/searches.yaml").write_text(yaml.safe_dump(item))
    document = folder / "openapi/shop/openapi.yaml"
    line = "  /shelf:\n"
    document.write_text(
        document.read_text().replace(line, f"  /shop/{{project_id}}/x:\n    $ref: paths/searches.yaml\n{line}")
    )
    (folder / "generated").mkdir()
    build(folder / "openapi", folder / "generated", [Document("shop", "The shop.")])
    return folder / "generated/modelarts_api/shop/api/orders"


def test_an_operation_with_pages_has_sync_and_async_iterators_named_after_its_records(tmp_path):
    package = make(tmp_path)

    text = (package / "__init__.py").read_text()
    assert text.count("def iter_orders(") == 2
    assert ") -> Iterator[models.Order]:" in text
    assert ") -> AsyncIterator[models.Order]:" in text
    assert "No record comes twice: `first.name` identifies it." in " ".join(text.split())
    constant = (package / "find_orders.py").read_text()
    assert 'items=("found", "orders"),' in constant
    assert 'total=("found", "count"),' in constant


def test_an_operation_without_pages_has_none(tmp_path):
    package = make(tmp_path, lambda operation: operation.pop("x-pagination"))

    assert "iter_" not in (package / "__init__.py").read_text()


def change(**members):
    """Replaces members of the extension; None removes one."""

    def apply(operation):
        pages = operation["x-pagination"] | {name.rstrip("_"): value for name, value in members.items()}
        operation["x-pagination"] = {name: value for name, value in pages.items() if value is not None}

    return apply


@pytest.mark.parametrize(
    ("members", "fact"),
    [
        ({"items": None, "colour": "red"}, "these members are missing or unknown: colour, items"),
        ({"in_": "path"}, "`in` is one of: query, body"),
        ({"counts": "bytes"}, "`counts` is one of: pages, records"),
        ({"setting": "page_unit"}, "`setting` is one of: offset_unit"),
        ({"limit": "sizes"}, "the body has no member `sizes`"),
        ({"in_": "query"}, "the query has no parameter `size`"),
        ({"items": "found.order"}, "`found.order` does not exist: it has no `order`"),
        ({"items": "found.count"}, "`found.count` is not a list"),
        ({"items": "found.orders.x"}, "a step on its way is not an object"),
        ({"total": "total"}, "`total` does not exist: it has no `total`"),
        ({"id": "first.id"}, "`first.id` does not exist: it has no `id`"),
        ({"first": "1"}, "`first` and `largest` are whole numbers"),
        ({"largest": True}, "`first` and `largest` are whole numbers"),
    ],
)
def test_an_extension_that_fits_nothing_is_rejected_by_the_operations_name(tmp_path, members, fact):
    with pytest.raises(DocumentError, match=rf"\.yaml:\d+: findOrders: x-pagination: {fact}"):
        make(tmp_path, change(**members))


def test_two_iterators_of_one_name_are_rejected(tmp_path):
    def twin(operation):
        document = tmp_path / "openapi/shop/paths/order.yaml"
        item = yaml.safe_load(document.read_text())
        item["post"] = {**operation, "operationId": "searchOrders"}
        document.write_text(yaml.safe_dump(item))

    with pytest.raises(DocumentError, match="an iterator of the same name: iter_orders"):
        make(tmp_path, twin)


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
