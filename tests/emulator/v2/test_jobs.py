"""Searches: filters, order, pages and what is rejected, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelarts_emulator.server import Emulator

NAMES = ("alpha-1", "alpha_2", "Beta-1", "gamma")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, log_in: Any, new_puppet: Any) -> Iterator[Any]:
    """Four jobs, made at 1000, 2000, 3000 and 4000 ms; the first comes from a stored algorithm."""
    now = [1.0]
    folder = tmp_path_factory.mktemp("searches")
    with Emulator(
        folder,
        executor=new_puppet(folder),
        keep_jobs=True,
        check_responses=True,
        clock=lambda: now[0],
        token_lifetime=1e9,
    ) as emulator:
        api = log_in(emulator)
        for number, name in enumerate(NAMES, 1):
            now[0] = float(number)
            body = api.job_body()
            if number == 1:
                algorithm = api.algorithm_body(inputs=[], outputs=[])
                algorithm["metadata"]["name"] = "digits-algorithm"
                response = api.call("POST", "/algorithms", json=algorithm).json()
                body = api.job_body(id=response["metadata"]["id"])
            body["metadata"]["name"] = name
            api.create_job(body)
        now[0] = 5.0
        yield api


def search(api: Any, *filters: Any, **body: Any) -> list[str]:
    """The names of the jobs that a search finds, in order."""
    body["filters"] = [dict(zip(("key", "operator", "value"), entry, strict=True)) for entry in filters]
    response = api.call("POST", "/training-job-searches", json=body)
    assert response.status_code == 200, response.text
    return [item["metadata"]["name"] for item in response.json()["items"]]


NEWEST_FIRST = ["gamma", "Beta-1", "alpha_2", "alpha-1"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ([], NEWEST_FIRST),
        ([("name", "like", ["alpha"])], ["alpha_2", "alpha-1"]),
        ([("name", "like", ["BETA"])], ["Beta-1"]),
        ([("name", "like", ["alpha_"])], ["alpha_2"]),
        ([("name", "like", ["%"])], []),
        ([("name", "like", ["gamma", "Beta"])], ["gamma", "Beta-1"]),
        ([("name", "in", ["gamma", "alpha-1"])], ["gamma", "alpha-1"]),
        ([("name", "not", ["gamma"])], ["Beta-1", "alpha_2", "alpha-1"]),
        ([("create_time", "between", ["2000", "3000"])], ["Beta-1", "alpha_2"]),
        ([("create_time", "between", ["", "2000"])], ["alpha_2", "alpha-1"]),
        ([("create_time", "between", ["3000", ""])], ["gamma", "Beta-1"]),
        ([("create_time", "in", ["4000"])], ["gamma"]),
        ([("algorithm_name", "like", ["digits"])], ["alpha-1"]),
        ([("kind", "in", ["job"])], NEWEST_FIRST),
        ([("kind", "in", ["visualization_job"])], []),
        ([("user_id", "in", ["somebody-else"])], []),
        ([("runtime_type", "in", ["debug"])], []),
        ([("phase", "in", ["Completed"])], []),
        ([("phase", "not", ["Completed"])], NEWEST_FIRST),
        ([("name", "like", ["alpha"]), ("create_time", "between", ["2000", ""])], ["alpha_2"]),
        ([("name", "like", [""]), ("phase", "in", []), ("create_time", "between", ["", ""])], NEWEST_FIRST),
    ],
)
def test_filters_restrict_and_blank_values_do_not(filled: Any, filters: Any, found: list[str]) -> None:
    assert search(filled, *filters) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"order": "asc"}, NEWEST_FIRST[::-1]),
        ({"sort_by": "name", "order": "asc"}, ["Beta-1", "alpha-1", "alpha_2", "gamma"]),
        ({"limit": 2}, ["gamma", "Beta-1"]),
        ({"limit": 2, "offset": 1}, ["alpha_2", "alpha-1"]),
        ({"limit": 3, "offset": 1}, ["alpha-1"]),
        ({"limit": 2, "offset": 2}, []),
        ({"limit": 50, "offset": 10**30}, []),
        ({"limit": 2.0, "offset": 1.0}, ["alpha_2", "alpha-1"]),
    ],
)
def test_jobs_come_in_order_and_in_pages(filled: Any, body: Any, found: list[str]) -> None:
    assert search(filled, **body) == found


def test_a_page_says_how_many_jobs_there_are_in_all_and_on_it(filled: Any) -> None:
    body = {"limit": 3, "filters": [{"key": "name", "operator": "like", "value": ["a"]}]}
    page = filled.call("POST", "/training-job-searches", json=body).json()

    assert {name: value for name, value in page.items() if name != "items"} == {
        "total": 4,
        "count": 3,
        "limit": 3,
        "offset": 0,
        "sort_by": "create_time",
        "order": "desc",
        "group_by": "",
        "workspace_id": "0",
        "ai_project": "default-ai-project",
    }


def test_the_offset_can_be_made_to_count_records(log_in: Any, tmp_path: Path) -> None:
    with Emulator(tmp_path / "records", offset_unit="record", executor="simulated") as emulator:
        api = log_in(emulator)
        for name in NAMES:
            body = api.job_body()
            body["metadata"]["name"] = name
            api.create_job(body)

        assert search(api, sort_by="name", order="asc", limit=2, offset=1) == ["alpha-1", "alpha_2"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"filters": [{"operator": "in", "value": ["red"]}]}, "ModelArts.2788"),
        ({"filters": [{"key": "create_time", "operator": "like", "value": ["1"]}]}, "ModelArts.2808"),
        ({"filters": [{"key": "create_time", "operator": "between", "value": ["1"]}]}, "ModelArts.2809"),
        ({"filters": [{"key": "create_time", "operator": "in", "value": ["-1"]}]}, "ModelArts.2809"),
        ({"sort_by": "colour"}, "ModelArts.2790"),
        ({"order": "upwards"}, "ModelArts.2788"),
        ({"group_by": "phase"}, "ModelArts.2788"),
    ],
)
def test_what_a_search_does_not_support_is_rejected(api: Any, body: Any, code: str) -> None:
    assert api.rejection(body, "/training-job-searches") == (400, code)


@pytest.mark.parametrize(
    "filters",
    [
        [{"key": "name", "operator": "in", "value": [str(n) for n in range(401)]}],
        [{"key": "name", "operator": "like", "value": [str(n) for n in range(100_000)]}],
        [{"key": "name", "operator": "like", "value": ["a"]}] * 401,
        [{"key": "name", "operator": "like"}] * 2000,
    ],
)
def test_more_conditions_than_a_statement_can_have_are_rejected(filled: Any, filters: Any) -> None:
    """And as many as are allowed are searched for."""
    body = {"filters": filters}
    response = filled.call("POST", "/training-job-searches", json=body)
    assert (response.status_code, response.json()["error_code"]) == (400, "ModelArts.2809")

    most = {"key": "name", "operator": filters[0]["operator"], "value": ["gamma"] + [f"no-{n}" for n in range(399)]}
    assert search(filled, most.values()) == ["gamma"]
    assert search(filled, *[("name", "like", ["a"])] * 400) == NEWEST_FIRST
