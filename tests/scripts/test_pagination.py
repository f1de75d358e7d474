"""The iterators that `x-pagination` makes, and the mistakes in it that are rejected."""

import shutil
from pathlib import Path

import pytest
import yaml

from generate import Document, build
from modelarts_documents.files import DocumentError

DATA = Path(__file__).resolve().parents[1] / "data/openapi"
SEARCH = """
operationId: findOrders
tags: [orders]
summary: Find orders
description: Finds orders.
x-pagination:
  {in: body, limit: size, position: from, counts: pages, setting: offset_unit, first: 1,
   items: found.orders, total: found.count, id: first.name}
requestBody:
  content:
    application/json:
      schema: {type: object, title: FindOrdersRequest, properties: {size: {type: integer}, from: {type: integer}}}
responses:
  "200":
    description: A page.
    content:
      application/json:
        schema:
          type: object
          title: OrderList
          properties:
            found:
              type: [object, "null"]
              properties:
                orders: {type: [array, "null"], items: {$ref: ../schemas/Order.yaml}}
                count: {type: integer}
"""


def make(folder, change=lambda operation: None):
    """The package of the tag after a search with pages has been added to the shop, with a change."""
    shutil.copytree(DATA, folder / "openapi")
    operation = yaml.safe_load(SEARCH)
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
        ({"items": "found.orders.x"}, "a step on its way is not one object"),
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
