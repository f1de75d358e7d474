"""Documents as schemathesis gets them."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from modelarts_contract import documents
from modelarts_contract.run.runs import fitted
from modelarts_contract.run.service import Service
from modelarts_documents.schema import self_contained

NODE = {"$ref": "#/components/schemas/Node"}
MANY = {f"m{number}": {"type": "integer"} for number in range(12)}
DOCUMENT: dict[str, Any] = {
    "paths": {
        "/trees": {
            "post": {
                "operationId": "createTree",
                "requestBody": {"$ref": "#/components/requestBodies/Tree"},
                "responses": {"2XX": {}, "default": {}},
            }
        }
    },
    "components": {
        "requestBodies": {"Tree": {"content": {"application/json": {"schema": NODE}}}},
        "schemas": {
            "Node": {
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "below": {"type": "array", "items": NODE},
                    "any": True,
                    "inside": {
                        "properties": {"parts": {"$ref": "#/components/schemas/Parts"}},
                    },
                },
            },
            "Parts": {"required": ["m1"], "additionalProperties": False, "properties": MANY},
        },
    },
}


@pytest.fixture
def service() -> Service:
    documents.add("trees", DOCUMENT, {})
    return Service({}, "token", {}, "contract-")


def test_inner_objects_of_a_body_have_some_of_their_optional_members(service: Service) -> None:
    """Also where schemas are in themselves; a body that has the others is still right."""
    document = fitted(service, "trees", 1, thorough=False)
    operation = document["paths"]["/trees"]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    members = schema["properties"]["inside"]["properties"]["parts"]["properties"]
    validator = jsonschema_rs.Draft202012Validator(self_contained(document, schema))

    assert set(operation["responses"]) == {"2XX"}
    assert schema["properties"].keys() == {"name", "below", "any", "inside"}
    assert "m1" in members
    assert 1 <= len(members) < len(MANY)
    assert validator.is_valid({"name": "a", "below": [{"name": "b"}], "inside": {"parts": dict.fromkeys(MANY, 1)}})
    assert not validator.is_valid({"name": "a", "below": [{}]})


def test_a_thorough_run_tries_the_whole_document(service: Service) -> None:
    assert fitted(service, "trees", 1)["paths"]["/trees"]["post"]["requestBody"] == {
        "$ref": "#/components/requestBodies/Tree"
    }
