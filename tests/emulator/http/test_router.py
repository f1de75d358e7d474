"""Which template a request's path means."""

from __future__ import annotations

import pytest

from modelarts_emulator.http.router import Router


@pytest.fixture
def paths() -> Router[str]:
    known: Router[str] = Router()
    for template in ("/", "/jobs", "/jobs/{job}", "/jobs/{job}/logs", "/jobs/search/{kind}", "/{any}/{job}/events"):
        known.add(template, template)
    return known


def test_a_parameter_takes_the_segment_in_its_place(paths: Router[str]) -> None:
    assert paths.find("/jobs/a b") == ("/jobs/{job}", {"job": "a b"})
    assert paths.find("/jobs/x/logs") == ("/jobs/{job}/logs", {"job": "x"})


def test_a_literal_segment_wins_over_a_parameter(paths: Router[str]) -> None:
    assert paths.find("/jobs/search/logs") == ("/jobs/search/{kind}", {"kind": "logs"})


def test_a_literal_that_leads_nowhere_gives_way_to_a_parameter(paths: Router[str]) -> None:
    assert paths.find("/jobs/search") == ("/jobs/{job}", {"job": "search"})
    assert paths.find("/jobs/search/events") == ("/jobs/search/{kind}", {"kind": "events"})
    assert paths.find("/jobs/x/events") == ("/{any}/{job}/events", {"any": "jobs", "job": "x"})


@pytest.mark.parametrize("path", ["", "/nowhere", "/jobs/", "/jobs//logs", "/jobs/x/logs/", "/jobs/x/y/z"])
def test_any_other_path_leads_nowhere(paths: Router[str], path: str) -> None:
    assert paths.find(path) is None


def test_the_root_is_a_path_too(paths: Router[str]) -> None:
    assert paths.find("/") == ("/", {})


def test_a_path_leads_to_one_target_only(paths: Router[str]) -> None:
    with pytest.raises(ValueError, match="is there already"):
        paths.add("/jobs/{name}", "another")
