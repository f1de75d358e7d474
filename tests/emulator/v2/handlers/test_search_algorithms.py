"""The search algorithms are those of the documents, with their default settings."""

from __future__ import annotations

from typing import Any

import modelarts_openapi


def settings(response: dict[str, Any]) -> dict[str, Any]:
    """Settings by algorithm, without the descriptions."""
    return {entry["name"]: entry["params"] for entry in response["search_algo_list"]}


def test_search_algorithms_have_the_documented_settings(api: Any) -> None:
    path = modelarts_openapi.load("v2")["paths"]["/v2/{project_id}/search-algorithms"]
    media = path["get"]["responses"]["200"]["content"]["application/json"]
    documented = media["examples"]["showSearchAlgorithms.three"]["value"]

    response = api.call("GET", "/search-algorithms").json()

    assert response["search_algo_count"] == len(response["search_algo_list"]) == 3
    assert settings(response) == settings(documented)
    assert all(entry["description"] for entry in response["search_algo_list"])
