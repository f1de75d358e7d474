"""Limits of requests that no page states."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import modelarts_openapi
from modelarts_emulator.errors import EmulatorError
from modelarts_emulator.http.own_limits import applied

PAGE = Path(__file__).parents[3] / "docs" / "emulator-differences.md"


def test_a_request_beyond_a_limit_of_the_emulator_is_told_whose_limit_it_is(api: Any) -> None:
    """A caller of the service may not know it: the documents do not have it."""
    response = api.call("POST", "/training-job-searches", json={"filters": [{"operator": "in", "value": ["x"]}]})

    assert response.status_code == 400
    assert "(this limit is the emulator's own)" in response.json()["error_msg"]


def test_every_limit_stands_with_its_reason_on_the_page_of_differences() -> None:
    text = files("modelarts_emulator.http").joinpath("own_limits.toml").read_text("utf-8")
    reasons = {entry["because"] for entry in tomllib.loads(text)["limit"]}
    page = re.sub(r"\s+", " ", PAGE.read_text("utf-8"))

    assert {reason for reason in reasons if reason not in page} == set()


def test_a_limit_of_something_that_no_document_has_is_an_error() -> None:
    """It would limit nothing, and nobody would notice."""
    document = modelarts_openapi.load("v2")
    schemas = {name: schema for name, schema in document["components"]["schemas"].items() if name != "InputRequest"}

    with pytest.raises(EmulatorError, match=r"v2 has no InputRequest\.name"):
        applied("v2", {**document, "components": {**document["components"], "schemas": schemas}})
