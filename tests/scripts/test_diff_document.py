"""Names, routes, parameters, bodies, answers and security: each change is told once, with what it does to a client."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bundle import METHODS, bundle
from diff_change import ordered
from diff_document import compare

ROOT = Path(__file__).resolve().parents[2]

SHOP = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "security": [{"token": []}],
    "tags": [{"name": "orders", "description": "Orders."}],
    "paths": {
        "/{shop_id}/orders/{order_id}": {
            "parameters": [{"$ref": "#/components/parameters/ShopId"}],
            "post": {
                "operationId": "changeOrder",
                "description": "Changes an order.",
                "tags": ["orders"],
                "parameters": [
                    {"name": "order_id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 9}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}},
                "responses": {
                    "200": {
                        "description": "The order.",
                        "headers": {"X-Id": {"required": True, "schema": {"type": "string"}}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}},
                        "links": {"again": {"operationId": "changeOrder"}},
                    },
                    "204": {"description": "Nothing to change."},
                    "400": {"$ref": "#/components/responses/Refusal"},
                    "404": {"$ref": "#/components/responses/Refusal", "description": "No such order."},
                },
            },
        }
    },
    "components": {
        "parameters": {"ShopId": {"name": "shop_id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "responses": {
            "Refusal": {
                "description": "A refusal.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            }
        },
        "schemas": {
            "Error": {"type": "object", "properties": {"code": {"type": "string"}}},
            "Item": {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": False},
            "Order": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string"}, "items": {"type": "array", "items": {"type": "object"}}},
            },
        },
        "securitySchemes": {
            "token": {"type": "apiKey", "in": "header", "name": "X-Token", "description": "A token."},
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        },
    },
}


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


def told(old, new):
    """The changes as lines, those that break marked, without mere texts."""
    found = ordered(compare("shop", old, new))
    return [f"{'! ' if change.breaking else ''}{change}" for change in found if change.reach != "text"]


def forth_and_back(draft):
    return told(SHOP, draft.document), told(draft.document, SHOP)


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

    assert told(SHOP, draft.document) == [
        "! shop changeOrder: operationId is updateOrder: the method's name changes, the wire does not"
    ]
    assert {change.reach for change in compare("shop", SHOP, draft.document) if change.breaking} == {"client"}


def test_another_tag_breaks_the_class_only(draft):
    draft.operation["tags"] = ["deals"]

    assert told(SHOP, draft.document) == [
        "! shop changeOrder: tag orders -> deals: the method moves to another class, the wire stays"
    ]


def test_another_method_or_path_breaks(draft):
    draft.item["put"] = draft.item.pop("post")
    draft.paths["/{shop_id}/deals/{order_id}"] = draft.paths.pop(draft.path)

    assert told(SHOP, draft.document) == [
        "! shop changeOrder: POST /{shop_id}/orders/{order_id} -> PUT /{shop_id}/deals/{order_id}"
    ]


def test_a_renamed_parameter_of_the_path_breaks_calls_by_keyword_only(draft):
    draft.paths["/{shop_id}/orders/{id}"] = draft.paths.pop(draft.path)
    draft.parameters[0]["name"] = "id"

    assert told(SHOP, draft.document) == [
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

    assert told(SHOP, draft.document) == ["! shop changeOrder query page: new and mandatory"]


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

    assert told(SHOP, draft.document) == [
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

    assert told(SHOP, draft.document) == []


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


def test_an_answer_is_compared_as_a_response(draft):
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

    assert told(SHOP, draft.document) == ["shop changeOrder response 201: new"]


def test_refusals_may_come_and_go(draft):
    del draft.responses["404"]

    assert forth_and_back(draft) == (
        ["shop changeOrder response 404: removed"],
        ["shop changeOrder response 404: new"],
    )


def test_what_several_answers_share_is_told_once(draft):
    del draft.schemas["Error"]["properties"]["code"]

    assert told(SHOP, draft.document) == ["! shop changeOrder response 400,404 code: removed"]


def test_a_success_in_another_media_type_breaks_and_a_refusal_does_not(draft):
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


def test_a_header_of_an_answer_may_come_but_not_go(draft):
    del draft.responses["200"]["headers"]["X-Id"]

    assert forth_and_back(draft) == (
        ["! shop changeOrder response 200 header X-Id: removed"],
        ["shop changeOrder response 200 header X-Id: new"],
    )


def test_a_header_of_an_answer_must_stay_guaranteed(draft):
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

    assert told(SHOP, draft.document) == ["! shop changeOrder security: what let a client in does not suffice any more"]


def test_a_token_in_another_header_breaks(draft):
    draft.document["components"]["securitySchemes"]["token"]["name"] = "X-Auth"

    assert told(SHOP, draft.document) == ["! shop changeOrder security: what let a client in does not suffice any more"]


def test_an_operation_for_everybody_breaks_nothing(draft):
    draft.operation["security"] = []

    assert told(SHOP, draft.document) == ["shop changeOrder security: more ways to be let in"]


def test_a_renamed_component_breaks_the_class_only(draft):
    draft.schemas["Deal"] = draft.schemas.pop("Order")
    draft.responses["200"]["content"]["application/json"]["schema"]["$ref"] = "#/components/schemas/Deal"

    assert told(SHOP, draft.document) == [
        "! shop model Order: named Deal now: the model's class changes, the wire does not"
    ]


def test_a_title_renames_the_class_too(draft):
    draft.schemas["Order"]["title"] = "Deal"

    assert told(SHOP, draft.document) == [
        "! shop model Order at the top: named Deal now: the model's class changes, the wire does not"
    ]


def test_a_removed_component_breaks_its_class(draft):
    del draft.operation["requestBody"]
    del draft.schemas["Item"]

    assert told(SHOP, draft.document)[0] == "! shop model Item: removed: its class is gone"


def test_a_component_of_a_mere_value_may_be_renamed(draft):
    draft.schemas["Id"] = {"type": "string"}
    draft.schemas["Order"]["properties"]["id"] = {"$ref": "#/components/schemas/Id"}
    other = copy.deepcopy(draft.document)
    other["components"]["schemas"]["Name"] = other["components"]["schemas"].pop("Id")
    other["components"]["schemas"]["Order"]["properties"]["id"]["$ref"] = "#/components/schemas/Name"

    assert told(draft.document, other) == []


def test_words_that_nobody_compares_break(draft):
    draft.operation["callbacks"] = {"done": {}}
    draft.document["webhooks"] = {"news": {}}

    assert told(SHOP, draft.document) == [
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

    assert told(SHOP, draft.document) == []
    assert [change.place for change in ordered(compare("shop", SHOP, draft.document))] == [
        "components/schemas/Order/examples",
        "info",
        "paths//{shop_id}/orders/{order_id}/post/description",
        "paths//{shop_id}/orders/{order_id}/post/responses/200/links",
        "paths//{shop_id}/orders/{order_id}/post/x-source",
        "servers",
    ]


# The real documents

DOCUMENTS = {file.parent.name: bundle(file) for file in sorted((ROOT / "openapi").glob("*/openapi.yaml"))}
PEOPLE_ONLY = {"description", "info", "servers", "summary", "tags", "examples", "openapi", "links", "title"}


def slots(value, place=(), *, named=False):
    """Every value that a program could notice a change of, as the way to it."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        if not named and (key in PEOPLE_ONLY or str(key).startswith("x-")):
            continue
        yield (*place, key)
        yield from slots(child, (*place, key), named=key in {"properties", "schemas", "responses"} and not named)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_of_our_documents_is_like_itself(name):
    assert list(compare(name, DOCUMENTS[name], copy.deepcopy(DOCUMENTS[name]))) == []


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=40, deadline=None, phases=[Phase.generate])  # shrinking whole documents takes minutes
@given(data=st.data())
def test_whatever_is_taken_out_of_a_document_is_told(name, data):
    """Nothing passes silently, or the document has no meaning without it."""
    document = copy.deepcopy(DOCUMENTS[name])
    *way, last = data.draw(st.sampled_from(sorted(slots(document["paths"], ("paths",)), key=str)))
    owner = document
    for step in way:
        owner = owner[step]
    if last in ("$ref", "in", "name", "operationId", "type") or (way[-1] == "parameters" and isinstance(last, str)):
        return  # what is left is no document
    gone = owner.pop(last)
    if gone in (False, [], {}) or (last in ("required", "default") and way[-1] != "requestBody"):
        return
    assert list(compare(name, DOCUMENTS[name], document)), json.dumps([*way, last])


def schemas_of(document):
    return document["components"]["schemas"]


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=25, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_adding_optional_things_never_breaks(name, data):
    document = copy.deepcopy(DOCUMENTS[name])
    components = sorted(schemas_of(document))
    for component in data.draw(st.lists(st.sampled_from(components), max_size=5)):
        schema = schemas_of(document)[component]
        if "properties" in schema:
            schema["properties"].setdefault("quite_new", data.draw(st.sampled_from([{}, {"type": "string"}])))
        schema["x-known-values"] = data.draw(st.lists(st.text(max_size=3), max_size=2))
    operations = [item[method] for item in document["paths"].values() for method in METHODS if method in item]
    for index in data.draw(st.sets(st.integers(0, len(operations) - 1), max_size=3)):
        operation = operations[index]
        operation.setdefault("parameters", []).append({"name": "quite_new", "in": "query", "schema": {}})
        operation["responses"].setdefault("418", {"description": "A teapot."})
        operation["description"] = data.draw(st.text(max_size=5))
    document["paths"]["/quite/new"] = {"get": {"operationId": "quiteNew", "responses": {"204": {}}}}

    assert [str(change) for change in compare(name, DOCUMENTS[name], document) if change.breaking] == []


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=25, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_taking_a_described_member_away_always_breaks(name, data):
    document = copy.deepcopy(DOCUMENTS[name])
    owners = sorted(key for key, schema in schemas_of(document).items() if schema.get("properties"))
    component = data.draw(st.sampled_from(owners))
    members = schemas_of(document)[component]["properties"]
    del members[data.draw(st.sampled_from(sorted(members)))]

    assert any(change.breaking for change in compare(name, DOCUMENTS[name], document))
