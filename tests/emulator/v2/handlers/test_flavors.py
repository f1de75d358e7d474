"""Flavors as the service lists them."""

from __future__ import annotations

from typing import Any


def test_the_flavors_of_the_use_case_are_answered_as_printed(api: Any) -> None:
    answer = api.call("GET", "/training-job-flavors", params={"flavor_type": "CPU"})

    assert answer.json() == api.example("showTrainingJobFlavors.cpu")


def test_without_a_type_all_public_flavors_are_listed_and_none_of_dedicated_pools(api: Any) -> None:
    answer = api.call("GET", "/training-job-flavors").json()

    assert answer["total_count"] == len(answer["flavors"]) == 5
    assert {flavor["flavor_type"] for flavor in answer["flavors"]} == {"CPU", "GPU"}
    assert all("pool" not in flavor["flavor_id"] for flavor in answer["flavors"])


def test_an_unknown_type_is_refused_or_empty_as_the_document_says(api: Any) -> None:
    answer = api.call("GET", "/training-job-flavors", params={"flavor_type": "TPU"})

    assert (answer.status_code, answer.json()["error_code"]) == (400, "ModelArts.2764")
