"""Responses about searches that do not exist, and the templates for searches."""

from __future__ import annotations

from typing import Any

import pytest

JOB = "/training-jobs/{}"


def test_a_job_that_searches_nothing_has_no_trials_and_no_analysis(api: Any) -> None:
    path = JOB.format(api.create_job()["metadata"]["id"])

    trials = api.call("GET", f"{path}/autosearch-trials").json()
    assert (trials["total"], trials["count"], trials["items"]["data"]) == (0, 0, [])
    assert api.call("GET", f"{path}/autosearch-parameter-analysis").json()["data"] == []
    for method, lacking in (
        ("GET", "autosearch-trials/ae544174"),
        ("POST", "autosearch-trial-earlystop/ae544174"),
        ("GET", "autosearch-parameter-analysis/lr"),
    ):
        response = api.call(method, f"{path}/{lacking}")
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2788")


@pytest.mark.parametrize("query", [{"limit": 0}, {"offset": -1}, {"limit": "all"}])
def test_a_page_that_cannot_be_is_rejected(api: Any, query: dict[str, Any]) -> None:
    path = JOB.format(api.create_job()["metadata"]["id"])

    response = api.call("GET", f"{path}/autosearch-trials", params=query)

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2764")


def test_every_template_that_is_listed_has_a_text(api: Any) -> None:
    """The list is the published one."""
    listed = api.call("GET", "/training-jobs/autosearch/yaml-templates").json()

    assert listed == api.example("showAutoSearchYamlTemplatesInfo.four-purposes")
    for purpose in listed["yaml_templates"]:
        for name in purpose["algorithm_names"]:
            path = f"/training-jobs/autosearch/yaml-templates/{purpose['algorithm_type_en']}/{name}"
            template = api.call("GET", path).json()
            assert template["file_name"] == f"{name}.yaml"
            assert {"general:", "search_space:", "search_algorithm:", "scheduler:"} <= set(
                template["content"].splitlines()
            )


@pytest.mark.parametrize("path", ["hpo/AutoBSS", "hpo/%2E%2E%2Fhpo%2FBayes", "sports/Bayes"])
def test_a_template_that_is_not_listed_is_rejected(api: Any, path: str) -> None:
    response = api.call("GET", f"/training-jobs/autosearch/yaml-templates/{path}")

    assert response.status_code in (400, 404), response.text
