"""Requests for searches: what is wrong is rejected by its name; templates; responses where nothing is searched."""

from __future__ import annotations

import copy
import sys
from typing import Any

import pytest
from tests.emulator.tuning.conftest import make_body, make_policy

ACCURACY = {"name": "accuracy", "mode": "max", "regex": "x"}
LR = {"name": "lr", "param_type": "continuous", "lower_bound": "0", "upper_bound": "1"}


def algorithm(key: str, value: str, name: str = "tpe_search", **more: str) -> dict[str, Any]:
    return {"algo_configs": [{"name": name, "params": [{"key": key, "value": value, **more}]}]}


def param(**members: Any) -> dict[str, Any]:
    return {"search_params": [{"name": "lr"} | members]}


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"reward_attrs": [ACCURACY, ACCURACY]}, "ModelArts.2824", "more than once"),
    ({"reward_attrs": []}, "ModelArts.2826", "reward_attrs"),
    ({"reward_attrs": [{"name": "a b", "mode": "max", "regex": "x"}]}, "ModelArts.2826", "reward_attrs.0.name"),
    ({"reward_attrs": [{"name": "acc", "regex": "x"}]}, "ModelArts.2826", "mode"),
    ({"reward_attrs": [{"name": "acc", "mode": "max"}]}, "ModelArts.2826", "regex"),
    ({"reward_attrs": [{"name": "acc", "mode": "max", "regex": "("}]}, "ModelArts.2826", "regular expression"),
    ({"reward_attrs": [{"name": "acc", "mode": "max", "regex": "x" * 513}]}, "ModelArts.2826", "longer"),
    ({"reward_attrs": [ACCURACY | {"name": "lr"}]}, "ModelArts.2826", "both a metric and a hyperparameter"),
    ({"search_params": []}, "ModelArts.2826", "search_params"),
    ({"search_params": [LR, LR]}, "ModelArts.2826", "more than once"),
    ({"skip_search_params": "lr"}, "ModelArts.2826", "search_params"),
    ({"skip_search_params": "other"}, "ModelArts.2826", "other"),
    (param(lower_bound="1", upper_bound="1"), "ModelArts.2826", "not below"),
    (param(lower_bound="1"), "ModelArts.2826", "upper_bound"),
    (param(lower_bound="low", upper_bound="1"), "ModelArts.2826", "lower_bound"),
    (param(lower_bound="-1e308", upper_bound="1e308"), "ModelArts.2826", "too far apart"),
    (param(lower_bound="0", upper_bound="1e999"), "ModelArts.2826", "only numbers"),
    (param(param_type="discrete", lower_bound="0", upper_bound="1"), "ModelArts.2826", "discrete_points_num"),
    (param(lower_bound="0", upper_bound="1", discrete_points_num="1"), "ModelArts.2826", "discrete_points_num"),
    (param(param_type="continuous", discrete_values=["1"]), "ModelArts.2826", "param_type"),
    (param(discrete_values=["adam", "sgd"]), "ModelArts.2826", "discrete_values.0"),
    (param(discrete_values=["1", "1.0"]), "ModelArts.2826", "twice"),
    (param(discrete_values=["1"], lower_bound="0"), "ModelArts.2826", "lower_bound"),
    ({"algo_configs": []}, "ModelArts.2826", "algo_configs"),
    ({"algo_configs": [{"name": "grid"}]}, "ModelArts.2826", "tpe_search"),
    (algorithm("kappa", "1"), "ModelArts.2826", "no setting 'kappa'"),
    (algorithm("num_samples", "9"), "ModelArts.2826", "10 to 20"),
    (algorithm("num_samples", "10.5"), "ModelArts.2826", "Integer"),
    (algorithm("gamma", "much"), "ModelArts.2826", "Float"),
]


def test_a_wrong_search_is_rejected_in_jobs_and_algorithms(api: Any) -> None:
    for changes, code, text in WRONG:
        stored = api.algorithm_body() | {"advanced_config": {"auto_search": make_policy(**changes)}}
        for path, body in (("/training-jobs", make_body(api, **changes)), ("/algorithms", stored)):
            response = api.call("POST", path, json=body)
            assert (response.status_code, response.json()["error_code"]) == (400, code), response.text
            assert text in response.json()["error_msg"], (changes, path)


def test_a_right_search_is_accepted_and_shown_as_it_was_given(api: Any) -> None:
    cases: list[Any] = [
        param(lower_bound="1", upper_bound="10"),
        param(lower_bound="0", upper_bound="1", discrete_points_num="5"),
        param(param_type="discrete", discrete_values=["0.1", "1e-2"]),
        {"search_params": [LR, LR | {"name": "skipped"}], "skip_search_params": " skipped "},
        {"algo_configs": [{"name": "bayes_opt_search"}]},
    ]
    policies = [api.create_job(make_body(api, **changes))["algorithm"]["policies"] for changes in cases]

    assert policies == [{"auto_search": make_policy(**changes)} for changes in cases]


def test_a_required_hyperparameter_needs_a_value_although_it_is_searched(api: Any) -> None:
    constraint = {"type": "Float", "required": True, "editable": True, "valid_type": "None", "valid_range": []}
    for default, given, code in (("", [], "ModelArts.2766"), ("", ["0.5"], None), ("0.5", [], None)):
        parameter = {"name": "lr", "value": default, "constraint": constraint}
        managed = api.create_algorithm(parameters=[parameter], inputs=[], outputs=[])["metadata"]["id"]
        body = make_body(api)
        parameters = [{"name": "lr", "value": value} for value in given]
        policies = body["algorithm"]["policies"]
        body["algorithm"] = {"id": managed, "parameters": parameters, "policies": policies}

        response = api.call("POST", "/training-jobs", json=body)
        assert response.json().get("error_code") == code, response.text


def test_only_what_can_search_is_accepted(api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine with the tag, and an emulator with the libraries; otherwise the remedy is named."""
    body = make_body(api)
    del body["algorithm"]["boot_file"]
    body["algorithm"] |= {"command": "true", "engine": {"image_url": "org/image:1"}}

    assert api.rejection(body) == (400, "ModelArts.2826")

    monkeypatch.setitem(sys.modules, "optuna", None)

    response = api.call("POST", "/training-jobs", json=make_body(api))

    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2858")
    said = response.json()["error_msg"]
    assert 'needs optuna: run: pip install "modelarts-toolkit[search]"' in said
    assert api.call("GET", "/search-algorithms").json()["search_algo_count"] == 3


@pytest.mark.parametrize(
    ("kind", "search_param", "is_right"),
    [
        ("Boolean", {"discrete_values": ["0", "1"]}, False),
        ("Integer", {"lower_bound": "0", "upper_bound": "9"}, False),
        ("Integer", {"discrete_values": ["16", "32"]}, True),
        ("Float", {"lower_bound": "0", "upper_bound": "9"}, True),
        ("String", {"lower_bound": "0", "upper_bound": "9"}, True),
    ],
)
def test_a_search_uses_the_types_of_the_algorithm_s_hyperparameters(
    api: Any, kind: str, search_param: Any, is_right: bool
) -> None:
    """And a job that says nothing of policies searches as its algorithm does."""
    stored = api.algorithm_body(parameters=[{"name": "lr", "value": "", "constraint": {"type": kind}}])
    auto_search = make_policy(search_params=[{"name": "lr"} | search_param])
    created = api.call("POST", "/algorithms", json=stored | {"advanced_config": {"auto_search": auto_search}}).json()
    body = copy.deepcopy(api.example("createTrainingJob.pytorch-use-case"))
    body["metadata"]["name"] = api.unique("job")
    body["algorithm"] = {"id": created["metadata"]["id"], "inputs": body["algorithm"].get("inputs", []),
                         "outputs": body["algorithm"].get("outputs", [])}  # fmt: skip
    response = api.call("POST", "/training-jobs", json=body)

    if is_right:
        assert response.status_code == 201, response.text
        assert response.json()["algorithm"]["policies"]["auto_search"]["search_params"] == auto_search["search_params"]
        body["metadata"]["name"] = api.unique("job")
        body["algorithm"]["policies"] = {"auto_search": None}
        assert api.create_job(body)["algorithm"]["policies"] == {}
    else:
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2826")


def test_a_job_that_searches_nothing_has_no_trials_and_no_analysis(api: Any) -> None:
    """A page that cannot be is rejected."""
    path = f"/training-jobs/{api.create_job()['metadata']['id']}"

    trials = api.call("GET", f"{path}/autosearch-trials").json()
    assert (trials["total"], trials["count"], trials["items"]["data"]) == (0, 0, [])
    assert api.call("GET", f"{path}/autosearch-parameter-analysis").json()["data"] == []
    for method, lacking in (
        ("GET", "autosearch-trials/ae544174"),
        ("POST", "autosearch-trial-earlystop/ae544174"),
    ):
        response = api.call(method, f"{path}/{lacking}")
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2788"), method
    for query in ({"limit": 0}, {"offset": -1}, {"limit": "all"}):
        response = api.call("GET", f"{path}/autosearch-trials", params=query)
        assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2764"), query
