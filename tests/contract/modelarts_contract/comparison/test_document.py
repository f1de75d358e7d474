"""Names, routes, parameters, bodies, responses and security: each change is reported once, with its effect."""

import copy
import json
from pathlib import Path

import pytest

from modelarts_contract.comparison.change import ordered
from modelarts_contract.comparison.document import compare

SHOP = json.loads((Path(__file__).resolve().parents[3] / "data/diff/shop.json").read_text(encoding="utf-8"))


class Draft:
    """A copy of the shop's document in which a test changes things."""

    def __init__(self):
        self.document = copy.deepcopy(SHOP)
        self.paths = self.document["paths"]
        [self.path] = self.paths
        self.item = self.paths[self.path]
        self.operation = self.item["post"]
        self.parameters = self.operation["parameters"]
        self.responses = self.operation["responses"]
        self.schemas = self.document["components"]["schemas"]


@pytest.fixture
def draft():
    return Draft()


def differences(old, new):
    """The changes as lines, those that break marked, without mere texts."""
    found = ordered(compare("shop", old, new))
    return [f"{'! ' if change.breaking else ''}{change}" for change in found if change.reach != "text"]


def forth_and_back(draft):
    return differences(SHOP, draft.document), differences(draft.document, SHOP)


PAGES = {"in": "query", "limit": "limit", "position": "page", "counts": "pages", "first": 1, "items": "items"}


def test_an_iterator_may_come_but_not_go(draft):
    draft.operation["x-pagination"] = PAGES

    assert forth_and_back(draft) == (
        ["shop changeOrder iterator: new"],
        ["! shop changeOrder iterator: removed"],
    )


@pytest.mark.parametrize(("member", "value", "mark"), [("counts", "records", ""), ("items", "orders", "! ")])
def test_an_iterator_may_page_otherwise_but_gives_the_same(draft, member, value, mark):
    draft.operation["x-pagination"] = PAGES
    other = copy.deepcopy(draft.document)
    other["paths"][draft.path]["post"]["x-pagination"] = {**PAGES, member: value}

    assert differences(draft.document, other) == [f"{mark}shop changeOrder iterator: pages otherwise: {member}"]


def test_a_document_is_like_itself(draft):
    assert list(compare("shop", SHOP, draft.document)) == []


def test_a_removed_operation_breaks_and_a_new_one_does_not(draft):
    draft.item["delete"] = {"operationId": "deleteOrder", "responses": {"204": {"description": "Gone."}}}

    assert forth_and_back(draft) == (
        ["shop deleteOrder: new (DELETE /{shop_id}/orders/{order_id})"],
        ["! shop deleteOrder: removed (DELETE /{shop_id}/orders/{order_id})"],
    )


def test_a_renamed_operation_breaks_the_method_only(draft):
    draft.operation["operationId"] = "updateOrder"

    assert differences(SHOP, draft.document) == [
        "! shop changeOrder: operationId is updateOrder: the method's name changes, the wire does not"
    ]
    assert {change.reach for change in compare("shop", SHOP, draft.document) if change.breaking} == {"client"}


def test_another_tag_breaks_the_class_only(draft):
    draft.operation["tags"] = ["deals"]

    assert differences(SHOP, draft.document) == [
        "! shop changeOrder: tag orders -> deals: the method moves to another class, the wire stays"
    ]


def test_another_method_or_path_breaks(draft):
    draft.item["put"] = draft.item.pop("post")
    draft.paths["/{shop_id}/deals/{order_id}"] = draft.paths.pop(draft.path)

    assert differences(SHOP, draft.document) == [
        "! shop changeOrder: POST /{shop_id}/orders/{order_id} -> PUT /{shop_id}/deals/{order_id}"
    ]


def test_a_renamed_parameter_of_the_path_breaks_calls_by_keyword_only(draft):
    draft.paths["/{shop_id}/orders/{id}"] = draft.paths.pop(draft.path)
    draft.parameters[0]["name"] = "id"

    assert differences(SHOP, draft.document) == [
        "! shop changeOrder path order_id: named id now: calls by keyword break, the wire stays"
    ]


def test_an_optional_parameter_may_come_but_not_go(draft):
    draft.parameters.append({"name": "page", "in": "query", "schema": {"type": "integer"}})

    assert forth_and_back(draft) == (
        ["shop changeOrder query page: new"],
        ["! shop changeOrder query page: removed"],
    )


def test_a_mandatory_parameter_may_not_come(draft):
    draft.parameters.append({"name": "page", "in": "query", "required": True, "schema": {"type": "integer"}})

    assert differences(SHOP, draft.document) == ["! shop changeOrder query page: new and mandatory"]


def test_a_parameter_may_become_optional_but_not_mandatory(draft):
    draft.parameters[1]["required"] = True

    assert forth_and_back(draft) == (
        ["! shop changeOrder query limit: mandatory now"],
        ["shop changeOrder query limit: not mandatory any more"],
    )


def test_parameters_are_compared_as_requests(draft):
    draft.parameters[1]["schema"]["maximum"] = 8

    assert forth_and_back(draft) == (
        ["! shop changeOrder query limit: maximum 9 -> 8"],
        ["shop changeOrder query limit: maximum 8 -> 9"],
    )


def test_a_parameter_that_is_written_otherwise_on_the_wire_breaks(draft):
    draft.parameters[1]["explode"] = False
    draft.parameters[2]["allowEmptyValue"] = True

    assert differences(SHOP, draft.document) == [
        "! shop changeOrder header X-Trace: changed beyond comparison: the parameter "
        "(was paths//{shop_id}/orders/{order_id}/post/parameters/2, "
        "is paths//{shop_id}/orders/{order_id}/post/parameters/2)",
        "! shop changeOrder query limit: style form -> form, not exploded",
    ]


def test_a_parameter_may_move_between_operation_and_path_and_into_a_component(draft):
    parameter = draft.parameters.pop(0)
    draft.document["components"]["parameters"]["OrderId"] = parameter
    draft.item["parameters"].append({"$ref": "#/components/parameters/OrderId"})
    draft.parameters[1]["name"] = "x-trace"

    assert differences(SHOP, draft.document) == []


def test_a_body_may_become_optional_but_not_mandatory(draft):
    draft.operation["requestBody"]["required"] = True

    assert forth_and_back(draft) == (
        ["! shop changeOrder request: mandatory now"],
        ["shop changeOrder request: not mandatory any more"],
    )


def test_a_body_may_come_but_not_go(draft):
    del draft.operation["requestBody"]

    assert forth_and_back(draft) == (
        ["! shop changeOrder request: removed: the operation takes no body"],
        ["shop changeOrder request: new"],
    )


def test_a_media_type_of_a_request_may_come_but_not_go(draft):
    draft.operation["requestBody"]["content"]["text/plain"] = {}

    assert forth_and_back(draft) == (
        ["shop changeOrder request content text/plain: new"],
        ["! shop changeOrder request content text/plain: removed"],
    )


def test_a_body_is_compared_as_a_request(draft):
    draft.schemas["Item"]["properties"]["name"]["maxLength"] = 32

    assert forth_and_back(draft) == (
        ["! shop changeOrder request name: maxLength none -> 32"],
        ["shop changeOrder request name: maxLength 32 -> none"],
    )


def test_a_response_is_compared_as_a_response(draft):
    draft.schemas["Order"]["required"] = []
    draft.schemas["Order"]["properties"]["items"]["type"] = ["array", "null"]

    assert forth_and_back(draft) == (
        [
            "! shop changeOrder response 200 id: not mandatory any more",
            "! shop changeOrder response 200 items: type array -> array|null",
        ],
        [
            "shop changeOrder response 200 id: mandatory now",
            "shop changeOrder response 200 items: type array|null -> array",
        ],
    )


def test_a_known_value_may_come_and_go(draft):
    draft.schemas["Order"]["properties"]["id"]["x-known-values"] = ["a"]

    assert forth_and_back(draft) == ([], [])
    assert [change.reach for change in compare("shop", SHOP, draft.document)] == ["text"]


def test_a_success_may_not_go_nor_one_of_another_kind_come(draft):
    del draft.responses["204"]

    assert forth_and_back(draft) == (
        ["! shop changeOrder response 204: removed"],
        ["! shop changeOrder response 204: new, with a content that no other success has"],
    )


def test_a_success_with_a_known_content_may_come(draft):
    draft.responses["201"] = copy.deepcopy(draft.responses["200"])

    assert differences(SHOP, draft.document) == ["shop changeOrder response 201: new"]


def test_rejections_may_come_and_go(draft):
    del draft.responses["404"]

    assert forth_and_back(draft) == (
        ["shop changeOrder response 404: removed"],
        ["shop changeOrder response 404: new"],
    )


def test_what_several_responses_share_is_reported_once(draft):
    del draft.schemas["Error"]["properties"]["code"]

    assert differences(SHOP, draft.document) == ["! shop changeOrder response 400,404 code: removed"]


def test_a_success_in_another_media_type_breaks_and_a_rejection_does_not(draft):
    draft.responses["200"]["content"]["text/plain"] = {}
    draft.document["components"]["responses"]["Refusal"]["content"]["text/html"] = {}

    assert forth_and_back(draft) == (
        [
            "! shop changeOrder response 200 content text/plain: new",
            "shop changeOrder response 400,404 content text/html: new",
        ],
        [
            "! shop changeOrder response 200 content text/plain: removed",
            "shop changeOrder response 400,404 content text/html: removed",
        ],
    )


def test_a_header_of_a_response_may_come_but_not_go(draft):
    del draft.responses["200"]["headers"]["X-Id"]

    assert forth_and_back(draft) == (
        ["! shop changeOrder response 200 header X-Id: removed"],
        ["shop changeOrder response 200 header X-Id: new"],
    )


def test_a_header_of_a_response_must_stay_guaranteed(draft):
    draft.responses["200"]["headers"]["X-Id"]["required"] = False

    assert forth_and_back(draft) == (
        ["! shop changeOrder response 200 header X-Id: not mandatory any more"],
        ["shop changeOrder response 200 header X-Id: mandatory now"],
    )


def test_another_way_in_may_come_but_not_go(draft):
    draft.document["security"].append({"key": []})

    assert forth_and_back(draft) == (
        ["shop changeOrder security: more ways to be let in"],
        ["! shop changeOrder security: what let a client in does not suffice any more"],
    )


def test_a_second_demand_breaks(draft):
    draft.operation["security"] = [{"token": [], "key": []}]

    assert differences(SHOP, draft.document) == [
        "! shop changeOrder security: what let a client in does not suffice any more"
    ]


def test_a_token_in_another_header_breaks(draft):
    draft.document["components"]["securitySchemes"]["token"]["name"] = "X-Auth"

    assert differences(SHOP, draft.document) == [
        "! shop changeOrder security: what let a client in does not suffice any more"
    ]


def test_an_operation_for_everybody_breaks_nothing(draft):
    draft.operation["security"] = []

    assert differences(SHOP, draft.document) == ["shop changeOrder security: more ways to be let in"]


def test_a_renamed_component_breaks_the_class_only(draft):
    draft.schemas["Deal"] = draft.schemas.pop("Order")
    draft.responses["200"]["content"]["application/json"]["schema"]["$ref"] = "#/components/schemas/Deal"

    assert differences(SHOP, draft.document) == [
        "! shop model Order: named Deal now: the model's class changes, the wire does not"
    ]


def test_a_title_renames_the_class_too(draft):
    draft.schemas["Order"]["title"] = "Deal"

    assert differences(SHOP, draft.document) == [
        "! shop model Order at the top: named Deal now: the model's class changes, the wire does not"
    ]


def test_a_removed_component_breaks_its_class(draft):
    del draft.operation["requestBody"]
    del draft.schemas["Item"]

    assert differences(SHOP, draft.document)[0] == "! shop model Item: removed: its class is gone"


def test_a_component_of_a_mere_value_may_be_renamed(draft):
    draft.schemas["Id"] = {"type": "string"}
    draft.schemas["Order"]["properties"]["id"] = {"$ref": "#/components/schemas/Id"}
    other = copy.deepcopy(draft.document)
    other["components"]["schemas"]["Name"] = other["components"]["schemas"].pop("Id")
    other["components"]["schemas"]["Order"]["properties"]["id"]["$ref"] = "#/components/schemas/Name"

    assert differences(draft.document, other) == []


def test_words_that_nobody_compares_break(draft):
    draft.operation["callbacks"] = {"done": {}}
    draft.document["webhooks"] = {"news": {}}

    assert differences(SHOP, draft.document) == [
        "! shop: changed beyond comparison: the document (was the document, is the document)",
        "! shop changeOrder: changed beyond comparison: the operation "
        "(was paths//{shop_id}/orders/{order_id}/post, is paths//{shop_id}/orders/{order_id}/post)",
    ]


def test_texts_examples_links_and_extensions_break_nothing(draft):
    draft.document["info"]["version"] = "2"
    draft.document["servers"] = [{"url": "https://example.com"}]
    draft.operation["description"] = "Alters an order."
    draft.operation["x-source"] = "a_page"
    draft.responses["200"]["links"] = {}
    draft.schemas["Order"]["examples"] = [{"id": "1"}]

    assert differences(SHOP, draft.document) == []
    assert [change.place for change in ordered(compare("shop", SHOP, draft.document))] == [
        "components/schemas/Order/examples",
        "info",
        "paths//{shop_id}/orders/{order_id}/post/description",
        "paths//{shop_id}/orders/{order_id}/post/responses/200/links",
        "paths//{shop_id}/orders/{order_id}/post/x-source",
        "servers",
    ]
