"""What the catalogue offers: flavors, engines and search algorithms."""

from __future__ import annotations

from typing import Any

import pytest

import modelarts_openapi


@pytest.mark.parametrize(
    "engine_id",
    [
        "pytorch_2.1.0-cuda_12.1-py_3.10.6-ubuntu_22.04-x86_64",
        "mindspore_2.2.12-cann_7.0.1.1-py_3.9-euler_2.10.7-aarch64-snt3p",
    ],
)
def test_a_job_runs_on_a_newer_engine(api: Any, engine_id: str) -> None:
    job = api.create_job(api.job_body(engine={"engine_id": engine_id}))

    assert job["algorithm"]["engine"]["engine_id"] == engine_id


def test_the_flavors_of_the_use_case_are_listed_as_printed(api: Any) -> None:
    response = api.call("GET", "/training-job-flavors", params={"flavor_type": "CPU"}).json()

    assert all(flavor.pop("support_engines") for flavor in response["flavors"])  # seen, and not printed
    assert response == api.example("showTrainingJobFlavors.cpu")


def test_without_a_type_all_public_flavors_are_listed_and_none_of_dedicated_pools(api: Any) -> None:
    response = api.call("GET", "/training-job-flavors").json()

    assert response["total_count"] == len(response["flavors"]) == 5
    assert {flavor["flavor_type"] for flavor in response["flavors"]} == {"CPU", "GPU"}
    assert all("pool" not in flavor["flavor_id"] for flavor in response["flavors"])


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
