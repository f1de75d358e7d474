"""Engines as the service lists them."""

from __future__ import annotations

from typing import Any


def test_the_engines_of_the_examples_are_listed_as_printed(api: Any) -> None:
    response = api.call("GET", "/training-job-engines").json()
    by_id = {engine["engine_id"]: engine for engine in response["items"]}

    assert response["total"] == len(response["items"]) == len(by_id)
    for name in ("showTrainingJobEngines.first-five", "showTrainingJobEngines.pytorch-use-case"):
        for printed in api.example(name)["items"]:
            # Older editions print fewer members of the same engine.
            assert printed.items() <= by_id[printed["engine_id"]].items()
