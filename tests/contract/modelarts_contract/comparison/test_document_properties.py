"""Over the real documents: nothing passes silently, and what only adds never breaks."""

import copy
import json

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import modelarts_openapi
from modelarts_contract.comparison.document import compare
from modelarts_documents.keys import METHODS

pytestmark = pytest.mark.soak
DOCUMENTS = {name: modelarts_openapi.load(name) for name in modelarts_openapi.NAMES}
PEOPLE_ONLY = {
    "description",
    "externalDocs",
    "info",
    "servers",
    "summary",
    "tags",
    "examples",
    "openapi",
    "links",
    "title",
}


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
@settings(max_examples=15, deadline=None, phases=[Phase.generate])  # shrinking whole documents takes minutes
@given(data=st.data())
def test_whatever_is_taken_out_of_a_document_is_reported(name, data):
    """Nothing passes silently, or the document has no meaning without it."""
    document = copy.deepcopy(DOCUMENTS[name])
    *way, last = data.draw(st.sampled_from(sorted(slots(document["paths"], ("paths",)), key=str)))
    owner = document
    for step in way:
        owner = owner[step]
    if last in ("$ref", "in", "name", "operationId", "type") or (way[-1] == "parameters" and isinstance(last, str)):
        return  # what is left is not a document
    gone = owner.pop(last)
    if gone in (False, [], {}) or (last in ("required", "default") and way[-1] != "requestBody"):
        return
    found = [change for change in compare(name, DOCUMENTS[name], document) if change.reach != "text"]
    assert found, json.dumps([*way, last])


def schemas_of(document):
    return document["components"]["schemas"]


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=10, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_adding_optional_things_never_breaks(name, data):
    document = copy.deepcopy(DOCUMENTS[name])
    components = sorted(schemas_of(document))
    for component in data.draw(st.lists(st.sampled_from(components), max_size=5)):
        schema = schemas_of(document)[component]
        if "properties" in schema:
            schema["properties"].setdefault("quite_new", data.draw(st.sampled_from([{}, {"type": "string"}])))
        known = schema.get("x-known-values", [])
        schema["x-known-values"] = [*known, *data.draw(st.lists(st.text("xyz", max_size=3), max_size=2))]
    operations = [item[method] for item in document["paths"].values() for method in METHODS if method in item]
    for index in data.draw(st.sets(st.integers(0, len(operations) - 1), max_size=3)):
        operation = operations[index]
        operation.setdefault("parameters", []).append({"name": "quite_new", "in": "query", "schema": {}})
        operation["responses"].setdefault("418", {"description": "A teapot."})
        operation["description"] = data.draw(st.text(max_size=5))
    document["paths"]["/quite/new"] = {"get": {"operationId": "quiteNew", "responses": {"204": {}}}}

    assert [str(change) for change in compare(name, DOCUMENTS[name], document) if change.breaking] == []


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=10, deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_taking_a_described_member_away_always_breaks(name, data):
    document = copy.deepcopy(DOCUMENTS[name])
    owners = sorted(key for key, schema in schemas_of(document).items() if schema.get("properties"))
    component = data.draw(st.sampled_from(owners))
    members = schemas_of(document)[component]["properties"]
    del members[data.draw(st.sampled_from(sorted(members)))]

    assert any(change.breaking for change in compare(name, DOCUMENTS[name], document))
