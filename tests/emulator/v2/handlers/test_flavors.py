"""Flavors as the service lists them."""

from __future__ import annotations

from typing import Any


def test_the_flavors_of_the_use_case_are_listed_as_printed(api: Any) -> None:
    response = api.call("GET", "/training-job-flavors", params={"flavor_type": "CPU"})

    assert response.json() == api.example("showTrainingJobFlavors.cpu")


def test_without_a_type_all_public_flavors_are_listed_and_none_of_dedicated_pools(api: Any) -> None:
    response = api.call("GET", "/training-job-flavors").json()

    assert response["total_count"] == len(response["flavors"]) == 5
    assert {flavor["flavor_type"] for flavor in response["flavors"]} == {"CPU", "GPU"}
    assert all("pool" not in flavor["flavor_id"] for flavor in response["flavors"])


def test_an_unknown_type_is_rejected_or_empty_as_the_document_says(api: Any) -> None:
    response = api.call("GET", "/training-job-flavors", params={"flavor_type": "TPU"})

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2764")
